// SPDX-License-Identifier: Apache-2.0
//
// N tasks on parts of some memory, then N on much of it, three times over, before any of them may
// begin: what their dependences cost in time and memory. Where each of the ones would be linked to
// each of the others, both grow with the square of N.
//
//   myr_bench_groups KIND N
//
//   regions      N tasks write a region each, N read the region around them
//   windows      N tasks write a tile of an array each, N read half of the array: another half each
//   commutative  N tasks write a tile each, N use all of them in any order, one at a time
//   concurrent   N tasks write a tile each, N use a window each, in any order and at the same time
//   scattered    2 N tasks read windows of all sizes that begin and end anywhere
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <myr/myr.hpp>
#include <random>
#include <resident_bytes.hpp>
#include <thread>
#include <vector>

namespace {

constexpr int kRounds = 3;
constexpr std::size_t kTile = 64;

// What the tasks of the two groups use, and all of it.
struct Kind {
  std::function<myr_access(std::size_t)> part;
  std::function<myr_access(std::size_t)> many;
  myr_access all;
};

Kind regions(std::size_t count) {
  const auto outer = myr::Region::create();
  std::vector<myr::Region> inside;
  for (std::size_t i = 0; i < count; ++i) inside.push_back(myr::Region::create(outer));
  return {[inside](std::size_t i) { return myr_inout_region(inside[i].id()); },
          [outer](std::size_t) { return myr_in_region(outer.id()); }, myr_inout_region(outer.id())};
}

Kind tiles(std::size_t count, unsigned mode, bool are_windows) {
  // One more: all of the tiles are a part, too.
  char* const tiles = static_cast<char*>(myr_alloc((count + 1) * kTile, MYR_ROOT));
  const auto many = [=](std::size_t i) {
    return are_windows ? myr_make_access(tiles + i / 2 * kTile, (count + 1) / 2 * kTile, mode)
                       : myr_make_access(tiles, count * kTile, mode);
  };
  return {[tiles](std::size_t i) { return myr_inout_range(tiles + i * kTile, kTile); }, many,
          myr_inout_range(tiles, count * kTile)};
}

Kind scattered() {
  constexpr std::size_t kBytes = 1 << 20;
  char* const all = static_cast<char*>(myr_alloc(2 * kBytes, MYR_ROOT));
  const auto window = [all, random = std::mt19937_64{1}](std::size_t) mutable {
    const std::size_t begin = random() % kBytes;
    return myr_in_range(all + begin, 1 + random() % (kBytes - begin));
  };
  return {window, window, myr_inout_range(all, kBytes)};
}

Kind kind_of(const char* name, std::size_t count) {
  const auto is = [name](const char* other) { return std::strcmp(name, other) == 0; };
  if (is("regions")) return regions(count);
  if (is("windows")) return tiles(count, MYR_IN, true);
  if (is("commutative")) return tiles(count, MYR_INOUT | MYR_COMMUTATIVE, false);
  if (is("concurrent")) return tiles(count, MYR_INOUT | MYR_CONCURRENT, true);
  if (is("scattered")) return scattered();
  std::fprintf(stderr, "'%s' is no kind: see bench/micro/README.md\n", name);
  std::exit(2);
}

void spawn(const myr_access& access) {
  myr_spawn_array([](const myr_access*) {}, &access, 1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t count = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 0;
  if (count == 0) {
    std::fprintf(stderr, "myr_bench_groups KIND N\n");
    return 2;
  }
  // A single worker would not look for dependences.
  setenv("MYR_ON", "smp:2", 0);
  const Kind kind = kind_of(argv[1], count);
  static std::atomic<myr_event> gate{0};
  if (myr_worker_count() > 1) {
    myr_spawn_array([](const myr_access*) { gate = myr_event_new(); }, &kind.all, 1);
    while (gate == 0) std::this_thread::yield();
  }
  const std::uint64_t bytes_before = myr::tests::resident_bytes();
  const auto begin = std::chrono::steady_clock::now();
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < count; ++i) spawn(kind.part(i));
    for (std::size_t i = 0; i < count; ++i) spawn(kind.many(i));
  }
  const std::uint64_t bytes = myr::tests::resident_bytes() - bytes_before;
  if (gate != 0) myr_event_complete(gate);
  myr_wait_all();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  std::printf("%s %zu: %zu tasks, %.1f ms, %.1f MB\n", argv[1], count, 2 * kRounds * count,
              time.count(), static_cast<double>(bytes) / 1e6);
  return 0;
}
