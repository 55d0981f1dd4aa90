// SPDX-License-Identifier: Apache-2.0
//
// Progress on a terminal; see progress.hpp.
#include "common/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace kernels {
namespace {

constexpr std::chrono::seconds kQuietTime{2};  // before it, there is nothing to show

}  // namespace

Progress::Progress(std::string what, std::int64_t total) : what_(std::move(what)), total_(total) {}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

void Progress::advance() {
  ++done_;
  const auto elapsed = std::chrono::steady_clock::now() - start_;
  if (elapsed < kQuietTime || isatty(STDERR_FILENO) == 0) return;
  shown_ = true;
  fmt::print(stderr, "\r\033[K{} {} of {}, {:.0f} s", what_, done_, total_,
             std::chrono::duration<double>(elapsed).count());
  std::fflush(stderr);
}

}  // namespace kernels
