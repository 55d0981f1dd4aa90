// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Cancelling".
#include <memory>
#include <string>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("tasks of a cancelled region that have not begun do not run") {
  Region search = Region::create();
  std::atomic<int> ran{0};
  int after = 0;
  spawn(uses(inout(search)), [&ran, search] {
    ++ran;
    search.cancel();  // found it: the others may rest
  });
  for (int i = 0; i < 100; ++i) spawn(uses(inout(search)), [&ran] { ++ran; });
  spawn(uses(in(search)), [&after](int& a) { a = 1; }, out(after));
  spawn([](int& a) { a += 10; }, inout(after));  // has nothing to do with the region
  wait_all();
  CHECK(ran == 1);
  CHECK(after == 10);
  search.free();
}

TEST_CASE("tasks that are spawned on a cancelled region do not run either, until it is freed") {
  if (!shares_memory()) return;
  Region region = Region::create();
  Region other = Region::create();
  static std::atomic<int> ran;
  ran = 0;
  region.cancel();
  spawn(uses(inout(region)), [] { ++ran; });
  spawn(uses(inout(other)), [] { ran += 10; });
  spawn(priority(3), uses(in(region)), [] { ++ran; });
  const myr_access access = myr_inout_region(region.id());
  myr_spawn_array([](const myr_access*) { ++ran; }, &access, 1);
  myr_spawn_priority(2, [](const myr_access*) { ++ran; }, access);
  wait_all();
  CHECK(ran == 10);
  region.free();
  Region fresh = Region::create();
  spawn(uses(inout(fresh)), [] { ++ran; });
  wait_all();
  CHECK(ran == 11);
  fresh.free();
  other.free();
}

TEST_CASE("a task that runs may ask whether it is cancelled, and go on") {
  Region region = Region::create();
  bool before = true;
  bool then = false;
  spawn(
      uses(inout(region)),
      [region](bool& was, bool& is) {
        was = is_cancelled();
        region.cancel();
        is = is_cancelled();
      },
      out(before), out(then));
  wait_all();
  CHECK(!before);
  CHECK(then);
  CHECK(!is_cancelled());  // main
  region.free();
}

TEST_CASE("what lies in a cancelled region is cancelled with it, where that is known") {
  Region region = Region::create();
  Region inner = Region::create(region);
  int* x = inner.make<int>(0);
  region.cancel();
  spawn([](int* p) { *p = 1; }, inout(x));
  spawn(uses(inout(inner)), [](int* p) { *p += 2; }, x);
  wait_all();
  CHECK(*x == (is_machine("mpi") ? 3 : 0));
  region.free();
}

TEST_CASE("parts of a loop on a cancelled region do not run") {
  if (!shares_memory()) return;
  Region region = Region::create();
  std::atomic<int> ran{0};
  const auto held = std::make_shared<int>(0);
  region.cancel();
  for_each(Range{0, 100}, in(region), [&ran, held](std::size_t) { ++ran; });
  for_each(grain(10), Range{0, 100}, inout(region), [&ran, held](std::size_t) { ++ran; });
  wait_all();
  CHECK(ran == 0);
  CHECK(held.use_count() == 1);
  region.free();
}

TEST_CASE("parts of a loop over objects of a cancelled region destroy its body") {
  if (!shares_memory()) return;
  Region region = Region::create();
  std::vector<int*> objects;
  for (int i = 0; i < 20; ++i) objects.push_back(region.make<int>(0));
  const auto held = std::make_shared<int>(0);
  region.cancel();
  for_each(grain(1), Range{0, 20}, inout(each(objects).inside(region), part),
           [&objects, held](std::size_t i) { *objects[i] += 1; });
  wait_all();
  for (const int* const object : objects) CHECK(*object == 0);
  CHECK(held.use_count() == 1);
  region.free();
}

TEST_CASE("what the closure of a cancelled task holds is destroyed") {
  Region region = Region::create();
  region.cancel();
  const auto held = std::make_shared<std::string>("held");
  for (int i = 0; i < 10; ++i) spawn(uses(inout(region)), [held] {});
  wait_all();
  CHECK(held.use_count() == 1);
  region.free();
}

TEST_CASE("regions are cancelled and freed beside many tasks") {
  if (!shares_memory()) return;
  static std::atomic<int> ran;
  ran = 0;
  for (int i = 0; i < 50; ++i) {
    spawn([] {
      spawn([] { ++ran; });
      wait_all();
    });
    Region region = Region::create();
    for (int j = 0; j < 5; ++j) spawn(uses(inout(region)), [] {});
    region.cancel();
    for (int j = 0; j < 5; ++j) spawn(uses(inout(region)), [] { ran -= 1000; });
    region.free();
  }
  wait_all();
  CHECK(ran == 50);
}

}  // namespace myr::conformance
