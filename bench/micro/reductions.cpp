// SPDX-License-Identifier: Apache-2.0
//
// What sums of doubles cost: in the order of fixed blocks, in any order, and, where oneTBB is
// installed, by its parallel_reduce and parallel_deterministic_reduce. All take turns in one
// process, in each of which the threads of the other runtime sleep.
//
//   myr_bench_reductions [--runs N] [--json FILE]
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <string>
#include <thread>
#include <vector>

#include "common/command_line.hpp"
#if defined(MYR_HAVE_TBB)
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_reduce.h>
#endif

namespace {

using Sum = double (*)(const std::vector<double>& a);

double plain(const std::vector<double>& a) {
  double sum = 0;
  for (const double x : a) sum += x * x;
  return sum;
}

double in_order(const std::vector<double>& a) {
  double sum = 0;
  myr::reduce_each(myr::range(a.size()), myr::reduce(sum, std::plus<>()), myr::in(a, myr::part),
                   [](auto i, auto x) { return x[i] * x[i]; });
  myr::wait(myr::in(sum));
  return sum;
}

double in_any_order(const std::vector<double>& a) {
  double sum = 0;
  myr::reduce_each(myr::range(a.size()), myr::reduce(sum, std::plus<>(), myr::any_order),
                   myr::in(a, myr::part), [](auto i, auto x) { return x[i] * x[i]; });
  myr::wait(myr::in(sum));
  return sum;
}

#if defined(MYR_HAVE_TBB)
using Blocks = tbb::blocked_range<std::size_t>;

double of_block(const std::vector<double>& a, const Blocks& block, double sum) {
  for (std::size_t i = block.begin(); i != block.end(); ++i) sum += a[i] * a[i];
  return sum;
}
double by_tbb(const std::vector<double>& a) {
  return tbb::parallel_reduce(
      Blocks(0, a.size()), 0.0,
      [&](const Blocks& block, double sum) { return of_block(a, block, sum); }, std::plus<>());
}
// Its blocks follow from the grain, which is 1 unless it is given: here as many as in_order() has.
double by_tbb_in_order(const std::vector<double>& a) {
  return tbb::parallel_deterministic_reduce(
      Blocks(0, a.size(), (a.size() + 1023) / 1024), 0.0,
      [&](const Blocks& block, double sum) { return of_block(a, block, sum); }, std::plus<>());
}
#endif

struct Way {
  const char* name;
  Sum sum;
  std::vector<double> ns = {};
};

double time_ns(const Way& way, const std::vector<double>& a, std::size_t repeats) {
  volatile double sink = way.sum(a);  // wakes the threads
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < repeats; ++i) sink = way.sum(a);
  const std::chrono::duration<double, std::nano> passed = std::chrono::steady_clock::now() - begin;
  static_cast<void>(sink);
  return passed.count() / static_cast<double>(repeats);
}

void write_json(std::FILE* file, std::size_t size, const Way& way) {
  std::string all;
  for (const double ns : way.ns) all += fmt::format("{}{:.1f}", all.empty() ? "" : ", ", ns);
  fmt::print(file,
             "{{\"bench\": \"reductions\", \"way\": \"{}\", \"elements\": {}, \"runs\": [{}]}}\n",
             way.name, size, all);
}

void measure(std::size_t size, unsigned rounds, std::FILE* json) {
  std::vector<double> a(size);
  for (std::size_t i = 0; i < size; ++i) a[i] = 1.0 / static_cast<double>(i + 1);
  std::vector<Way> ways = {
      {"plain loop", plain},
      {"in order", in_order},
      {"any_order", in_any_order},
#if defined(MYR_HAVE_TBB)
      {"tbb::parallel_reduce", by_tbb},
      {"tbb::parallel_deterministic_reduce", by_tbb_in_order},
#endif
  };
  const std::size_t repeats = std::max<std::size_t>(3, 10'000'000 / (size + 100'000));
  for (unsigned round = 0; round < rounds; ++round) {
    for (Way& way : ways) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the others' threads sleep, too
      way.ns.push_back(time_ns(way, a, repeats));
    }
  }
  for (Way& way : ways) {
    if (json != nullptr) write_json(json, size, way);
    std::sort(way.ns.begin(), way.ns.end());
    const std::size_t count = way.ns.size();
    fmt::print("{:9}  {:36} {:12.0f} +- {:.0f} ns\n", size, way.name, way.ns[count / 2],
               (way.ns[3 * count / 4] - way.ns[count / 4]) / 2);
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsigned rounds = 25;
  kernels::CommandLine line("Times sums of doubles, by Myrmidon and by oneTBB, in turn.");
  line.add_count("--runs", &rounds, "runs of each, which take turns", 1000);
  line.add_json("file for one JSON object a measurement");
  line.parse(argc, argv);
  fmt::print("{} workers; ns a sum: the median, and half the quartiles' distance\n",
             myr_worker_count());
#if defined(MYR_HAVE_TBB)
  const tbb::global_control as_many(tbb::global_control::max_allowed_parallelism,
                                    myr_worker_count());
#endif
  for (const std::size_t size : {1'000, 100'000, 10'000'000}) measure(size, rounds, line.json());
}
