// SPDX-License-Identifier: Apache-2.0
//
// Spawns tasks and makes regions without end, round after round of the same work: every round must
// give the serial result, and after the first ones the process must not grow.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <myr/myr.hpp>
#include <vector>

#include "common/command_line.hpp"
#include "resident_bytes.hpp"

namespace {

// Pools and queues grow to what a round needs while the first rounds run.
constexpr std::size_t kWarmRounds = 8;
// What the process may grow by after them: pages that the kernel had not lent yet.
constexpr std::uint64_t kGrowthMax = 8U << 20;
constexpr std::uint64_t kReports = 200;  // at most, on a terminal

struct Counts {
  std::size_t spawns = 0;
  std::size_t regions = 0;
};

class Round {
 public:
  explicit Round(Counts& done) : done_(done) {}

  // Whether all of it gave the serial result.
  bool run() {
    const std::array results{chain(), readers(), ranges(), adders(), nest(), pools(), lists()};
    return std::ranges::all_of(results, [](bool good) { return good; });
  }

 private:
  static constexpr unsigned kTasks = 5'000;

  bool chain() {
    long sum = 0;
    for (unsigned i = 0; i < kTasks; ++i) myr::spawn([](long& x) { ++x; }, myr::inout(sum));
    myr::wait(myr::in(sum));
    done_.spawns += kTasks;
    return sum == kTasks;
  }

  // Writers of 16 objects, each followed by readers of two of them.
  bool readers() {
    std::array<long, 16> objects{};
    std::vector<long> seen(kTasks);
    for (unsigned i = 0; i < kTasks; ++i) {
      myr::spawn([](long& x) { ++x; }, myr::inout(objects[i % 16]));
      myr::spawn([](const long& a, const long& b, long& into) { into = a + b; },
                 myr::in(objects[i % 16]), myr::in(objects[(i + 7) % 16]), myr::out(seen[i]));
    }
    myr::wait_all();
    done_.spawns += 2 * std::size_t{kTasks};
    for (unsigned i = 0; i < kTasks; ++i) {
      const unsigned other = (i + 7) % 16;
      const long written = i / 16 + 1 + (i >= other ? (i - other) / 16 + 1 : 0);
      if (seen[i] != written) return false;
    }
    return true;
  }

  // Windows of an array that overlap by halves.
  bool ranges() {
    constexpr std::size_t kLength = 1024;
    constexpr std::size_t kWindow = 64;
    std::vector<long> array(kLength);
    for (unsigned i = 0; i < kTasks; ++i) {
      long* first = array.data() + i * (kWindow / 2) % (kLength - kWindow);
      myr::spawn(
          [](long* window) {
            for (std::size_t k = 0; k < kWindow; ++k) window[k] += 1;
          },
          myr::inout(first, kWindow));
    }
    myr::wait_all();
    done_.spawns += kTasks;
    long sum = 0;
    for (const long value : array) sum += value;
    return sum == static_cast<long>(kTasks * kWindow);
  }

  bool adders() {
    long sum = 0;
    for (unsigned i = 0; i < kTasks; ++i) {
      myr::spawn([](long& x) { x += 3; }, myr::commutative(sum));
    }
    myr::wait(myr::in(sum));
    done_.spawns += kTasks;
    return sum == 3L * kTasks;
  }

  static void sum_below(unsigned depth, long& result) {
    if (depth == 0) {
      result = 1;
      return;
    }
    long left = 0;
    long right = 0;
    myr::spawn(sum_below, depth - 1, myr::out(left));
    myr::spawn(sum_below, depth - 1, myr::out(right));
    myr::wait_all();
    result = left + right;
  }

  bool nest() {
    constexpr unsigned kDepth = 11;
    long leaves = 0;
    myr::spawn(sum_below, kDepth, myr::out(leaves));
    myr::wait(myr::in(leaves));
    done_.spawns += (std::size_t{2} << kDepth) - 1;
    return leaves == 1L << kDepth;
  }

