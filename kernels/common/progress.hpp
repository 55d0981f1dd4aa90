// SPDX-License-Identifier: Apache-2.0
//
// A line on the terminal that tells how far a long job is. Short jobs show nothing, nor do jobs
// whose error output is no terminal.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace kernels {

class Progress {
 public:
  // `what` is shown before the count, e.g. "fib: run".
  Progress(std::string what, std::int64_t total);
  ~Progress();  // wipes the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // One more part of `total` is done.
  void advance();

 private:
  std::string what_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  bool shown_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace kernels
