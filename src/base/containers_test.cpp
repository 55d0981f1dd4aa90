// SPDX-License-Identifier: Apache-2.0
//
// The containers against those of the standard library, with random operations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_map.hpp"
#include "base/ring.hpp"
#include "base/small_vector.hpp"
#include "base/stable_map.hpp"

namespace myr::base {

namespace {

constexpr unsigned kRounds = 20'000;

// Long enough to own memory, so that a leak or a second free is found.
std::string text(std::uint64_t number) {
  return std::string("the value of ").append(std::to_string(number));
}

template <class T>
bool same(const SmallVector<T, 2>& vector, const std::vector<T>& expected) {
  return std::equal(vector.begin(), vector.end(), expected.begin(), expected.end());
}

// Changes the vector, and its model alike.
template <class T, class Make>
void change(SmallVector<T, 2>& vector, std::vector<T>& model, std::mt19937& random, Make&& make) {
  const auto place = static_cast<std::ptrdiff_t>(random() % (model.size() + 1));
  const unsigned choice = random() % (model.size() < 6 ? 6 : 8);
  if (choice < 2) {
    vector.push_back(make(random()));
    model.push_back(vector.back());
  } else if (choice == 2) {
    const T value = make(random());
    CHECK(*vector.insert(vector.begin() + place, value) == value);
    model.insert(model.begin() + place, value);
  } else if (choice == 3) {
    SmallVector<T, 2> moved = std::move(vector);
    CHECK(vector.empty());
    vector = std::move(moved);
  } else if (choice == 4) {
    const SmallVector<T, 2> copied = vector;
    vector = SmallVector<T, 2>{make(1), make(2), make(3)};
    vector = copied;
  } else if (choice == 5) {
    const std::vector<T> added(model.begin(), model.begin() + place % 3);
    vector.append(added.data(), added.data() + added.size());
    model.insert(model.end(), added.begin(), added.end());
  } else if (choice == 6) {
    vector.erase(vector.begin() + place, vector.end());
    model.erase(model.begin() + place, model.end());
  } else {
    vector.pop_back();
    model.pop_back();
    vector.erase(vector.begin());
    model.erase(model.begin());
  }
}

template <class T, class Make>
void compare_vectors(std::uint64_t seed, Make&& make) {
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  SmallVector<T, 2> vector;
  std::vector<T> model;
  for (unsigned round = 0; round < kRounds; ++round) {
    change(vector, model, random, make);
    REQUIRE(same(vector, model));
  }
}

}  // namespace

TEST_CASE("a small vector holds what a vector would hold") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  compare_vectors<std::uint32_t>(seed, [](std::uint64_t n) { return std::uint32_t(n); });
  compare_vectors<std::string>(seed, text);
}

TEST_CASE("small vectors are compared element by element") {
  using Vector = SmallVector<int, 2>;
  CHECK(Vector{1, 2, 3} == Vector{1, 2, 3});
  CHECK(Vector{1, 2} < Vector{1, 2, 0});
  CHECK(Vector{1, 2, 9} < Vector{1, 3});
}

TEST_CASE("a vector's own element can be put in again") {
  SmallVector<std::string, 2> vector{text(1), text(2)};
  vector.push_back(vector.front());
  CHECK(vector.back() == text(1));
}

// Keys that differ in their lowest or highest bits only, so that some collide.
TEST_CASE("a map finds what was put in, where it was put in") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  StableMap<std::string> map;
  std::unordered_map<std::uint64_t, const std::string*> places;
  for (unsigned round = 0; round < kRounds; ++round) {
    const std::uint64_t key = std::uint64_t{random() % 64} << (random() % 2 == 0 ? 58 : 0);
    if (random() % 2 == 0) {
      const auto [value, is_new] = map.try_emplace(key, text(key));
      REQUIRE(is_new == places.emplace(key, value).second);
    } else {
      REQUIRE(map.erase(key) == (places.erase(key) != 0));
    }
    REQUIRE(map.size() == places.size());
    const std::uint64_t asked = random() % 64;
    REQUIRE(map.contains(asked) == places.contains(asked));
  }
  for (const auto& [key, place] : places) {
    CHECK(&map.at(key) == place);
    CHECK(*place == text(key));
  }
}

