// SPDX-License-Identifier: Apache-2.0
//
// The fragmentation measurements of paper 2, section 6.2: a serial program allocates and frees
// random objects of one region, and counts how many slabs are full and how many partial.
//
//   one_size   192 B objects; of each 10 steps, about 6 allocate and 4 free
//   phases     192 B objects; phases in which most steps allocate, and phases in which most free
//   six_sizes  the same phases, objects of 64, 192, 1024, 1536, 4096 and 50048 B
//
// Fails if a region that grows is not packed into full slabs: that is what makes it cheap to send.
#include <fmt/core.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "common/command_line.hpp"
#include "mem/heap.hpp"

namespace {

// At the end of a growing phase at most this share of a region's slabs may be partial.
constexpr double kPartialShareMax = 0.05;
constexpr std::size_t kSamples = 500;

constexpr double kSteady[] = {0.6};
constexpr double kPhases[] = {0.8, 0.35, 0.7, 0.25, 0.75};
constexpr std::size_t kOneSize[] = {192};
constexpr std::size_t kSixSizes[] = {64, 1024, 4096, 192, 1536, 50048};

struct Experiment {
  const char* name;
  std::span<const double> alloc_shares;  // of the steps, phase by phase
  std::span<const std::size_t> sizes;
};
constexpr Experiment kExperiments[] = {{"one_size", kSteady, kOneSize},
                                       {"phases", kPhases, kOneSize},
                                       {"six_sizes", kPhases, kSixSizes}};

struct Object {
  void* first;
  std::size_t bytes;
};

// A region under random allocations and frees.
class RandomRegion {
 public:
  explicit RandomRegion(unsigned seed)
      : heap_(myr::mem::Heap::instance()), pool_(heap_.pool_new(1)), random_(seed) {}
  ~RandomRegion() { heap_.pool_free(pool_); }
  RandomRegion(const RandomRegion&) = delete;
  RandomRegion& operator=(const RandomRegion&) = delete;

  void step(double alloc_share, std::span<const std::size_t> sizes) {
    const bool allocates = std::bernoulli_distribution(alloc_share)(random_);
    if (allocates || objects_.empty()) {
      const std::size_t bytes = sizes[random_() % sizes.size()];
      void* const first = heap_.alloc(*pool_, bytes);
      if (first == nullptr) fail("out of memory");
      objects_.push_back({first, bytes});
      requested_bytes_ += bytes;
      return;
    }
    std::swap(objects_[random_() % objects_.size()], objects_.back());
    const Object object = objects_.back();
    objects_.pop_back();
    requested_bytes_ -= object.bytes;
    if (heap_.free(*pool_, object.first) != myr::mem::FreeResult::Ok) fail("an object was lost");
  }

  [[nodiscard]] myr::mem::PoolStats slabs() const { return pool_->stats(); }
  [[nodiscard]] std::size_t requested_bytes() const { return requested_bytes_; }
  [[nodiscard]] std::size_t object_count() const { return objects_.size(); }

 private:
  [[noreturn]] static void fail(const char* what) {
    fmt::print(stderr, "fragmentation: {}\n", what);
    std::exit(1);
  }

  myr::mem::Heap& heap_;
  myr::mem::Pool* pool_;
  std::mt19937 random_;
  std::vector<Object> objects_;
  std::size_t requested_bytes_ = 0;
};

double partial_share(const myr::mem::PoolStats& slabs) {
  const std::size_t used = slabs.full_slabs + slabs.partial_slabs;
  return used == 0 ? 0 : static_cast<double>(slabs.partial_slabs) / static_cast<double>(used);
}

// Runs one experiment; adds its samples to the CSV file, if any. False: a growing phase ended
// badly.
bool run(const Experiment& experiment, std::size_t steps, unsigned seed, std::FILE* csv) {
  RandomRegion region(seed);
  bool packed = true;
  const std::size_t phase_count = experiment.alloc_shares.size();
  const std::size_t sample_every = std::max<std::size_t>(1, steps / kSamples);
  for (std::size_t step = 0; step < steps; ++step) {
    const std::size_t phase = step * phase_count / steps;
    region.step(experiment.alloc_shares[phase], experiment.sizes);
    const bool phase_ends = (step + 1) * phase_count / steps != phase;
    if (csv != nullptr && step % sample_every == 0) {
      const auto slabs = region.slabs();
      fmt::print(csv, "{},{},{},{},{}\n", experiment.name, step, region.requested_bytes(),
                 slabs.full_slabs, slabs.partial_slabs);
    }
    if (!phase_ends) continue;
    const auto slabs = region.slabs();
    const bool grew = experiment.alloc_shares[phase] > 0.5;
    const bool good = !grew || partial_share(slabs) <= kPartialShareMax;
    packed = packed && good;
    fmt::print("{:<11}{:>6}{:>9.0f}%{:>9}{:>11.1f}{:>8}{:>9}{:>9.1f}%{}\n", experiment.name,
               phase + 1, 100 * experiment.alloc_shares[phase], region.object_count(),
               static_cast<double>(region.requested_bytes()) / 1e6, slabs.full_slabs,
               slabs.partial_slabs, 100 * partial_share(slabs), good ? "" : "  TOO MANY");
  }
  return packed;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t steps = 200'000;
  unsigned seed = 1;
  std::string csv_path;
  kernels::CommandLine line(
      "Counts full and partial slabs of a region under random allocations and frees.");
  line.add_number("--steps", &steps, "allocations and frees of each experiment", 1000, 100'000'000);
  line.add("--seed", &seed, "start of the random numbers");
  line.add("--csv", &csv_path, "file for the samples");
  line.parse(argc, argv);

  if (auto heap = myr::mem::Heap::create(); !heap) {
    fmt::print(stderr, "fragmentation: {}\n", heap.error().text);
    return 1;
  }
  std::FILE* const csv = csv_path.empty() ? nullptr : std::fopen(csv_path.c_str(), "w");
  if (!csv_path.empty() && csv == nullptr) {
    std::perror(csv_path.c_str());
    return 1;
  }
  if (csv != nullptr) fmt::print(csv, "run,step,requested_bytes,full_slabs,partial_slabs\n");
  fmt::print("at the end of a phase:\n{:<11}{:>6}{:>10}{:>9}{:>11}{:>8}{:>9}{:>10}\n", "run",
             "phase", "allocs", "objects", "MB asked", "full", "partial", "share");
  bool packed = true;
  for (const Experiment& experiment : kExperiments) {
    packed = run(experiment, steps, seed, csv) && packed;
  }
  if (csv != nullptr) std::fclose(csv);
  if (!packed) {
    fmt::print("WRONG: a growing phase ended with more than {:.0f}% partial slabs\n",
               100 * kPartialShareMax);
    return 1;
  }
  fmt::print("packed: at most {:.0f}% of the slabs are partial after each growing phase\n",
             100 * kPartialShareMax);
  return 0;
}
