// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Order": tasks on overlapping memory run in spawn order, readers together.
#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

TEST_CASE("writers and readers of an object run in spawn order") {
  int* x = Region::root().make<int>(1);
  int* y = Region::root().make<int>(0);
  spawn([](int* p) { *p = 2; }, out(x));
  spawn([](const int* p, int* q) { *q = *p * 10; }, in(x), out(y));
  spawn([](int* p) { *p += 1; }, inout(x));
  wait_all();
  CHECK(*x == 3);
  CHECK(*y == 20);
  destroy(x);
  destroy(y);
}

TEST_CASE("a chain of many writers of one object keeps its order") {
  auto* hash = Region::root().make<std::uint64_t>(0u);
  std::uint64_t expected = 0;
  for (std::uint64_t i = 0; i < 5000; ++i) {
    spawn([](std::uint64_t* h, std::uint64_t number) { *h = *h * 31 + number; }, inout(hash), i);
    expected = expected * 31 + i;
  }
  wait(in(hash));
  CHECK(*hash == expected);
  destroy(hash);
}

TEST_CASE("readers run together") {
  if (!is_parallel()) return;
  int* x = Region::root().make<int>(7);
  std::atomic<int> arrived{0};
  Spawning main_spawns;
  main_spawns.begin();
  const auto meet = [&](const int*) {
    ++arrived;
    if (!main_spawns.is_below_us()) await([&] { return arrived == 2; });
  };
  spawn(meet, in(x));
  spawn(meet, in(x));
  main_spawns.end();
  wait_all();
  CHECK(arrived == 2);
  destroy(x);
}

TEST_CASE("as many tasks run at a time as there are workers, main's among them") {
  if (!is_parallel() || is_machine("master")) return;  // its main runs no tasks
  const int count = static_cast<int>(myr_worker_count());
  std::atomic<int> arrived{0};
  Spawning main_spawns;
  main_spawns.begin();
  const auto meet = [&] {
    ++arrived;
    if (!main_spawns.is_below_us()) await([&] { return arrived == count; });
  };
  for (int i = 0; i < count; ++i) spawn(meet);
  main_spawns.end();
  wait_all();
  CHECK(arrived == count);
}

TEST_CASE("a writer waits for all readers before it, and readers behind it for the writer") {
  constexpr int kReaders = 20;
  int* x = Region::root().make<int>(1);
  int seen[2 * kReaders] = {};
  const auto read = [](const int* p, int& result) { result = *p; };
  for (int i = 0; i < kReaders; ++i) spawn(read, in(x), out(seen[i]));
  spawn([](int* p) { *p = 2; }, inout(x));
  for (int i = kReaders; i < 2 * kReaders; ++i) spawn(read, in(x), out(seen[i]));
  wait_all();
  CHECK(std::all_of(seen, seen + kReaders, [](int value) { return value == 1; }));
  CHECK(std::all_of(seen + kReaders, seen + 2 * kReaders, [](int value) { return value == 2; }));
  destroy(x);
}

TEST_CASE("ranges of bytes conflict where they overlap") {
  int* row = Region::root().make_array<int>(100);
  spawn([](int* p) { std::fill(p, p + 50, 1); }, out(row, 50));
  spawn([](int* p) { std::fill(p, p + 50, 2); }, out(row + 50, 50));  // runs beside the first
  spawn(
      [](int* p) {
        for (int i = 0; i < 20; ++i) p[i] *= 10;
      },
      inout(row + 40, 20));  // after both
  wait(in(row));
  CHECK(std::accumulate(row, row + 100, 0) == 40 * 1 + 10 * 10 + 10 * 20 + 40 * 2);
  destroy(row);
}

TEST_CASE("partial overlaps at either end, inside and around") {
  std::vector<std::uint64_t> numbers(64, 1);
  std::vector<std::uint64_t> expected = numbers;
  std::uint64_t random = 12345;
  for (int i = 0; i < 400; ++i) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const std::size_t first = (random >> 33) % 64;
    const std::size_t count = 1 + (random >> 50) % (64 - first);
    const auto step = [](std::uint64_t* p, std::size_t n, int k) {
      for (std::size_t j = 0; j < n; ++j) p[j] = p[j] * 3 + static_cast<std::uint64_t>(k);
    };
    spawn(step, inout(numbers.data() + first, count), count, i);
    step(expected.data() + first, count, i);
  }
  wait_all();
  CHECK(numbers == expected);
}

TEST_CASE("tiles of a matrix") {
  constexpr std::size_t n = 8;
  std::vector<double> matrix(n * n, 1.0);
  double* a = matrix.data();
  const auto scale = [](Tile<double> t, double factor) {
    for (std::size_t i = 0; i < t.rows; ++i) {
      for (std::size_t j = 0; j < t.columns; ++j) t(i, j) *= factor;
    }
  };
  spawn(scale, inout(tile(a, 4, 4, n)), 2.0);              // rows 0-3, columns 0-3
  spawn(scale, inout(tile(a + 4, 4, 4, n)), 3.0);          // rows 0-3, columns 4-7: beside it
  spawn(scale, inout(tile(a + 2 * n + 2, 4, 4, n)), 5.0);  // overlaps both: after them
  wait(in(a, n * n));
  CHECK(a[0] == 2.0);
  CHECK(a[3 * n + 3] == 10.0);
  CHECK(a[3 * n + 4] == 15.0);
  CHECK(a[5 * n + 5] == 5.0);
}

