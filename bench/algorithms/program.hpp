// SPDX-License-Identifier: Apache-2.0
//
// The benchmark of the algorithms without their implementations: what each case does to which data,
// its timing, and the check of its result. Each program of bench/algorithms supplies the calls.
//
//   PROGRAM CASE SIZE THREADS    prints one line of JSON
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string_view>
#include <vector>

#include "harness/timed_runs.hpp"

namespace myr::bench {

// An element of a sort that must be stable.
struct Record {
  std::uint32_t key;
  std::uint32_t place;
  friend bool operator==(const Record&, const Record&) = default;
};
inline bool has_less_key(const Record& a, const Record& b) { return a.key < b.key; }

inline constexpr double kWanted = -1;  // what find_if() looks for
inline double next_of(double x) { return std::sqrt(x + 1); }
inline double square_of(double x) { return x * x; }
inline bool is_high(double x) { return x > 0.5; }
inline std::uint64_t serial_fib(unsigned n) {
  return n < 2 ? n : serial_fib(n - 1) + serial_fib(n - 2);
}

inline std::vector<double> random_numbers(std::size_t count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> numbers(0, 1);
  std::vector<double> made(count);
  for (double& one : made) one = numbers(random);
  return made;
}
inline bool is_near(double a, double b) { return std::fabs(a - b) <= 1e-9 * std::fabs(b); }

template <class Work>
std::int64_t time_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
}

inline void require(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s: a wrong result\n", what);
  std::exit(1);
}

// `Calls` has the algorithms as static functions; those that it has not, it has not to run.
template <class Calls>
struct Cases {
  static std::int64_t for_each(std::vector<double>& v, std::vector<double>&) {
    const std::int64_t ns = time_of([&] { Calls::for_each(v); });
    require(v.front() >= 1, "for_each");
    return ns;
  }
  static std::int64_t transform_reduce(std::vector<double>& v, std::vector<double>&) {
    static const double expected =
        std::transform_reduce(v.begin(), v.end(), 0.0, std::plus<>(), square_of);
    double sum = 0;
    const std::int64_t ns = time_of([&] { sum = Calls::transform_reduce(v); });
    require(is_near(sum, expected), "transform_reduce");
    return ns;
  }
  static std::int64_t inclusive_scan(std::vector<double>& v, std::vector<double>& to) {
    static const double expected = std::accumulate(v.begin(), v.end(), 0.0);
    const std::int64_t ns = time_of([&] { Calls::inclusive_scan(v, to); });
    require(is_near(to.back(), expected), "inclusive_scan");
    return ns;
  }
  static std::int64_t exclusive_scan(std::vector<double>& v, std::vector<double>& to) {
    static const double expected = std::accumulate(v.begin(), v.end() - 1, 0.0);
    const std::int64_t ns = time_of([&] { Calls::exclusive_scan(v, to); });
    require(to.front() == 0 && is_near(to.back(), expected), "exclusive_scan");
    return ns;
  }
  static std::int64_t count_if(std::vector<double>& v, std::vector<double>&) {
    static const auto expected =
        static_cast<std::size_t>(std::count_if(v.begin(), v.end(), is_high));
    std::size_t count = 0;
    const std::int64_t ns = time_of([&] { count = Calls::count_if(v); });
    require(count == expected, "count_if");
    return ns;
  }
  static std::int64_t any_of(std::vector<double>& v, std::vector<double>&) {
    bool found = true;
    const std::int64_t ns = time_of([&] { found = Calls::any_of(v); });
    require(!found, "any_of");
    return ns;
  }
  static std::int64_t sort(std::vector<double>& v, std::vector<double>& to) {
    to = v;
    const std::int64_t ns = time_of([&] { Calls::sort(to); });
    require(std::is_sorted(to.begin(), to.end()), "sort");
    return ns;
  }
  static std::int64_t stable_sort(std::vector<double>& v, std::vector<double>&) {
    static std::vector<Record> records(v.size());
    for (std::size_t i = 0; i < v.size(); ++i) {
      records[i] = {static_cast<std::uint32_t>(1e5 * v[i]), static_cast<std::uint32_t>(i)};
    }
    const std::int64_t ns = time_of([&] { Calls::stable_sort(records); });
    require(std::is_sorted(records.begin(), records.end(),
                           [](const Record& a, const Record& b) {
                             return a.key != b.key ? a.key < b.key : a.place < b.place;
                           }),
            "stable_sort");
    return ns;
  }
  static std::int64_t find_if(std::vector<double>& v, std::vector<double>&) {
    const std::size_t place = v.size() / 2;
    v[place] = v[place + 3] = kWanted;
    std::size_t found = 0;
    const std::int64_t ns = time_of([&] { found = Calls::find_if(v); });
    require(found == place, "find_if");
    return ns;
  }
};

inline int print(const char* name, std::string_view test, std::size_t size, double ns) {
  std::printf("{\"runtime\": \"%s\", \"case\": \"%.*s\", \"size\": %zu, \"ns\": %.0f}\n", name,
              static_cast<int>(test.size()), test.data(), size, ns);
  return 0;
}

template <class Calls>
int run_fib(const char* name, std::size_t size, const RunLimits& limits) {
  const auto n = static_cast<unsigned>(size);
  const std::uint64_t expected = serial_fib(n);
  const auto once = [&] {
    std::uint64_t found = 0;
    const std::int64_t ns = time_of([&] { found = Calls::fib(n); });
    require(found == expected, "fib");
    return ns;
  };
  return print(name, "fib", size, time_runs(limits, once).median_ns);
}

// 77: there is no such call.
template <class Calls>
int run(const char* name, std::string_view test, std::size_t size) {
  constexpr RunLimits kLimits{.runs_max = 51, .ns_max = 1'000'000'000};
  if (test == "fib") {
    if constexpr (!requires { Calls::fib(1); }) {
      return 77;
    } else {
      return run_fib<Calls>(name, size, kLimits);
    }
  }
  std::vector<double> v = random_numbers(size);
  std::vector<double> to(size);
  const auto timed = [&](auto one) {
    return print(name, test, size, time_runs(kLimits, [&] { return one(v, to); }).median_ns);
  };
  using All = Cases<Calls>;
  if (test == "for_each") return timed(All::for_each);
  if (test == "transform_reduce") return timed(All::transform_reduce);
  if (test == "inclusive_scan") return timed(All::inclusive_scan);
  if (test == "exclusive_scan") return timed(All::exclusive_scan);
  if (test == "count_if") return timed(All::count_if);
  if constexpr (requires { Calls::any_of(v); }) {
    if (test == "any_of") return timed(All::any_of);
  }
  if (test == "sort") return timed(All::sort);
  if constexpr (requires(std::vector<Record>& r) { Calls::stable_sort(r); }) {
    if (test == "stable_sort") return timed(All::stable_sort);
  }
  if (test == "find_if") return timed(All::find_if);
  return 77;
}

}  // namespace myr::bench
