// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Footprints" and "Ends": what a task may hand on, and what happens when it
// ends before its children. (What it may not hand on: tests/misuse.)
#include <algorithm>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

struct Node {
  Region left_region;
  Region right_region;
  Node* left;
  Node* right;
  std::uint64_t value;
};

Node* build(Region region, unsigned depth, std::uint64_t value) {
  Node* node = region.make<Node>(Region(), Region(), nullptr, nullptr, value);
  if (depth == 0) return node;
  node->left_region = Region::create(region);
  node->right_region = Region::create(region);
  node->left = build(node->left_region, depth - 1, 2 * value);
  node->right = build(node->right_region, depth - 1, 2 * value + 1);
  return node;
}

void process(Node* node) {
  node->value = node->value * 7 + 1;
  if (node->left == nullptr) return;
  spawn([](Region, Node* n) { process(n); }, inout(node->left_region), node->left);
  spawn([](Region, Node* n) { process(n); }, inout(node->right_region), node->right);
}

std::uint64_t sum(const Node* node) {
  return node == nullptr ? 0 : node->value + sum(node->left) + sum(node->right);
}

}  // namespace

TEST_CASE("a child's accesses lie inside its parent's") {
  Region region = Region::create();
  int* a = region.make<int>(1);
  int* b = region.make<int>(2);
  spawn(
      [](Region, int* p, int* q) {
        spawn([](int* x) { *x += 10; }, inout(p));  // parts of the region, one by one
        spawn([](int* x) { *x += 20; }, inout(q));
      },
      inout(region), a, b);
  wait(in(region));
  CHECK(*a == 11);
  CHECK(*b == 22);
  region.free();
}

TEST_CASE("accesses of a task that overlap are handed on one by one") {
  Region region = Region::create();
  int* a = region.make_array<int>(8);
  int* b = region.make<int>(1);
  std::fill(a, a + 8, 1);
  const auto add = [](int* p) { *p += 10; };
  for (int i = 0; i < 4; ++i) {
    spawn(
        [add](Region, int* p, const int* q) {
          *p += *q;
          spawn(add, inout(p));
          spawn(add, inout(p));
        },
        in(region), inout(a), b);
    spawn([add](const int*, int* p) { spawn(add, inout(p, 1)); }, in(a), inout(a + 2, 3));
    spawn([](int* p) { *p *= 2; }, inout(b));
  }
  wait(in(region));
  CHECK(a[0] == 96);
  CHECK(a[1] == 1);
  CHECK(a[2] == 41);
  CHECK(*b == 16);
  region.free();
}

TEST_CASE("out lets a task read what it wrote, and its children too") {
  int* x = Region::root().make<int>(0);
  int result = 0;
  spawn(
      [](int* p, int& r) {
        *p = 5;
        spawn([](const int* q, int& s) { s = *q; }, in(p), out(r));
      },
      out(x), out(result));
  wait_all();
  CHECK(result == 5);
  destroy(x);
}

TEST_CASE("main holds everything, and region 0 is an access like any other") {
  int* x = Region::root().make<int>(1);
  Region region = Region::create();
  int* y = region.make<int>(1);
  const auto work = [](Region, int* p, int* q) { *p += *q; };
  spawn([](int* p) { *p = 5; }, inout(y));
  spawn(work, inout(Region::root()), x,
        y);  // all there is: after everything before, before everything behind
  spawn([](int* p) { *p *= 2; }, inout(x));
  wait_all();
  CHECK(*x == 12);
  region.free();
  destroy(x);
}

TEST_CASE("other memory is the task's own unless its parent declared it") {
  int total = 0;
  spawn(
      [](int& result) {
        int parts[2] = {};  // on this task's stack
        spawn([](int& part) { part = 20; }, out(parts[0]));
        spawn([](int& part) { part = 22; }, out(parts[1]));
        wait(in(parts));  // before the array goes out of scope
        result = parts[0] + parts[1];
      },
      out(total));
  wait_all();
  CHECK(total == 42);
}

TEST_CASE("a part of a declared range may be handed on") {
  std::vector<int> numbers(1000, 1);
  spawn(
      [](int* all) {
        for (int i = 0; i < 10; ++i) {
          spawn(
              [](int* part) {
                for (int j = 0; j < 100; ++j) part[j] += 1;
              },
              inout(all + 100 * i, 100));
        }
      },
      inout(numbers.data(), numbers.size()));
  wait_all();
  CHECK(numbers == std::vector<int>(1000, 2));
}

TEST_CASE("a task may end before its children; who waits for its memory waits for them") {
  Region top = Region::create();
  Node* root = build(top, 8, 1);
  std::uint64_t total = 0;
  spawn([](Region, Node* n) { process(n); }, inout(top), root);  // ends at once, its children go on
  spawn([](Region, const Node* n, std::uint64_t& s) { s = sum(n); }, in(top), root, out(total));
  wait_all();
  CHECK(total == 7 * (511 * 512 / 2) + 511);
  top.free();
}

TEST_CASE("parts of an ended task's region are passed on one by one") {
  Region top = Region::create();
  Region slow = Region::create(top);
  Region fast = Region::create(top);
  int* a = slow.make<int>(1);
  int* b = fast.make<int>(1);
  const auto work = [](Region, int* p) { *p += 1; };
  spawn(
      [=](Region) {
        spawn(work, inout(slow), a);
        spawn(work, inout(fast), b);
      },
      inout(top));
  spawn([](Region, int* p) { *p *= 10; }, inout(fast), b);  // waits for the second child only
  wait(in(top));
  CHECK(*a == 2);
  CHECK(*b == 20);
  top.free();
}

// On a tree a task whose children its node keeps has ended when they have.
TEST_CASE("a sub-region is free as soon as its own last task is done") {
  if (!is_parallel() || is_machine("tree")) return;
  Region top = Region::create();
  Region slow = Region::create(top);
  Region fast = Region::create(top);
  std::atomic<bool> fast_is_free{false};
  Spawning main_spawns;
  Spawning parent_spawns;
  const auto work_slowly = [&](Region) {
    if (main_spawns.is_below_us() || parent_spawns.is_below_us()) return;
    await([&] { return fast_is_free.load(); });
  };
  main_spawns.begin();
  spawn(
      [&](Region) {
        parent_spawns.begin();
        spawn(work_slowly, inout(slow));
        spawn([](Region) {}, inout(fast));
        parent_spawns.end();
      },
      inout(top));
  spawn([&](Region) { fast_is_free = true; }, inout(fast));  // does not wait for the slow child
  main_spawns.end();
  wait_all();
  CHECK(fast_is_free);
  top.free();
}

TEST_CASE("a child on the parent's whole region comes before a later one on a part") {
  Region region = Region::create();
  int* x = region.make<int>(1);
  spawn(
      [](Region r, int* p) {
        spawn([](Region, int* q) { *q += 1; }, inout(r),
              p);                                             // all of the parent's region
        spawn([](int* q) { *q *= 10; }, inout(p));            // then a part of it
        spawn([](Region, int* q) { *q += 3; }, inout(r), p);  // then all again
      },
      inout(region), x);
  wait(in(region));
  CHECK(*x == 23);
  region.free();
}

TEST_CASE("what a parent holds only as an object is found by who waits for the region") {
  Region outer = Region::create();
  Region inner = Region::create(outer);
  int* x = inner.make<int>(1);
  spawn([](int* p) { spawn([](int* q) { *q = 5; }, inout(p)); }, inout(x));
  spawn([](Region, int* q) { *q *= 2; }, inout(outer), x);
  wait_all();
  CHECK(*x == 10);
  outer.free();
}

}  // namespace myr::conformance
