// SPDX-License-Identifier: Apache-2.0
//
// What allocating and freeing in a region costs, here and in mimalloc's heaps, the fastest regions
// that a Debian package has. Both run in this one program, and their runs take turns. As a program
// would, it writes each object's first word, and reads it before it frees the object.
//
//   alloc_lifo, alloc_fifo, alloc_random   a thread fills its region with kLiveObjects objects, and
//                                          frees them in this order; ns per alloc or free
//   alloc_pair                             allocates an object and frees it; ns per alloc or free
//   region_N                               makes a region, allocates N objects, frees the region;
//                                          ns per region
#include <fmt/core.h>

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "common/command_line.hpp"
#include "harness/core_clock.hpp"
#include "mem/heap.hpp"
#ifdef MYR_HAVE_MIMALLOC
#include <mimalloc.h>
#endif

namespace {

constexpr std::size_t kLiveObjects = 10'000;
constexpr std::size_t kOpsPerRun = 400'000;  // about 2 ms: seldom interrupted
constexpr std::size_t kOpsPerRegion = 100;   // what a region without objects costs, in mimalloc
constexpr std::size_t kMixed = 0;            // instead of a size: sizes from a table

// ---- the allocators -----------------------------------------------------------------------------

struct Myrmidon {
  static constexpr const char* kName = "myrmidon";
  using Region = myr::mem::Pool;
  static Region* region_new(std::uint32_t owner) {
    return myr::mem::Heap::instance().pool_new(owner);
  }
  static void region_free(Region* region) { myr::mem::Heap::instance().pool_free(region); }
  static void* alloc(Region* region, std::size_t bytes) { return region->alloc(bytes); }
  static void free(Region* region, void* object) { region->free(object); }
};

#ifdef MYR_HAVE_MIMALLOC
struct Mimalloc {
  static constexpr const char* kName = "mimalloc";
  using Region = mi_heap_t;
  static Region* region_new(std::uint32_t) { return mi_heap_new(); }
  static void region_free(Region* region) { mi_heap_destroy(region); }
  static void* alloc(Region* region, std::size_t bytes) { return mi_heap_malloc(region, bytes); }
  static void free(Region*, void* object) { mi_free(object); }
};
#endif

// ---- what is measured ---------------------------------------------------------------------------

enum class Kind { Lifo, Fifo, Random, Pair, Region };

struct Case {
  std::string name;
  Kind kind;
  std::size_t bytes;
  unsigned threads;
  std::size_t objects;  // live at a time
};

// Sizes and orders are drawn before the clock starts.
struct Plan {
  std::vector<std::size_t> bytes;    // of object i
  std::vector<std::uint32_t> order;  // in which objects are freed
};

Plan make_plan(const Case& what) {
  static constexpr std::size_t kSizes[] = {64, 192, 320, 64, 1024, 128, 448, 2048};
  std::mt19937 random(1);
  Plan plan;
  for (std::size_t i = 0; i < what.objects; ++i) {
    plan.bytes.push_back(what.bytes == kMixed ? kSizes[random() % std::size(kSizes)] : what.bytes);
  }
  plan.order.resize(what.objects);
  std::iota(plan.order.begin(), plan.order.end(), 0);
  if (what.kind == Kind::Lifo) std::reverse(plan.order.begin(), plan.order.end());
  if (what.kind == Kind::Random) std::shuffle(plan.order.begin(), plan.order.end(), random);
  return plan;
}

template <class Allocator>
void* make_object(typename Allocator::Region* region, std::size_t bytes) {
  void* object = Allocator::alloc(region, bytes);
  *static_cast<std::uint64_t*>(object) = bytes;
  return object;
}

template <class Allocator>
void free_object(typename Allocator::Region* region, void* object) {
  if (*static_cast<std::uint64_t*>(object) == 0) std::abort();  // never: it holds the object's size
  Allocator::free(region, object);
}

template <class Allocator>
void fill_and_empty(typename Allocator::Region* region, const Plan& plan,
                    std::vector<void*>& objects) {
  for (std::size_t i = 0; i < objects.size(); ++i) {
    objects[i] = make_object<Allocator>(region, plan.bytes[i]);
  }
  for (const std::uint32_t i : plan.order) free_object<Allocator>(region, objects[i]);
}

template <class Allocator>
void pairs(typename Allocator::Region* region, const Plan& plan) {
  for (const std::size_t bytes : plan.bytes) {
    free_object<Allocator>(region, make_object<Allocator>(region, bytes));
  }
}

template <class Allocator>
void whole_regions(std::uint32_t owner, const Plan& plan, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    auto* region = Allocator::region_new(owner);
    for (const std::size_t bytes : plan.bytes) make_object<Allocator>(region, bytes);
    Allocator::region_free(region);
  }
}

// One thread's part of a run; `start` lets all begin together. Returns ns per unit of the case.
template <class Allocator>
double measure_thread(const Case& what, const Plan& plan, std::uint32_t owner,
                      std::barrier<>& start) {
  const std::size_t region_ops = what.kind == Kind::Region ? kOpsPerRegion : 0;
  const std::size_t rounds = std::max<std::size_t>(1, kOpsPerRun / (2 * what.objects + region_ops));
  std::vector<void*> objects(what.objects);
  auto* region = Allocator::region_new(owner);
  std::int64_t begin = 0;
  for (const bool warm : {false, true}) {
    if (warm) {
      start.arrive_and_wait();
      begin = myr::bench::now_ns();
    }
    const std::size_t count = warm ? rounds : std::min<std::size_t>(rounds, 2);
    if (what.kind == Kind::Region) whole_regions<Allocator>(owner + 100, plan, count);
    for (std::size_t i = 0; what.kind != Kind::Region && i < count; ++i) {
      what.kind == Kind::Pair ? pairs<Allocator>(region, plan)
                              : fill_and_empty<Allocator>(region, plan, objects);
    }
  }
  const auto elapsed_ns = static_cast<double>(myr::bench::now_ns() - begin);
  Allocator::region_free(region);
  const auto units = static_cast<double>(rounds);
  return what.kind == Kind::Region ? elapsed_ns / units
                                   : elapsed_ns / (units * 2.0 * static_cast<double>(what.objects));
}