  // Regions that nobody but their maker sees: by main, and by tasks beside each other.
  bool pools() {
    constexpr unsigned kMakers = 8;
    constexpr unsigned kRegions = 1'000;
    const auto make = [](myr::Region around) {
      for (unsigned i = 0; i < kRegions; ++i) {
        myr::Region region = myr::Region::create(around);
        *region.make<unsigned>() = i;
        region.free();
      }
    };
    make(myr::Region::root());
    for (unsigned i = 0; i < kMakers; ++i) {
      myr::Region around = myr::Region::create();
      myr::spawn(make, myr::inout(around));
      around.free();
    }
    myr::wait_all();
    done_.spawns += kMakers;
    done_.regions += std::size_t{kMakers + 1} * kRegions + kMakers;
    return true;
  }

  struct Link {
    Link* next;
    long value;
  };

  // Lists in a region inside a region, built by one task, read by another, freed behind them.
  bool lists() {
    constexpr unsigned kLists = 100;
    constexpr long kLinks = 10;
    std::vector<long> sums(kLists);
    for (unsigned i = 0; i < kLists; ++i) {
      myr::Region outer = myr::Region::create();
      myr::Region inner = myr::Region::create(outer);
      auto** head = outer.make<Link*>(nullptr);
      myr::spawn(myr::uses(myr::inout(outer)), [inner, head]() mutable {
        for (long k = 0; k < kLinks; ++k) *head = inner.make<Link>(*head, k);
      });
      myr::spawn(
          myr::uses(myr::in(outer)),
          [head](long& sum) {
            for (const Link* link = *head; link != nullptr; link = link->next) sum += link->value;
          },
          myr::inout(sums[i]));
      outer.free();
    }
    myr::wait_all();
    done_.spawns += 2 * std::size_t{kLists};
    done_.regions += 2 * std::size_t{kLists};
    return std::ranges::all_of(sums, [](long sum) { return sum == kLinks * (kLinks - 1) / 2; });
  }

  Counts& done_;
};

}  // namespace

int main(int argc, char** argv) {
  Counts wanted{.spawns = 2'000'000, .regions = 500'000};
  kernels::CommandLine line("Spawns tasks and makes regions until both counts are reached.");
  line.add("--spawns", &wanted.spawns, "how many tasks to spawn at least");
  line.add("--regions", &wanted.regions, "how many regions to make at least");
  line.parse(argc, argv);

  Counts done;
  std::uint64_t warm = 0;
  std::uint64_t most = 0;
  const bool is_shown = isatty(STDERR_FILENO) != 0;
  std::size_t next_report = 0;
  for (std::size_t round = 0;
       round <= kWarmRounds || done.spawns < wanted.spawns || done.regions < wanted.regions;
       ++round) {
    if (!Round(done).run()) {
      std::fprintf(stderr, "soak: round %zu did not give the serial result\n", round);
      return 1;
    }
    const std::uint64_t now = myr::tests::resident_bytes();
    if (round < kWarmRounds) warm = std::max(warm, now);
    most = std::max(most, now);
    if (is_shown && done.spawns >= next_report) {
      next_report = done.spawns + wanted.spawns / kReports;
      std::fprintf(stderr, "\rsoak: %zu spawns, %zu regions, %llu KiB", done.spawns, done.regions,
                   static_cast<unsigned long long>(now >> 10));
    }
  }
  if (is_shown) std::fputc('\n', stderr);
  std::printf("%zu spawns, %zu regions; %llu KiB after %zu rounds, %llu KiB at most\n", done.spawns,
              done.regions, static_cast<unsigned long long>(warm >> 10), kWarmRounds,
              static_cast<unsigned long long>(most >> 10));
  if (most <= warm + kGrowthMax) return 0;
  std::fprintf(stderr, "soak: the process grew by more than %llu KiB after its first %zu rounds\n",
               static_cast<unsigned long long>(kGrowthMax >> 10), kWarmRounds);
  return 1;
}
