// SPDX-License-Identifier: Apache-2.0
//
// Which workers there are, for an error handler that the program sets while they run: from then on
// they check accesses before they enter them (worker_observe.cpp).
// Threads: any.
#pragma once

namespace myr::engine {

class ErrorWatch {
 public:
  // A worker that is to know by `flag`, which becomes true, that there is a handler.
  explicit ErrorWatch(bool& flag);
  ErrorWatch(const ErrorWatch&) = delete;
  ErrorWatch& operator=(const ErrorWatch&) = delete;
  ~ErrorWatch();

  // There is one from now on.
  static void begin();
  // In a forked child, whose workers are gone.
  static void forget();

 private:
  bool* flag_;
};

}  // namespace myr::engine
