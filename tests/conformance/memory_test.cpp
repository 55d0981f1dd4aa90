// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Memory": objects and regions, and the waits that are part of freeing them.
#include <algorithm>
#include <cstring>
#include <tuple>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("objects are aligned to 64 bytes, and no bytes are no object") {
  Region region = Region::create();
  for (std::size_t bytes = 1; bytes < 10000; bytes = bytes * 3 / 2 + 1) {
    void* object = myr_alloc(bytes, region.id());
    CHECK(reinterpret_cast<std::uintptr_t>(object) % 64 == 0);
    std::memset(object, 1, bytes);
  }
  CHECK(myr_alloc(0, region.id()) == nullptr);
  myr_free(nullptr);  // nothing
  region.free();
}

TEST_CASE("many objects at once") {
  Region region = Region::create();
  int* rows[100];
  myr_alloc_many(sizeof(int), region.id(), 100, rows);
  for (int i = 0; i < 100; ++i) *rows[i] = i;
  for (int i = 0; i < 100; ++i) CHECK(*rows[i] == i);
  myr_alloc_many(sizeof(int), region.id(), 0, rows);  // none
  myr_alloc_many(0, region.id(), 1, rows);
  CHECK(rows[0] == nullptr);
  region.free();
}

TEST_CASE("realloc keeps the content, and moves between regions") {
  Region from = Region::create();
  Region to = Region::create();
  auto* text = static_cast<char*>(myr_realloc(nullptr, 10, from.id()));  // allocates
  std::strcpy(text, "myrmidon");
  text = static_cast<char*>(myr_realloc(text, 5000, from.id()));  // grows
  text = static_cast<char*>(myr_realloc(text, 9, to.id()));       // shrinks, and moves
  from.free();
  CHECK(std::strcmp(text, "myrmidon") == 0);
  CHECK(myr_realloc(text, 0, to.id()) == nullptr);  // frees
  to.free();
}

TEST_CASE("tasks allocate, free, and create and free regions in what they hold for writing") {
  Region region = Region::create();
  int* old = region.make<int>(1);
  int result = 0;
  spawn(
      [](Region r, int* p, int& sum) {
        Region scratch = Region::create(r);
        int* numbers = scratch.make_array<int>(1000);
        numbers[999] = 7;
        sum = numbers[999] + *p;
        scratch.free();  // with all in it
        myr_free(p);     // in r, but no argument of its own
      },
      inout(region), old, out(result));
  wait_all();
  CHECK(result == 8);
  region.free();
}

TEST_CASE("freeing waits for the caller's tasks that use the object") {
  int* x = Region::root().make<int>(1);
  int seen = 0;
  spawn([](const int* p, int& s) { s = *p; }, in(x), out(seen));
  myr_free(x);
  wait(in(seen));
  CHECK(seen == 1);
}

TEST_CASE("freeing a region waits for the caller's tasks in it, and frees all below") {
  Region region = Region::create();
  Region inner = Region::create(region);
  int* x = inner.make<int>(3);
  int seen = 0;
  spawn(
      uses(inout(inner)),
      [](int* p, int& s) { spawn([](const int* q, int& t) { t = *q; }, in(p), out(s)); }, x,
      out(seen));
  region.free();
  wait(in(seen));
  CHECK(seen == 3);
}

TEST_CASE("memory is freed right behind the tasks that have used it, time and again") {
  Region region = Region::create(Region::root(), 9);  // on trees not where those in it are
  int sum = 0;
  constexpr int kRounds = 30;
  spawn(
      [](Region all, int& s) {
        for (int round = 0; round < kRounds; ++round) {
          Region left = Region::create(all);
          Region right = Region::create(all);
          int* const a = left.make<int>(1);
          int* const b = right.make<int>(1);
          const auto add = [](int& x, int& y, int& t) {
            std::this_thread::sleep_for(std::chrono::microseconds(300));
            t += x + y;
          };
          spawn(add, inout(*a), inout(*b), inout(s));
          myr_free(a);
          wait_all();
          myr_free(b);
          left.free();
          right.free();
        }
      },
      inout(region), inout(sum));
  wait_all();
  CHECK(sum == 2 * kRounds);
  region.free();
}

TEST_CASE("allocating waits for the caller's tasks that may do the same") {
  Region region = Region::create();
  constexpr int kCount = 200;
  int* mine[kCount];
  for (int i = 0; i < kCount; ++i) {
    spawn(
        [](Region r) {
          for (int j = 0; j < 5; ++j) *r.make<int>(0) = 1;
        },
        inout(region));
    mine[i] = region.make<int>(i);
  }
  wait_all();
  for (int i = 0; i < kCount; ++i) CHECK(*mine[i] == i);
  region.free();
}

TEST_CASE("a freed region's id never comes back") {
  std::vector<myr_region> ids;
  for (int i = 0; i < 100; ++i) {
    ids.push_back(myr_region_new(MYR_ROOT, 0));
    CHECK(ids.back() != MYR_ROOT);
    myr_region_free(ids.back());
  }
  std::sort(ids.begin(), ids.end());
  CHECK(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
}

TEST_CASE("a region's end destroys what was made in it") {
  static int alive;
  struct Counted {
    Counted() { ++alive; }
    ~Counted() { --alive; }
  };
  alive = 0;
  Region region = Region::create();
  auto* array = Region::create(region).make_array<Counted>(4);
  std::ignore = region.make<Counted>();
  CHECK(alive == 5);
  destroy(array);
  CHECK(alive == 1);
  region.free();
  CHECK(alive == 0);
  destroy(static_cast<Counted*>(nullptr));
}

TEST_CASE("an owned region is freed where its owner's life ends") {
  int result = 0;
  {
    OwnedRegion tree;
    int* x = tree.make<int>(1);
    spawn([](Region inside, int* p) { *p += *inside.make<int>(2); }, inout(tree), x);
    spawn([](Region, const int* p, int& r) { r = *p; }, in(tree), x, out(result));
  }
  wait(in(result));
  CHECK(result == 3);
}

TEST_CASE("a region may hold large and small objects at once, many times over") {
  for (int round = 0; round < 20; ++round) {
    Region region = Region::create();
    for (int i = 0; i < 50; ++i) {
      spawn(
          uses(inout(region)),
          [](myr_region id, int seed) {
            for (std::size_t bytes = 8; bytes < 300000; bytes *= 7) {
              auto* object = static_cast<unsigned char*>(myr_alloc(bytes, id));
              std::memset(object, seed, bytes);
              if (bytes > 1000) myr_free(object);
            }
          },
          region.id(), i);
    }
    region.free();
  }
}

// On a chip with caches it takes time, too; so a task that says what it goes through is not charged
// for all that it declares.
TEST_CASE("a task may say which memory it goes through") {
  constexpr std::size_t kBytes = 1 << 20;
  auto* const object = static_cast<char*>(myr_alloc(kBytes, MYR_ROOT));
  const auto cycles_of = [object](std::size_t bytes) {
    const std::uint64_t start = myr_cycles();
    spawn(
        [bytes](char* first) {
          first[0] = 1;
          if (bytes != kBytes) myr_touch(first, bytes / 2, 2, kBytes / 2, MYR_INOUT);
        },
        inout(object, kBytes));
    wait_all();
    return myr_cycles() - start;
  };
  const std::uint64_t all = cycles_of(kBytes);
  const std::uint64_t some = cycles_of(64);
  CHECK(object[0] == 1);
  if (is_machine("sim:scc")) CHECK(some < all / 2);
  myr_free(object);
}

}  // namespace myr::conformance
