// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Limits": deep nesting, a million live tasks, large closures.
#include <sys/resource.h>

#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "resident_bytes.hpp"
#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr unsigned kNesting = 64;

// A task a level: changes the object of its level, then hands the rest of the regions down.
void descend(const std::vector<Region>& regions, const std::vector<std::uint64_t*>& objects,
             unsigned level) {
  *objects[level] += level;
  if (level + 1 == regions.size()) return;
  spawn(uses(inout(regions[level + 1])),
        [&regions, &objects, level] { descend(regions, objects, level + 1); });
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr unsigned kMillion = 50'000;
#else
constexpr unsigned kMillion = 1'000'000;
#endif

// On machines of agents each task of a chain costs a few messages, and threads that wake up.
unsigned many_tasks() {
  if (is_machine("master")) return 4'000;  // beyond 4,096 main waits, and lets nobody go
  const bool is_slow = is_of_agents() || is_chaotic();
  return is_slow ? kMillion / 50 : kMillion;
}
std::uint64_t bytes_per_task_max() { return is_of_agents() ? 4096 : 256; }

// What else may become resident meanwhile: stacks, tables; with a sanitizer its shadow, too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint64_t kOtherBytesMax = std::uint64_t{1} << 30;
#else
constexpr std::uint64_t kOtherBytesMax = std::uint64_t{64} << 20;
#endif

// Holds a task back until main has spawned all others; unless main runs it while it spawns.
class Held {
 public:
  Held() { main_spawns_.begin(); }
  // By the task.
  void back() {
    began_ = true;
    if (!main_spawns_.is_below_us()) await([this] { return let_go_.load(); });
  }
  // By main: sees to it that another worker has the task, if there is one.
  void give_away() const {
    if (is_parallel()) await([this] { return began_.load(); });
  }
  void let_go() {
    main_spawns_.end();
    let_go_ = true;
  }

 private:
  Spawning main_spawns_;
  std::atomic<bool> began_{false};
  std::atomic<bool> let_go_{false};
};

}  // namespace

TEST_CASE("regions and tasks nest at least 64 deep") {
  for (const unsigned depth : {kNesting, 10 * kNesting}) {
    std::vector<Region> regions;
    std::vector<std::uint64_t*> objects;
    for (unsigned level = 0; level < depth; ++level) {
      regions.push_back(Region::create(level == 0 ? Region::root() : regions.back()));
      objects.push_back(regions.back().make<std::uint64_t>(std::uint64_t{1}));
    }
    spawn([](std::uint64_t* p) { *p = 100; }, inout(objects.back()));
    spawn(uses(inout(regions.front())), [&] { descend(regions, objects, 0); });
    std::uint64_t total = 0;
    spawn(
        uses(in(regions.front())),
        [&objects](std::uint64_t& sum) {
          for (const std::uint64_t* object : objects) sum += *object;
        },
        inout(total));
    wait_all();
    CHECK(total == 99 + depth + depth * (depth - 1) / 2);
    regions.front().free();
  }
}

TEST_CASE("a million tasks may be alive at once") {
  auto* x = Region::root().make<std::uint64_t>(0u);
  const std::uint64_t before = tests::resident_bytes();
  Held held;
  spawn([&](std::uint64_t*) { held.back(); }, inout(x));
  held.give_away();
  for (unsigned i = 0; i < many_tasks(); ++i) spawn([](std::uint64_t* p) { *p += 1; }, inout(x));
  const std::uint64_t now = tests::resident_bytes();
  held.let_go();
  wait(in(x));
  CHECK(*x == many_tasks());
  CHECK(now < before + many_tasks() * bytes_per_task_max() + kOtherBytesMax);
  destroy(x);
}

TEST_CASE("a million readers may be alive at once, and a writer behind them") {
  std::atomic<unsigned> count{0};
  auto* x = Region::root().make<unsigned>(0u);
  Held held;
  spawn([&](unsigned*) { held.back(); }, inout(x));
  held.give_away();
  for (unsigned i = 0; i < many_tasks(); ++i) {
    spawn([&](const unsigned*) { count.fetch_add(1, std::memory_order_relaxed); }, in(x));
  }
  spawn([&](unsigned* p) { *p = count.load(); }, inout(x));
  held.let_go();
  wait(in(x));
  CHECK(*x == many_tasks());
  destroy(x);
}

TEST_CASE("memory does not grow with the tasks that have used an array with blocks") {
  constexpr unsigned kBlocks = 128;
  constexpr std::size_t kPerBlock = 512;
  auto* array = Region::root().make_blocks<std::uint64_t>(kBlocks * kPerBlock, 4096);
  constexpr unsigned kLaps = 3;
  const unsigned per_lap = many_tasks();
  const auto run = [&] {
    for (unsigned i = 0; i < per_lap; ++i) {
      spawn([](std::uint64_t* p) { *p += 1; }, inout(array + i % kBlocks * kPerBlock, 1));
    }
    wait(in(array));
  };
  run();
  const std::uint64_t before = tests::resident_bytes();
  for (unsigned lap = 1; lap < kLaps; ++lap) run();
  const std::uint64_t now = tests::resident_bytes();
  CHECK(now < before + kOtherBytesMax);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < kBlocks; ++i) sum += array[i * kPerBlock];
  CHECK(sum == std::uint64_t{kLaps} * per_lap);
  myr_free(array);
}

TEST_CASE("a closure may be large") {
  std::array<int, 5000> numbers{};
  std::iota(numbers.begin(), numbers.end(), 0);
  int sum = 0;
  spawn([numbers](int& s) { s = std::accumulate(numbers.begin(), numbers.end(), 0); }, out(sum));
  wait(in(sum));
  CHECK(sum == 5000 * 4999 / 2);
}

TEST_CASE("a deep chain of tasks, each spawned by the one before") {
  if (!shares_memory()) return;
  static std::atomic<unsigned> ended;
  ended = 0;
  struct Chain {
    static void link(unsigned left) {
      ++ended;
      if (left != 0) spawn([](unsigned rest) { link(rest); }, left - 1);
    }
  };
  spawn([] { Chain::link(2000); });
  wait_all();
  CHECK(ended == 2001);
}

}  // namespace myr::conformance
