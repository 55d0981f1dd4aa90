// SPDX-License-Identifier: Apache-2.0
//
// How the benchmarks time something short: several equal runs, of which the first wakes the threads
// and fills pools and caches, and the median of the others counts. Runs of a few milliseconds
// mostly escape interruptions by other processes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace myr::bench {

struct RunLimits {
  std::size_t runs_max;  // timed runs
  std::int64_t ns_max;   // of all timed runs together: no further run begins after that
};

struct TimedRuns {
  std::size_t count;  // timed or not
  double median_ns;
};

// `run` returns how long it took, in nanoseconds.
template <class Run>
TimedRuns time_runs(const RunLimits& limits, const Run& run) {
  run();
  std::vector<std::int64_t> elapsed_ns;
  std::int64_t total_ns = 0;
  while (elapsed_ns.size() < limits.runs_max && total_ns < limits.ns_max) {
    elapsed_ns.push_back(run());
    total_ns += elapsed_ns.back();
  }
  const auto middle = elapsed_ns.begin() + static_cast<std::ptrdiff_t>(elapsed_ns.size() / 2);
  std::nth_element(elapsed_ns.begin(), middle, elapsed_ns.end());
  return {1 + elapsed_ns.size(), static_cast<double>(*middle)};
}

}  // namespace myr::bench
