// SPDX-License-Identifier: Apache-2.0
//
// Which workers there are, for an error handler that the program sets while they run: from then on
// they check accesses before they enter them (worker_observe.cpp).
// Threads: any.
#pragma once

#include "base/shared_word.hpp"

namespace myr::engine {

class ErrorWatch {
 public:
  // A worker that is to know by `flag`, which is raised, that there is a handler.
  explicit ErrorWatch(base::SharedFlag& flag);
  ErrorWatch(const ErrorWatch&) = delete;
  ErrorWatch& operator=(const ErrorWatch&) = delete;
  ~ErrorWatch();

  // There is one from now on.
  static void begin();
  // In a forked child, whose workers are gone.
  static void forget();

 private:
  base::SharedFlag* flag_;
};

}  // namespace myr::engine
