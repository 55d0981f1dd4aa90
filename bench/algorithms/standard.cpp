// SPDX-License-Identifier: Apache-2.0
//
// The standard library's algorithms: with std::execution::par, which GCC's library runs on oneTBB,
// or, in another program, serially (MYR_SERIAL). There is nothing for calls beside each other;
// serially fib() is the plain function.
#if !defined(MYR_SERIAL)
#include <oneapi/tbb/global_control.h>

#include <execution>
#endif

#include <cstdlib>
#include <functional>

#include "algorithms/program.hpp"

namespace {

using myr::bench::Record;

#if defined(MYR_SERIAL)
#define POLICY
constexpr const char* kName = "serial";
#else
#define POLICY std::execution::par,
constexpr const char* kName = "par";
#endif

struct Calls {
  static void for_each(std::vector<double>& v) {
    std::for_each(POLICY v.begin(), v.end(), [](double& x) { x = myr::bench::next_of(x); });
  }
  static double transform_reduce(const std::vector<double>& v) {
    return std::transform_reduce(POLICY v.begin(), v.end(), 0.0, std::plus<>(),
                                 [](double x) { return myr::bench::square_of(x); });
  }
  static void inclusive_scan(const std::vector<double>& v, std::vector<double>& to) {
    std::inclusive_scan(POLICY v.begin(), v.end(), to.begin());
  }
  static void exclusive_scan(const std::vector<double>& v, std::vector<double>& to) {
    std::exclusive_scan(POLICY v.begin(), v.end(), to.begin(), 0.0);
  }
  static std::size_t count_if(const std::vector<double>& v) {
    return static_cast<std::size_t>(
        std::count_if(POLICY v.begin(), v.end(), [](double x) { return myr::bench::is_high(x); }));
  }
  static bool any_of(const std::vector<double>& v) {
    return std::any_of(POLICY v.begin(), v.end(),
                       [](double x) { return x == myr::bench::kWanted; });
  }
  static void sort(std::vector<double>& v) { std::sort(POLICY v.begin(), v.end()); }
  static void stable_sort(std::vector<Record>& v) {
    std::stable_sort(POLICY v.begin(), v.end(), [](const Record& a, const Record& b) {
      return myr::bench::has_less_key(a, b);
    });
  }
  static std::size_t find_if(const std::vector<double>& v) {
    const auto found =
        std::find_if(POLICY v.begin(), v.end(), [](double x) { return x == myr::bench::kWanted; });
    return static_cast<std::size_t>(found - v.begin());
  }
#if defined(MYR_SERIAL)
  static std::uint64_t fib(unsigned n) { return myr::bench::serial_fib(n); }
#endif
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
#if !defined(MYR_SERIAL)
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism,
                                          std::strtoul(argv[3], nullptr, 10));
#endif
  return myr::bench::run<Calls>(kName, argv[1], std::strtoul(argv[2], nullptr, 10));
}
