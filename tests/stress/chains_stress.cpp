// SPDX-License-Identifier: Apache-2.0
//
// Depth: tasks in tasks, waits in waits, ended tasks in ended tasks. What the runtime does level by
// level must not use the stack for it.
#include "conformance/support.hpp"

using namespace myr;
using conformance::await;
using conformance::is_of_agents;
using conformance::is_parallel;
using conformance::Spawning;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr unsigned kChain = 5'000;
constexpr unsigned kWaits = 300;
constexpr unsigned kRegions = 10'000;
constexpr unsigned kFib = 14;
#else
constexpr unsigned kChain = 100'000;
constexpr unsigned kWaits = 3'000;
constexpr unsigned kRegions = 300'000;
constexpr unsigned kFib = 22;
#endif

unsigned depth_by_waits(unsigned left) {
  if (left == 0) return 0;
  unsigned below = 0;
  spawn([left](unsigned& result) { result = depth_by_waits(left - 1); }, out(below));
  wait_all();
  return below + 1;
}

// Each task waits for its two children.
unsigned fib(unsigned n) {
  if (n < 2) return n;
  unsigned one = 0;
  unsigned other = 0;
  spawn([n](unsigned& result) { result = fib(n - 1); }, out(one));
  spawn([n](unsigned& result) { result = fib(n - 2); }, out(other));
  wait_all();
  return one + other;
}

void chain(unsigned left, std::atomic<unsigned>& ran) {
  ++ran;
  if (left > 1) {
    spawn([left, &ran] { chain(left - 1, ran); });
  }
}

// A chain in which each task hands two objects on to the next one and ends. The last one waits
// until main has spawned others behind the first.
struct Relay {
  Spawning spawning;
  std::atomic<unsigned> ran{0};
  std::atomic<bool> others_spawned{false};

  void pass_on(unsigned left, int& x, int& y) {
    ++ran;
    if (left > 1) {
      spawn([this, left](int& a, int& b) { pass_on(left - 1, a, b); }, inout(x), inout(y));
      return;
    }
    if (!spawning.is_below_us()) await([this] { return others_spawned.load(); });
    x += 1;
    y += 1;
  }
};

}  // namespace

TEST_CASE("waits nest deep") { CHECK(depth_by_waits(kWaits) == kWaits); }

// In any order, tens of thousands of tasks would begin before any ends.
TEST_CASE("a tree of tasks that wait: the deepest go first, so few wait at a time") {
  unsigned before = 0;
  unsigned last = 1;
  for (unsigned i = 1; i < kFib; ++i) before = std::exchange(last, last + before);
  CHECK(fib(kFib) == last);
}

TEST_CASE("a long chain of tasks that each spawn one and end") {
  std::atomic<unsigned> ran{0};
  spawn([&] { chain(kChain, ran); });
  wait_all();
  CHECK(ran == kChain);
}

TEST_CASE("tasks and waits behind a long chain of ended tasks") {
  int x = 0;
  int y = 0;
  for (const bool by_wait : {false, true}) {
    Relay relay;
    relay.spawning.begin();
    spawn([&](int& a, int& b) { relay.pass_on(kChain, a, b); }, inout(x), inout(y));
    if (is_parallel() && !is_of_agents()) await([&] { return relay.ran == kChain; });
    if (!by_wait) {
      spawn([](int& a, int& b) { a *= 10, b *= 20; }, inout(x), inout(y));
    }
    relay.spawning.end();
    relay.others_spawned = true;
    if (by_wait) {
      wait(in(x), in(y));
      CHECK(x == 11);
      CHECK(y == 21);
    }
    wait_all();
    CHECK(relay.ran == kChain);
  }
}

TEST_CASE("chains that end from below on several workers") {
  std::atomic<unsigned> ran{0};
  for (int i = 0; i < 8; ++i) {
    spawn([&] { chain(kChain / 10, ran); });
  }
  wait_all();
  CHECK(ran == 8 * (kChain / 10));
}

TEST_CASE("regions inside each other, used as a whole and freed") {
  const Region top = Region::create(Region::root());
  Region innermost = top;
  for (unsigned level = 0; level < (is_of_agents() ? kRegions / 10 : kRegions); ++level) {
    innermost = Region::create(innermost);
  }
  int* x = innermost.make<int>(1);
  int seen = 0;
  spawn([](int* p) { *p += 1; }, inout(x));
  spawn(uses(inout(top)), [x] { *x *= 10; });
  spawn(uses(inout(top)), [x] { *x += 3; });
  spawn([](const int* p, int& result) { result = *p; }, in(x), out(seen));
  wait(in(seen));
  CHECK(seen == 23);
  top.free();
}
