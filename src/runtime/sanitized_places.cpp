// SPDX-License-Identifier: Apache-2.0
#include "runtime/sanitized_places.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace myr::runtime {

namespace {

constexpr unsigned kStep = 3;       // log2 of how many blocks make up a larger one
constexpr unsigned kShiftMax = 36;  // of the largest blocks
constexpr unsigned kLevels = kShiftMax / kStep + 1;
// Behind the levels of blocks.
constexpr std::uint64_t kObject = kLevels;
constexpr std::uint64_t kRegion = kLevels + 1;

std::uint64_t hash(std::uint64_t number, std::uint64_t kind) {
  std::uint64_t mixed = (number + kind * 0x9E37'79B9'7F4A'7C15) * 0xBF58'476D'1CE4'E5B9;
  mixed = (mixed ^ mixed >> 29) * 0x94D0'49BB'1331'11EB;
  return mixed ^ mixed >> 32;
}

// The largest level whose blocks may begin here and end before `end`.
unsigned level_at(std::uint64_t begin, std::uint64_t end) {
  const auto aligned = static_cast<unsigned>(std::countr_zero(begin));
  const auto fits = static_cast<unsigned>(std::bit_width(end - begin)) - 1;
  return std::min({aligned, fits, kShiftMax}) / kStep;
}

// Ranges in an object are made up of blocks up to its length.
void add_blocks(std::uint64_t begin, std::uint64_t end, unsigned levels, std::vector<Place>& out) {
  std::array<std::uint64_t, kLevels> last_around;
  last_around.fill(~std::uint64_t{0});
  while (begin != end) {
    const unsigned level = level_at(begin, end);
    out.push_back({hash(begin, level), false});
    for (unsigned above = level + 1; above < levels; ++above) {
      const std::uint64_t number = begin >> (above * kStep);
      if (std::exchange(last_around[above], number) == number) break;
      out.push_back({hash(number << (above * kStep), above), true});
    }
    begin += std::uint64_t{1} << (level * kStep);
  }
}

struct Range {
  std::uint64_t begin, end;
};

// The range of what is no region. `object`: the one that it begins in.
Range range_of(const myr_access& access, const std::optional<SanitizedMemory::Object>& object) {
  const auto begin = reinterpret_cast<std::uint64_t>(access.address);
  const std::uint64_t bytes = std::max<std::uint64_t>(access.bytes, 1);
  if (!object) return {begin, begin + bytes};
  const std::uint64_t end = object->first + object->bytes;
  const bool is_whole =
      begin == object->first && (access.bytes == 0 || (access.flags & MYR_WHOLE) != 0);
  if (is_whole || begin >= end) return {object->first, end};
  const std::uint64_t block = object->block_bytes;
  const std::uint64_t from = begin - object->first;
  const std::uint64_t to = std::min(from + bytes, object->bytes);
  return {object->first + from / block * block,
          object->first + std::min((to + block - 1) / block * block, object->bytes)};
}

}  // namespace

std::vector<Place> places_of(const myr_access& access, const SanitizedMemory& memory) {
  std::vector<Place> places;
  myr_region region = access.region;
  bool is_around = false;
  if ((access.flags & MYR_REGION) == 0) {
    const auto object = memory.find(reinterpret_cast<std::uint64_t>(access.address));
    const auto [begin, end] = range_of(access, object);
    if (!object) {
      add_blocks(begin, end, kLevels, places);
      return places;
    }
    is_around = end - begin != object->bytes;
    if (is_around) add_blocks(begin, end, level_at(0, object->bytes) + 1, places);
    places.push_back({hash(object->first, kObject), is_around});
    is_around = true;
    region = object->region;
  }
  for (const myr_region above : memory.path_of(region)) {
    places.push_back({hash(above, kRegion), is_around});
    is_around = true;
  }
  return places;
}

bool is_within(const myr_access& inner, const myr_access& outer, const SanitizedMemory& memory) {
  myr_region region = inner.region;
  if ((inner.flags & MYR_REGION) == 0) {
    const auto object = memory.find(reinterpret_cast<std::uint64_t>(inner.address));
    if ((outer.flags & MYR_REGION) == 0) {
      const auto around = memory.find(reinterpret_cast<std::uint64_t>(outer.address));
      const auto [begin, end] = range_of(inner, object);
      const auto [outer_begin, outer_end] = range_of(outer, around);
      return outer_begin <= begin && end <= outer_end;
    }
    if (!object) return false;
    region = object->region;
  }
  if ((outer.flags & MYR_REGION) == 0) return false;
  const std::vector<myr_region> path = memory.path_of(region);
  return std::find(path.begin(), path.end(), outer.region) != path.end();
}

}  // namespace myr::runtime
