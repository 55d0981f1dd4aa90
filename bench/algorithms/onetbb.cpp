// SPDX-License-Identifier: Apache-2.0
//
// oneTBB's algorithms, as its documentation has them; it has no stable sort, and what finds the
// first of several is written by the user: a loop over blocks that are skipped behind it.
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>

#include <atomic>
#include <cstdlib>
#include <functional>

#include "algorithms/program.hpp"

namespace {

using Blocks = oneapi::tbb::blocked_range<std::size_t>;

struct Calls {
  static void for_each(std::vector<double>& v) {
    oneapi::tbb::parallel_for(Blocks(0, v.size()), [first = v.data()](const Blocks& block) {
      for (std::size_t i = block.begin(); i != block.end(); ++i) {
        first[i] = myr::bench::next_of(first[i]);
      }
    });
  }
  static double transform_reduce(const std::vector<double>& v) {
    return oneapi::tbb::parallel_reduce(
        Blocks(0, v.size()), 0.0,
        [first = v.data()](const Blocks& block, double sum) {
          for (std::size_t i = block.begin(); i != block.end(); ++i) {
            sum += myr::bench::square_of(first[i]);
          }
          return sum;
        },
        std::plus<>());
  }
  static void inclusive_scan(const std::vector<double>& v, std::vector<double>& to) {
    oneapi::tbb::parallel_scan(
        Blocks(0, v.size()), 0.0,
        [from = v.data(), out = to.data()](const Blocks& block, double sum, bool is_final) {
          for (std::size_t i = block.begin(); i != block.end(); ++i) {
            sum += from[i];
            if (is_final) out[i] = sum;
          }
          return sum;
        },
        std::plus<>());
  }
  static void exclusive_scan(const std::vector<double>& v, std::vector<double>& to) {
    oneapi::tbb::parallel_scan(
        Blocks(0, v.size()), 0.0,
        [from = v.data(), out = to.data()](const Blocks& block, double sum, bool is_final) {
          for (std::size_t i = block.begin(); i != block.end(); ++i) {
            if (is_final) out[i] = sum;
            sum += from[i];
          }
          return sum;
        },
        std::plus<>());
  }
  static std::size_t count_if(const std::vector<double>& v) {
    return oneapi::tbb::parallel_reduce(
        Blocks(0, v.size()), std::size_t{0},
        [first = v.data()](const Blocks& block, std::size_t count) {
          for (std::size_t i = block.begin(); i != block.end(); ++i) {
            count += myr::bench::is_high(first[i]) ? 1 : 0;
          }
          return count;
        },
        std::plus<>());
  }
  static void sort(std::vector<double>& v) { oneapi::tbb::parallel_sort(v.begin(), v.end()); }
  static std::size_t find_if(const std::vector<double>& v) {
    std::atomic<std::size_t> found{v.size()};
    oneapi::tbb::parallel_for(Blocks(0, v.size(), 1024), [&](const Blocks& block) {
      if (block.begin() >= found.load(std::memory_order_relaxed)) return;
      const double* const begin = v.data() + block.begin();
      const double* const end = v.data() + block.end();
      const double* const at =
          std::find_if(begin, end, [](double x) { return x == myr::bench::kWanted; });
      if (at == end) return;
      const auto place = static_cast<std::size_t>(at - v.data());
      std::size_t now = found.load(std::memory_order_relaxed);
      while (place < now && !found.compare_exchange_weak(now, place, std::memory_order_relaxed)) {
      }
    });
    return found;
  }
  static std::uint64_t fib(unsigned n) {
    if (n < 2) return n;
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    oneapi::tbb::parallel_invoke([&] { left = fib(n - 1); }, [&] { right = fib(n - 2); });
    return left + right;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          std::strtoul(argv[3], nullptr, 10));
  return myr::bench::run<Calls>("onetbb", argv[1], std::strtoul(argv[2], nullptr, 10));
}