TEST_CASE("values can be visited and erased by what they are") {
  StableMap<std::uint64_t> map;
  for (std::uint64_t key = 0; key < 100; ++key) map.try_emplace(key, key * key);
  map.erase_if([](std::uint64_t key, std::uint64_t) { return key % 3 != 0; });
  std::uint64_t sum = 0;
  map.for_each([&](std::uint64_t key, std::uint64_t value) {
    CHECK(value == key * key);
    sum += key;
  });
  CHECK(sum == 33 * 34 / 2 * 3);
}

TEST_CASE("a ring is a queue") {
  const std::uint64_t seed = std::random_device{}();
  CAPTURE(seed);
  std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
  Ring<std::unique_ptr<std::uint64_t>> ring;
  std::deque<std::uint64_t> expected;
  for (unsigned round = 0; round < kRounds; ++round) {
    if (random() % 2 == 0) {
      ring.push_back(std::make_unique<std::uint64_t>(round));
      expected.push_back(round);
    } else if (!expected.empty() && random() % 4 == 0) {
      const std::size_t index = random() % expected.size();
      ring.erase(index);
      expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(index));
    } else if (!expected.empty()) {
      ring.pop_front();
      expected.pop_front();
    }
    REQUIRE(ring.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(*ring[i] == expected[i]);
  }
}

// Random calls on that many bytes, each on at most `longest` of them, most of them near the last.
void check_byte_map(std::size_t bytes, std::size_t longest) {
  std::mt19937_64 random(7);
  ByteMap<int> map;
  std::vector<int> expected(bytes, -1);  // none
  std::size_t near = 0;
  for (int step = 0; step < 20'000; ++step) {
    const std::size_t begin = random() % 4 == 0 ? random() % bytes : near;
    const std::size_t end = begin + random() % (std::min(longest, bytes - begin) + 1);
    near = (end + bytes - random() % 3) % bytes;
    const auto first = expected.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = expected.begin() + static_cast<std::ptrdiff_t>(end);
    const std::size_t choice = random() % 8;
    if (choice < 3) {
      map.set(begin, end, step);
      std::fill(first, last, step);
    } else if (choice < 5) {
      map.change(begin, end, [](auto& piece) { piece.value += 1; });
      std::for_each(first, last, [](int& value) { value = std::max(value, 0) + 1; });
    } else if (choice < 6) {
      map.erase(begin, end);
      std::fill(first, last, -1);
    } else if (choice < 7 && step % 97 == 0) {
      map.erase_if([](int value) { return value % 2 == 0; });
      for (int& value : expected) value = value % 2 == 0 ? -1 : value;
    } else {
      const auto wants = [](int, const int* other) { return other == nullptr || *other % 3 != 0; };
      if (map.take_over(begin, end, wants)) std::fill(first, last, expected[begin - 1]);
    }
    std::vector<int> found(bytes, -1);
    std::size_t behind = begin;
    map.visit(begin, end, [&](std::uint64_t from, std::uint64_t until, int value) {
      REQUIRE((behind <= from && from < until));
      behind = until;
      std::fill(found.begin() + static_cast<std::ptrdiff_t>(from),
                found.begin() + static_cast<std::ptrdiff_t>(until), value);
      return true;
    });
    for (std::size_t i = begin; i < end; ++i) REQUIRE(found[i] == expected[i]);
  }
  map.erase(0, bytes);
  CHECK(map.empty());
}

TEST_CASE("a byte map has for each byte what was last said of it") {
  check_byte_map(64, 64);
  check_byte_map(10'000, 10);  // some chunks of fragments
}

}  // namespace myr::base