template <class Allocator>
double measure(const Case& what, const Plan& plan) {
  std::barrier start(what.threads);
  std::vector<double> ns(what.threads);
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < what.threads; ++i) {
      threads.emplace_back([&, i] { ns[i] = measure_thread<Allocator>(what, plan, i + 1, start); });
    }
  }
  return std::accumulate(ns.begin(), ns.end(), 0.0) / what.threads;
}

std::vector<Case> all_cases(const std::vector<unsigned>& thread_counts) {
  std::vector<Case> cases;
  for (const unsigned threads : thread_counts) {
    for (const std::size_t bytes : {std::size_t{64}, std::size_t{192}, kMixed}) {
      cases.push_back({"alloc_lifo", Kind::Lifo, bytes, threads, kLiveObjects});
      cases.push_back({"alloc_fifo", Kind::Fifo, bytes, threads, kLiveObjects});
      cases.push_back({"alloc_random", Kind::Random, bytes, threads, kLiveObjects});
    }
    cases.push_back({"alloc_pair", Kind::Pair, 64, threads, kLiveObjects});
    for (const std::size_t objects : {1, 100, 10'000}) {
      cases.push_back({fmt::format("region_{}", objects), Kind::Region, 64, threads, objects});
    }
  }
  return cases;
}

// ---- output -------------------------------------------------------------------------------------

struct Result {
  const char* allocator;
  std::vector<double> runs;
  [[nodiscard]] double quantile(double q) const {
    std::vector<double> sorted = runs;
    std::sort(sorted.begin(), sorted.end());
    return sorted[static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1))];
  }
};

void write_json(std::FILE* file, const Case& what, const Result& result) {
  std::string runs;
  for (const double ns : result.runs) runs += fmt::format("{}{:.3f}", runs.empty() ? "" : ", ", ns);
  const char* unit = what.kind == Kind::Region ? "ns_per_region" : "ns_per_op";
  fmt::print(file,
             "{{\"bench\": \"{}\", \"allocator\": \"{}\", \"threads\": {}, \"bytes\": {}, "
             "\"{}\": {:.3f}, \"runs\": [{}]}}\n",
             what.name, result.allocator, what.threads,
             what.bytes == kMixed ? "\"mixed\"" : std::to_string(what.bytes), unit,
             result.quantile(0.5), runs);
}

void print_row(const Case& what, const std::vector<Result>& results) {
  fmt::print("{:<14}{:>8}{:>7}", what.name, what.threads,
             what.bytes == kMixed ? "mixed" : std::to_string(what.bytes));
  for (const Result& result : results) {
    fmt::print("{:>12.2f} ({:.2f}..{:.2f})", result.quantile(0.5), result.quantile(0.25),
               result.quantile(0.75));
  }
  if (results.size() == 2) {
    fmt::print("{:>9.2f}x", results[1].quantile(0.5) / results[0].quantile(0.5));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

std::vector<Result> measure_all(const Case& what, unsigned runs) {
  const Plan plan = make_plan(what);
  std::vector<Result> results = {{Myrmidon::kName, {}}};
#ifdef MYR_HAVE_MIMALLOC
  results.push_back({Mimalloc::kName, {}});
#endif
  for (unsigned run = 0; run < runs; ++run) {
    results[0].runs.push_back(measure<Myrmidon>(what, plan));
#ifdef MYR_HAVE_MIMALLOC
    results[1].runs.push_back(measure<Mimalloc>(what, plan));
#endif
  }
  return results;
}

}  // namespace

int main(int argc, char** argv) {
  unsigned runs = 11;
  unsigned threads = 0;
  std::string only;
  kernels::CommandLine line("Measures allocation in regions, beside mimalloc's heaps.");
  line.add_count("--runs", &runs, "runs of each case and allocator, which take turns", 1000);
  line.add_count("--threads", &threads, "threads, each with its region (default: 1, then 2)", 1024);
  line.add("--only", &only, "cases whose name contains this");
  line.add_json("file for one JSON object a measurement");
  line.parse(argc, argv);
  std::FILE* json = line.json();

  auto heap = myr::mem::Heap::create();
  if (!heap) {
    fmt::print(stderr, "alloc: {}\n", heap.error().text);
    return 1;
  }
  fmt::print("ns per alloc or free, per region for region_N: median (quartiles) of {} runs\n",
             runs);
  fmt::print("{:<14}{:>8}{:>7}{:>26}{:>26}\n", "bench", "threads", "bytes", "myrmidon", "mimalloc");
  const std::vector<unsigned> counts = threads == 0 ? std::vector{1U, 2U} : std::vector{threads};
  for (const Case& what : all_cases(counts)) {
    if (what.name.find(only) == std::string::npos) continue;
    const std::vector<Result> results = measure_all(what, runs);
    print_row(what, results);
    if (json == nullptr) continue;
    for (const Result& result : results) write_json(json, what, result);
  }
  return 0;
}
