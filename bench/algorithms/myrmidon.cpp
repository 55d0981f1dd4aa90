// SPDX-License-Identifier: Apache-2.0
//
// The algorithms of myr/algorithm.hpp.
#include <cstdlib>
#include <functional>
#include <myr/algorithm.hpp>
#include <string>

#include "algorithms/program.hpp"

namespace {

using myr::bench::Record;

struct Calls {
  static void for_each(std::vector<double>& v) {
    myr::parallel_for(v, [](double& x) { x = myr::bench::next_of(x); });
  }
  static double transform_reduce(const std::vector<double>& v) {
    return myr::transform_reduce(v, 0.0, std::plus<>(),
                                 [](double x) { return myr::bench::square_of(x); });
  }
  static void inclusive_scan(const std::vector<double>& v, std::vector<double>& to) {
    myr::inclusive_scan(v, to);
  }
  static void exclusive_scan(const std::vector<double>& v, std::vector<double>& to) {
    myr::exclusive_scan(v, to, 0.0);
  }
  static std::size_t count_if(const std::vector<double>& v) {
    return myr::count_if(v, [](double x) { return myr::bench::is_high(x); });
  }
  static bool any_of(const std::vector<double>& v) {
    return myr::any_of(v, [](double x) { return x == myr::bench::kWanted; });
  }
  static void sort(std::vector<double>& v) { myr::sort(v); }
  static void stable_sort(std::vector<Record>& v) {
    myr::stable_sort(
        v, [](const Record& a, const Record& b) { return myr::bench::has_less_key(a, b); });
  }
  static std::size_t find_if(const std::vector<double>& v) {
    const auto found = myr::find_if(v, [](double x) { return x == myr::bench::kWanted; });
    return static_cast<std::size_t>(found - v.begin());
  }
  static std::uint64_t fib(unsigned n) {
    if (n < 2) return n;
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    myr::parallel_invoke([&] { left = fib(n - 1); }, [&] { right = fib(n - 2); });
    return left + right;
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  setenv("MYR_ON", (std::string("smp:") + argv[3]).c_str(), 1);
  return myr::bench::run<Calls>("myrmidon", argv[1], std::strtoul(argv[2], nullptr, 10));
}
