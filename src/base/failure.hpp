// SPDX-License-Identifier: Apache-2.0
//
// Failure: an exception that a task let out, on its way to a wait.
#pragma once

#include <string>
#include <utility>

#include "myr/frontend.h"

namespace myr::base {

// Owns what the program has handed over.
class Exception {
 public:
  Exception() noexcept = default;
  explicit Exception(myr_exception owned) noexcept : it_(owned) {}
  Exception(Exception&& other) noexcept : it_(other.release()) {}
  Exception& operator=(Exception&& other) noexcept {
    std::swap(it_, other.it_);
    return *this;
  }
  ~Exception() {
    if (it_.object != nullptr) it_.kind->destroy(it_.object);
  }

  // In a catch block: what was caught there.
  [[nodiscard]] static Exception caught();
  // For the program, which owns it from now on.
  [[nodiscard]] myr_exception release() noexcept { return std::exchange(it_, {}); }
  explicit operator bool() const noexcept { return it_.object != nullptr; }
  [[nodiscard]] const myr_exception& get() const noexcept { return it_; }
  [[nodiscard]] std::string describe() const;

 private:
  myr_exception it_{};
};

struct Failure {
  Exception exception;
  const myr_site* site = nullptr;  // where the task that threw was spawned
};

// The program, or one of its threads, ends with a failure that nobody has taken.
[[noreturn]] void report_lost(const Failure& failure);

}  // namespace myr::base
