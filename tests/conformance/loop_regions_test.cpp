// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Loops": loops over objects of regions, which machines of agents take whole.
#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

using Numbers = std::vector<std::uint64_t*>;

// Regions with some objects each, and what they should hold.
struct Store {
  explicit Store(std::size_t region_count, std::size_t object_count) {
    for (std::size_t r = 0; r < region_count; ++r) {
      regions.push_back(Region::create());
      objects.emplace_back();
      for (std::size_t i = 0; i < object_count; ++i) {
        objects.back().push_back(regions.back().make<std::uint64_t>(r * 100 + i));
      }
      expected.emplace_back();
      for (std::uint64_t* object : objects.back()) expected.back().push_back(*object);
    }
  }
  void check() {
    wait_all();
    for (std::size_t r = 0; r < regions.size(); ++r) {
      for (std::size_t i = 0; i < objects[r].size(); ++i) CHECK(*objects[r][i] == expected[r][i]);
      regions[r].free();
    }
  }
  std::vector<Region> regions;
  std::vector<Numbers> objects;
  std::vector<std::vector<std::uint64_t>> expected;
};

std::uint64_t mix(std::uint64_t a, std::uint64_t b) { return (a + 1) * 31 + b * 7; }

// Some iterations change objects of one region, and read neighbours in another one.
void sweep(Store& store, std::size_t to, std::size_t from, Range range, std::ptrdiff_t shift,
           std::size_t grow, std::size_t grain_size) {
  const Numbers& targets = store.objects[to];
  const Numbers& sources = store.objects[from];
  const auto count = static_cast<std::ptrdiff_t>(sources.size());
  const auto sum_of = [=](std::size_t i, const auto& value) {
    std::uint64_t sum = 0;
    for (std::ptrdiff_t k = -static_cast<std::ptrdiff_t>(grow);
         k <= static_cast<std::ptrdiff_t>(grow); ++k) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i) + k - shift;
      if (at >= 0 && at < count) sum += value(static_cast<std::size_t>(at));
    }
    return sum;
  };
  for_each(grain(grain_size), range, inout(each(targets).inside(store.regions[to]), part),
           in(each(sources).inside(store.regions[from]).at(shift), part.grow(grow)),
           [&targets, &sources, sum_of](std::size_t i) {
             *targets[i] = mix(*targets[i], sum_of(i, [&](std::size_t k) { return *sources[k]; }));
           });
  for (const std::size_t i : range) {
    std::uint64_t& value = store.expected[to][i];
    value = mix(value, sum_of(i, [&](std::size_t k) { return store.expected[from][k]; }));
  }
}

}  // namespace

TEST_CASE("loops over objects of regions follow each other object by object") {
  if (!shares_memory()) return;  // bodies use main's vectors
  Store store(2, 40);
  for (int step = 0; step < 6; ++step) {
    sweep(store, step % 2, 1 - step % 2, {0, 40}, 0, 1, 1);
  }
  store.check();
}

TEST_CASE("loops over regions in random order beside tasks on whole regions and on objects") {
  if (!shares_memory()) return;  // bodies use main's vectors
  const std::uint64_t fresh = std::random_device{}();
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}, fresh}) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto below = [&](std::size_t limit) { return random() % limit; };
    Store store(2 + below(4), 1 + below(20));
    const std::size_t size = store.objects[0].size();
    for (int step = 0; step < 30; ++step) {
      const std::size_t to = below(store.regions.size());
      std::size_t from = below(store.regions.size());
      if (to == from && size > 1) from = (from + 1) % store.regions.size();
      if (below(4) != 0) {
        const std::size_t begin = below(size);
        sweep(store, to, from, {begin, begin + 1 + below(size - begin)},
              static_cast<std::ptrdiff_t>(below(5)) - 2, below(3), 1 + below(4));
      } else if (below(2) == 0) {
        spawn(
            [objects = &store.objects[to]](const auto&...) {
              for (std::uint64_t* object : *objects) *object += 5;
            },
            inout(store.regions[to]));
        for (std::uint64_t& value : store.expected[to]) value += 5;
      } else {
        const std::size_t i = below(size), k = below(size);
        std::uint64_t *target = store.objects[to][i], *source = store.objects[from][k];
        spawn([](std::uint64_t& a, const std::uint64_t& b) { a = mix(a, b); }, inout(*target),
              in(*source));
        store.expected[to][i] = mix(store.expected[to][i], store.expected[from][k]);
      }
    }
    store.check();
  }
}