TEST_CASE("a region stands for all objects and regions in it, at any depth") {
  Region tree = Region::create();
  Region left = Region::create(tree);
  Region leaf = Region::create(left);
  int* deep = leaf.make<int>(1);
  int* top = tree.make<int>(1);
  int sum = 0;
  spawn([](int* p) { *p = 10; }, inout(deep));
  spawn(uses(inout(left)), [](int* p) { *p += 5; }, deep);  // after the first
  spawn(
      uses(in(tree)), [](const int* p, const int* q, int& s) { s = *p + *q; }, deep, top,
      out(sum));  // after both
  wait_all();
  CHECK(sum == 16);
  tree.free();
}

TEST_CASE("a region covers what its holder creates in it later") {
  if (!shares_memory()) return;
  Region list = Region::create();
  static int* made;
  int value = 0;
  spawn([](Region r) { made = Region::create(r).make<int>(42); }, inout(list));
  spawn(uses(in(list)), [](int& v) { v = *made; }, out(value));
  wait_all();
  CHECK(value == 42);
  list.free();
}

TEST_CASE("readers of a region run beside readers of its parts") {
  if (!is_parallel()) return;
  Region region = Region::create();
  int* x = region.make<int>(1);
  std::atomic<int> arrived{0};
  Spawning main_spawns;
  main_spawns.begin();
  const auto meet = [&] {
    ++arrived;
    if (!main_spawns.is_below_us()) await([&] { return arrived == 2; });
  };
  spawn(uses(in(region)), [&] { meet(); });
  spawn([&](const int*) { meet(); }, in(x));
  main_spawns.end();
  wait_all();
  CHECK(arrived == 2);
  region.free();
}

TEST_CASE("values are copied when the task is spawned") {
  int number = 1;
  int result = 0;
  spawn([](int value, int& r) { r = value; }, number, out(result));
  number = 2;  // the task has its own copy
  wait(in(result));
  CHECK(result == 1);
}

TEST_CASE("a text literal is handed on as a pointer") {
  std::string to;
  spawn([](const char* text, std::string& own) { own += text; }, "one", inout(to));
  spawn([](std::string_view text, std::string& own) { own += text; }, "two", inout(to));
  spawn([](auto text, std::string& own) { own += text; }, "three", inout(to));
  CHECK(async([](const std::string& text) { return text.size(); }, "four").get() == 4);
  wait(in(to));
  CHECK(to == "onetwothree");
}

TEST_CASE("notransfer orders like any access") {
  int* x = Region::root().make<int>(1);
  const auto forward = [](int* p) { spawn([](int* q) { *q *= 10; }, inout(p)); };
  spawn([](int* p) { *p = 2; }, out(x));
  spawn(forward, notransfer(inout(x)));  // only hands x on to its child
  spawn([](int* p) { *p += 1; }, inout(x));
  wait(in(x));
  CHECK(*x == 21);
  destroy(x);
}

TEST_CASE("a null pointer is no access") {
  int* x = Region::root().make<int>(5);
  int* none = nullptr;
  int result = 0;
  spawn([](const int* p, const int* q, int& r) { r = q == nullptr ? *p : -1; }, in(x),
        in(maybe(none)), out(result));
  wait_all();
  CHECK(result == 5);
  destroy(x);
}

TEST_CASE("accesses of one task may overlap and repeat") {
  Region region = Region::create();
  int* x = region.make<int>(1);
  int* row = region.make_array<int>(10);
  spawn([](int* p) { *p = 2; }, inout(x));
  spawn(
      uses(in(region)), [](int* p, const int*) { *p *= 3; }, inout(x),
      in(x));  // writes x, reads the rest
  spawn([](int* a, int* b) { a[7] = 1, b[0] += 1; }, inout(row, 8), inout(row + 7, 3));
  wait(in(region));
  CHECK(*x == 6);
  CHECK(row[7] == 2);
  region.free();
}

TEST_CASE("a task without accesses depends on nothing") {
  if (!shares_memory()) return;
  static std::atomic<int> count;
  count = 0;
  for (int i = 0; i < 100; ++i) spawn([] { ++count; });
  wait_all();
  CHECK(count == 100);
}

TEST_CASE("a task may have hundreds of accesses") {
  constexpr std::size_t kCount = 500;
  std::vector<int*> objects(kCount);
  std::vector<myr_access> all;
  for (int*& object : objects) {
    object = Region::root().make<int>(1);
    spawn([](int* p) { *p += 1; }, inout(object));
    all.push_back(myr_inout(object));
  }
  myr_spawn_array(
      [](const myr_access* args) {
        for (std::size_t i = 0; i < kCount; ++i) *static_cast<int*>(args[i].address) *= 10;
      },
      all.data(), all.size());
  for (int* object : objects) spawn([](int* p) { *p += 2; }, inout(object));
  wait_all();
  CHECK(std::all_of(objects.begin(), objects.end(), [](const int* p) { return *p == 22; }));
  for (int* object : objects) destroy(object);
}

}  // namespace myr::conformance
