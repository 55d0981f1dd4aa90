// SPDX-License-Identifier: Apache-2.0
//
// The main() of programs of random programs:  PROGRAM [FIRST_SEED|clock [COUNT]]
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace myr::random_test {

// Calls run(seed), which says whether the result was the serial one, for so many seeds, from one
// that is given, or that the clock chooses. Returns the exit status: 1 behind the first that was
// not.
template <class Run>
int run_seeds(int argc, char** argv, std::uint64_t usual_count, Run&& run) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const bool is_given = argc > 1 && argv[1] != std::string_view("clock");
  const std::uint64_t first =
      is_given ? std::strtoull(argv[1], nullptr, 10) : static_cast<std::uint64_t>(now) % 1'000'000;
  const std::uint64_t count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : usual_count;
  std::printf("seeds %lu..%lu\n", first, first + count - 1);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (run(seed)) continue;
    std::printf("seed=%lu: the result is not the serial one\n", seed);
    return 1;
  }
  return 0;
}

}  // namespace myr::random_test
