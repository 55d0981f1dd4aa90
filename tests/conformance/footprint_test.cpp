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
  spawn(uses(inout(node->left_region)), [](Node* n) { process(n); }, node->left);
  spawn(uses(inout(node->right_region)), [](Node* n) { process(n); }, node->right);
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
      uses(inout(region)),
      [](int* p, int* q) {
        spawn([](int* x) { *x += 10; }, inout(p));  // parts of the region, one by one
        spawn([](int* x) { *x += 20; }, inout(q));
      },
      a, b);
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
        uses(in(region)),
        [add](int* p, const int* q) {
          *p += *q;
          spawn(add, inout(p));
          spawn(add, inout(p));
        },
        inout(a), b);
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
  const auto work = [](int* p, int* q) { *p += *q; };
  spawn([](int* p) { *p = 5; }, inout(y));
  spawn(uses(inout(Region::root())), work, x,
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
  spawn(uses(inout(top)), [](Node* n) { process(n); }, root);  // ends at once, its children go on
  spawn(uses(in(top)), [](const Node* n, std::uint64_t& s) { s = sum(n); }, root, out(total));
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
  const auto work = [](int* p) { *p += 1; };
  spawn(uses(inout(top)), [=] {
    spawn(uses(inout(slow)), work, a);
    spawn(uses(inout(fast)), work, b);
  });
  spawn(uses(inout(fast)), [](int* p) { *p *= 10; }, b);  // waits for the second child only
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
  const auto work_slowly = [&] {
    if (main_spawns.is_below_us() || parent_spawns.is_below_us()) return;
    await([&] { return fast_is_free.load(); });
  };
  main_spawns.begin();
  spawn(uses(inout(top)), [&] {
    parent_spawns.begin();
    spawn(uses(inout(slow)), work_slowly);
    spawn(uses(inout(fast)), [] {});
    parent_spawns.end();
  });
  spawn(uses(inout(fast)), [&] { fast_is_free = true; });  // does not wait for the slow child
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
        spawn(uses(inout(r)), [](int* q) { *q += 1; },
              p);                                           // all of the parent's region
        spawn([](int* q) { *q *= 10; }, inout(p));          // then a part of it
        spawn(uses(inout(r)), [](int* q) { *q += 3; }, p);  // then all again
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
  spawn(uses(inout(outer)), [](int* q) { *q *= 2; }, x);
  wait_all();
  CHECK(*x == 10);
  outer.free();
}

}  // namespace myr::conformance
