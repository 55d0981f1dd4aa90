// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Memory": what regions make, and who destroys it.
#include <array>
#include <chrono>
#include <memory_resource>
#include <myr/memory_resource.hpp>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "resident_bytes.hpp"
#include "support.hpp"

namespace myr::conformance {
namespace {

// Notes how many there are, and in which order they were destroyed. Where they are made and
// destroyed, on mpi, too: each process has its own.
struct Noted {
  static inline std::atomic<int> alive{0};
  static inline std::vector<int> destroyed;

  explicit Noted(int name = 0) : number(name) { ++alive; }
  Noted(const Noted&) = delete;
  Noted& operator=(const Noted&) = delete;
  ~Noted() {
    --alive;
    destroyed.push_back(number);
  }
  int number;
};

struct Spot {
  double x, y;
};
struct Stretch {
  Spot from, to;
};

}  // namespace

TEST_CASE("a region that is none declares nothing, and there is nothing to free") {
  Region none;
  CHECK(!none);
  CHECK(Region::root());
  CHECK(none != Region::root());
  none.free();
  Region region = Region::create();
  int* x = region.make<int>(1);
  spawn([](Region, int* p) { *p = 2; }, inout(none), inout(x));
  wait(in(none), in(x));
  CHECK(*x == 2);
  region.free();
}

// By ( ), so that no number is narrowed, but where only braces do.
TEST_CASE("make constructs as everybody does") {
  OwnedRegion region;
  const int x = 3;
  CHECK(region.make<Spot>(x, 4)->y == 4);
  CHECK(region.make<Stretch>(Spot{1, 2}, Spot{3, 4})->to.x == 3);
  CHECK((*region.make<std::array<int, 2>>(5, 6))[1] == 6);
  CHECK(std::get<4>(*region.make<std::tuple<int, int, int, int, int>>(1, 2, 3, 4, 5)) == 5);
}

TEST_CASE("what a constructor throws leaves nothing behind") {
  struct Refused {
    explicit Refused(int count) {
      std::fill(std::begin(bytes), std::end(bytes), 'a');
      if (count >= 0) throw std::invalid_argument("refused");
    }
    char bytes[1 << 20];
  };
  std::size_t before = 0;
  for (int i = 0; i < 300; ++i) {
    CHECK_THROWS_AS(std::ignore = Region::root().make<Refused>(i), std::invalid_argument);
    if (i == 50) before = tests::resident_bytes();
  }
  CHECK(tests::resident_bytes() < before + (std::size_t{64} << 20));
}

TEST_CASE("destroy ends all of an array, and an object by any of its bases") {
  Noted::alive = 0;
  auto* array = Region::root().make_array<Noted>(4);
  auto* blocks = Region::root().make_blocks<Noted>(40, 64);
  CHECK(Noted::alive == 44);
  destroy(array);
  CHECK(Noted::alive == 40);
  destroy(blocks);
  CHECK(Noted::alive == 0);
  destroy(Region::root().make_array<Noted>(0));

  struct First {
    virtual ~First() = default;
    int a = 1;
  };
  struct Second {
    virtual ~Second() = default;
    int b = 2;
  };
  struct Both : First, Second {
    Noted noted;
  };
  Second* const second = Region::root().make<Both>();
  CHECK(Noted::alive == 1);
  destroy(second);
  CHECK(Noted::alive == 0);
}

TEST_CASE("a region's end destroys what was made in it, and in those inside, the last first") {
  Noted::alive = 0;
  Noted::destroyed.clear();
  Region top = Region::create();
  Region between = Region::create(top);  // nothing is made here
  Region low = Region::create(between);
  std::ignore = top.make<Noted>(1);
  std::ignore = low.make<Noted>(2);
  auto* third = top.make<Noted>(3);
  std::ignore = low.make_array<Noted>(2);
  auto* fifth = top.make<Noted>(5);
  destroy(third);
  std::destroy_at(fifth);  // by hand: then nobody else does
  myr_free(fifth);
  CHECK(Noted::alive == 4);
  Noted::destroyed.clear();
  top.free();
  CHECK(Noted::alive == 0);
  CHECK(Noted::destroyed == std::vector<int>{0, 0, 2, 1});
}

TEST_CASE("what tasks made in sibling regions is destroyed in the reverse of the serial order") {
  if (!shares_memory()) return;  // there it is the order in which they were made
  constexpr int kRegions = 4, kRounds = 40;
  const Region top = Region::create();
  std::vector<Region> below;
  for (int i = 0; i < kRegions; ++i) {
    below.push_back(Region::create(top));
    std::ignore = below.back().make<Noted>(i);
  }
  for (int i = 0; i < kRounds; ++i) {
    const int first = kRegions + 3 * i;
    spawn(
        [](Region own, int number) {
          std::this_thread::sleep_for(std::chrono::microseconds((7 - number % 7) * 10));
          std::ignore = own.make<Noted>(number);
          const Region inner = Region::create(own);
          std::ignore = inner.make<Noted>(number + 1);
          spawn([](Region in, int last) { std::ignore = in.make<Noted>(last); }, inout(inner),
                number + 2);
        },
        inout(below[static_cast<std::size_t>(i % kRegions)]), first);
  }
  wait_all();
  Noted::destroyed.clear();
  top.free();
  std::vector<int> expected(kRegions + 3 * kRounds);
  std::iota(expected.rbegin(), expected.rend(), 0);
  CHECK(Noted::destroyed == expected);
}

TEST_CASE("an owned region ends with its owner, after its tasks") {
  Noted::alive = 0;
  {
    OwnedRegion tree;
    int* sum = tree.make<int>(0);
    std::ignore = tree.make<Noted>(1);
    for (int i = 0; i < 20; ++i) {
      spawn(
          [](Region own, int* s) {
            Region inner = Region::create(own);
            int* more = inner.make<int>(1);
            spawn([](Region, int* t, const int* m) { *t += *m; }, inout(own), s, more);
          },
          inout(tree), sum);
    }
    spawn([](Region own) { std::ignore = own.make<Noted>(2); }, inout(tree.region()));
    wait(in(tree));
    CHECK(*sum == 20);
    CHECK(Noted::alive == 2);
    spawn([](Region, int* s) { *s += 1; }, inout(tree), sum);
  }
  CHECK(Noted::alive == 0);
}

TEST_CASE("owners of regions move, and stand inside each other") {
  struct Node {
    OwnedRegion below;
    Noted noted;
    Node* kid = nullptr;
    explicit Node(Region around) : below(around) {}
  };
  Noted::alive = 0;
  std::optional<OwnedRegion> tree(std::in_place);
  Node* node = tree->make<Node>(*tree);
  for (int depth = 0; depth < 20; ++depth) {
    node->kid = node->below.make<Node>(node->below);
    node = node->kid;
  }
  CHECK(Noted::alive == 21);
  OwnedRegion moved(std::move(*tree));
  CHECK(!*tree);
  tree.reset();
  CHECK(Noted::alive == 21);
  moved = OwnedRegion();
  CHECK(Noted::alive == 0);
  std::ignore = moved.make<Noted>();
  Region released = moved.release();
  CHECK(!moved);
  CHECK(Noted::alive == 1);
  released.free();
  CHECK(Noted::alive == 0);
  OwnedRegion early;
  std::ignore = early.make<Noted>();
  early.free();
  CHECK(Noted::alive == 0);
}

TEST_CASE("an exception leaves no region behind that has an owner") {
  Noted::alive = 0;
  const auto fail = [] {
    OwnedRegion region;
    int* x = region.make<int>(0);
    std::ignore = region.make<Noted>();
    spawn([](Region, int* p) { *p = 1; }, inout(region), x);
    throw std::runtime_error("left");
  };
  CHECK_THROWS_AS(fail(), std::runtime_error);
  CHECK(Noted::alive == 0);
}

TEST_CASE("containers live in a region") {
  using Texts = std::pmr::vector<std::pmr::string>;
  OwnedRegion region;
  auto* const texts = region.make<Texts>(make_resource(region));
  const int* const alone = region.make<int>(5);
  spawn(
      [](Region, Texts& all) {
        for (int i = 0; i < 100; ++i) {
          all.emplace_back("a text that no std::string has in itself " + std::to_string(i));
        }
      },
      inout(region), inout(*texts));
  std::size_t length = 0;
  spawn(
      [](Region, const Texts& all, std::size_t& sum) {
        for (const std::pmr::string& text : all) sum += text.size();
      },
      in(region), in(*texts), inout(length));
  wait(in(region), in(length));
  CHECK(texts->size() == 100);
  CHECK(length == 100 * std::string_view("a text that no std::string has in itself ").size() + 190);
  CHECK(*alone == 5);
  CHECK_THROWS_AS(std::ignore = make_resource(region)->allocate(8, 128), std::bad_alloc);
}

}  // namespace myr::conformance
