// SPDX-License-Identifier: Apache-2.0
//
// For tests of writers: a clock, and what a writer puts into its file, as a string.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "trace/clock.hpp"

namespace myr::trace {

// A tick is two nanoseconds.
inline constexpr Clock kClock{.start_ticks = 1000, .end_ticks = 2000, .elapsed_ns = 2000};

// A file in memory.
class TestFile {
 public:
  TestFile() : file_(open_memstream(&text_, &size_)) {}
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  ~TestFile() {
    std::fclose(file_);
    std::free(text_);
  }
  [[nodiscard]] std::FILE* file() noexcept { return file_; }
  [[nodiscard]] std::string text() {
    std::fflush(file_);
    return {text_, size_};
  }

 private:
  char* text_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

}  // namespace myr::trace