TEST_CASE("the same object in two windows of a part, and a region within another") {
  if (!shares_memory()) return;  // bodies use main's vectors
  const Region outer = Region::create();
  const Region inner = Region::create(outer);
  Numbers numbers, sums;
  for (std::uint64_t i = 0; i < 12; ++i) {
    numbers.push_back(outer.make<std::uint64_t>(i));
    sums.push_back(inner.make<std::uint64_t>(0U));
  }
  for (int step = 0; step < 3; ++step) {
    for_each(grain(1), Range{0, 12}, inout(each(numbers).inside(outer), part),
             in(each(numbers).inside(outer), part.grow(0, 1)), out(each(sums).inside(inner), part),
             [&](std::size_t i) {
               *sums[i] = *numbers[i] + (i + 1 < 12 ? *numbers[i + 1] : 0);
               *numbers[i] = *sums[i];
             });
  }
  std::array<std::uint64_t, 13> expected{};
  for (std::uint64_t i = 0; i < 12; ++i) expected[i] = i;
  for (int step = 0; step < 3; ++step) {
    for (std::size_t i = 0; i < 12; ++i) expected[i] += expected[i + 1];
  }
  wait_all();
  for (std::size_t i = 0; i < 12; ++i) CHECK(*sums[i] == expected[i]);
  outer.free();
}

// Their regions are with several schedulers, so each part asks for the ways of what it writes.
TEST_CASE("a loop changes objects of several regions") {
  Store store(5, 24);
  for (std::size_t round = 0; round < 6; ++round) {
    const std::size_t a = round % 5, b = (round + 2) % 5, c = (round + 3) % 5;
    const Numbers &left = store.objects[a], &right = store.objects[b], &more = store.objects[c];
    for_each(grain(1), Range{0, left.size()}, inout(each(left).inside(store.regions[a]), part),
             inout(each(right).inside(store.regions[b]), part),
             in(each(more).inside(store.regions[c]), part.grow(1)), [&](std::size_t i) {
               *left[i] = mix(*left[i], *right[i]);
               *right[i] = mix(*more[i], *left[i]);
             });
    for (std::size_t i = 0; i < left.size(); ++i) {
      store.expected[a][i] = mix(store.expected[a][i], store.expected[b][i]);
      store.expected[b][i] = mix(store.expected[c][i], store.expected[a][i]);
    }
  }
  store.check();
}

TEST_CASE("a task that holds objects and not their region loops over them") {
  if (!shares_memory()) return;  // bodies use main's vectors
  Store store(1, 2);
  const Numbers& numbers = store.objects[0];
  const Region region = store.regions[0];
  spawn(
      [&numbers, region](std::uint64_t*, std::uint64_t*) {
        for_each(grain(1), Range{0, 2}, inout(each(numbers).inside(region), part),
                 [&numbers](std::size_t i) { *numbers[i] += 1; });
      },
      inout(numbers[0]), inout(numbers[1]));
  for (std::uint64_t& value : store.expected[0]) value += 1;
  store.check();
}

TEST_CASE("a part of a loop holds all of its objects, however long they are") {
  if (!shares_memory()) return;  // bodies use main's vectors
  const Region region = Region::create();
  Numbers arrays;
  for (int i = 0; i < 8; ++i) {
    arrays.push_back(region.make_array<std::uint64_t>(40));
    std::fill_n(arrays.back(), 40, 0);
  }
  for_each(grain(1), Range{0, 8}, inout(each(arrays).inside(region), part),
           [&arrays](std::size_t i) {
             spawn([](std::uint64_t* half) { half[19] = 7; }, inout(arrays[i] + 20, 20));
             spawn([](std::uint64_t* all) { all[0] = all[39]; }, inout(arrays[i]));
           });
  wait_all();
  for (const std::uint64_t* array : arrays) CHECK(array[0] == 7);
  region.free();
}

TEST_CASE("the first failure of a loop is that of its first part that throws") {
  if (!shares_memory()) return;  // bodies use main's vectors
  Store store(1, 12);
  const auto loop = [&](const char* what, std::size_t from) {
    for_each(grain(1), Range{0, 12}, inout(each(store.objects[0]).inside(store.regions[0]), part),
             [=](std::size_t i) {
               if (i >= from) throw std::runtime_error(what + std::to_string(i));
             });
  };
  for (int round = 0; round < 10; ++round) {
    loop("a", 11);
    loop("b", 0);
    spawn([](std::uint64_t&) { throw std::runtime_error("c"); }, inout(*store.objects[0][0]));
    CHECK_THROWS_WITH_AS(wait_all(), "a11", std::runtime_error);
  }
  store.check();
}

TEST_CASE("parts of a loop over regions spawn, wait and throw") {
  if (!shares_memory()) return;  // bodies use main's vectors
  Store store(2, 10);
  const Numbers& numbers = store.objects[0];
  for_each(grain(1), Range{0, 10}, inout(each(numbers).inside(store.regions[0]), part),
           [&](std::size_t i) {
             spawn([](std::uint64_t& number) { number += 1; }, inout(*numbers[i]));
             if (i % 2 == 0) wait(inout(*numbers[i]));
             if (i % 3 == 0) wait_all();
             if (i == 9) throw std::runtime_error("the last one");  // nothing is left of its part
           });
  for (std::uint64_t& value : store.expected[0]) value += 1;
  sweep(store, 1, 0, {0, 10}, 0, 1, 2);
  CHECK_THROWS_WITH_AS(wait_all(), "the last one", std::runtime_error);
  store.check();
}

}  // namespace myr::conformance
