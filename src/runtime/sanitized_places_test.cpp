// SPDX-License-Identifier: Apache-2.0
#include "runtime/sanitized_places.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>

namespace myr::runtime {
namespace {

// As two tasks do: the first one tells, the second one asks.
bool are_ordered(const myr_access& first, const myr_access& second, const SanitizedMemory& memory) {
  const std::vector<Place> told = places_of(first, memory);
  const std::vector<Place> asked = places_of(second, memory);
  for (const Place& a : told) {
    for (const Place& b : asked) {
      if (a.key == b.key && !(a.is_around && b.is_around)) return true;
    }
  }
  return false;
}

void* at(std::uint64_t address) { return reinterpret_cast<void*>(address); }

TEST_CASE("two ranges are ordered if, and only if, they share bytes") {
  const SanitizedMemory memory;
  std::mt19937_64 random(7);
  for (int round = 0; round < 20'000; ++round) {
    const std::uint64_t size = std::uint64_t{1} << random() % 14;
    const std::uint64_t a = 0x7f00'0000'0000 + random() % size;
    const std::uint64_t b = 0x7f00'0000'0000 + random() % size;
    const std::uint64_t a_bytes = 1 + random() % size;
    const std::uint64_t b_bytes = 1 + random() % size;
    const bool overlap = a < b + b_bytes && b < a + a_bytes;
    REQUIRE(are_ordered(myr_in_range(at(a), a_bytes), myr_in_range(at(b), b_bytes), memory) ==
            overlap);
  }
}

TEST_CASE("objects are in their regions, and parts in objects") {
  SanitizedMemory memory;
  memory.add_region(1, MYR_ROOT);
  memory.add_region(2, 1);
  memory.add_region(3, 1);
  alignas(64) static std::byte bytes[256];
  const auto first = reinterpret_cast<std::uint64_t>(bytes);
  memory.add_object({.first = first, .bytes = 100, .room = 128, .region = 2});
  memory.add_object({.first = first + 128, .bytes = 128, .room = 128, .region = 3});
  const myr_access object = myr_inout(bytes);
  const myr_access part = myr_inout_range(bytes + 10, 20);
  const myr_access other_part = myr_inout_range(bytes + 30, 20);
  const myr_access other = myr_inout(bytes + 128);
  const auto both = [&](const myr_access& a, const myr_access& b) {
    const bool ordered = are_ordered(a, b, memory);
    CHECK(are_ordered(b, a, memory) == ordered);
    return ordered;
  };
  CHECK(both(object, part));
  CHECK_FALSE(both(part, other_part));
  CHECK_FALSE(both(object, other));
  CHECK(both(object, myr_inout_range(bytes, 128)));
  CHECK(both(part, myr_inout_region(2)));
  CHECK(both(part, myr_inout_region(1)));
  CHECK(both(part, myr_inout_region(MYR_ROOT)));
  CHECK_FALSE(both(part, myr_inout_region(3)));
  CHECK_FALSE(both(myr_inout_region(2), myr_inout_region(3)));
  CHECK(both(myr_inout_region(1), myr_inout_region(3)));

  CHECK(is_within(part, object, memory));
  CHECK(is_within(object, object, memory));
  CHECK(is_within(part, myr_inout_region(1), memory));
  CHECK(is_within(myr_inout_region(3), myr_inout_region(1), memory));
  CHECK_FALSE(is_within(object, part, memory));
  CHECK_FALSE(is_within(myr_inout_region(1), myr_inout_region(3), memory));
  CHECK_FALSE(is_within(other, object, memory));
  int outside = 0;
  CHECK_FALSE(is_within(myr_inout_range(&outside, 4), myr_inout_region(MYR_ROOT), memory));

  memory.remove_region(1);
  CHECK_FALSE(memory.find(first).has_value());
  CHECK_FALSE(memory.find(first + 128).has_value());
}

TEST_CASE("parts of an array with blocks are whole blocks") {
  SanitizedMemory memory;
  alignas(64) static std::byte bytes[256];
  const auto first = reinterpret_cast<std::uint64_t>(bytes);
  memory.add_object({.first = first, .bytes = 256, .room = 256, .block_bytes = 64});
  const myr_access part = myr_inout_range(bytes + 70, 2);
  CHECK(are_ordered(part, myr_inout_range(bytes + 120, 8), memory));
  CHECK_FALSE(are_ordered(part, myr_inout_range(bytes + 60, 4), memory));
  CHECK_FALSE(are_ordered(part, myr_inout_range(bytes + 128, 8), memory));
}

TEST_CASE("memory that another object has is not taken from it") {
  SanitizedMemory memory;
  alignas(64) static std::byte bytes[128];
  const auto first = reinterpret_cast<std::uint64_t>(bytes);
  memory.add_object({.first = first, .bytes = 64, .room = 64});
  const auto old = memory.find(first);
  REQUIRE(old.has_value());
  memory.add_object({.first = first, .bytes = 128, .room = 128});
  memory.remove_object(*old);
  REQUIRE(memory.find(first + 64).has_value());
  memory.remove_object(*memory.find(first));
  CHECK_FALSE(memory.find(first).has_value());
}

}  // namespace
}  // namespace myr::runtime
