// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>

#include "proto/messages.hpp"

using namespace myr;

namespace {

__extension__ using Wide = __int128;  // has room for all sums of 64-bit numbers

constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
constexpr std::array<std::uint64_t, 8> kNumbers = {
    0, 1, 63, kMost / 2, kMost / 2 + 1, kMost - 2, kMost - 1, kMost};
constexpr std::array<std::int64_t, 7> kFirsts = {
    0, 5, -5, INT64_MAX, INT64_MAX - 1, INT64_MIN, INT64_MIN + 1};

std::uint64_t clipped(Wide number, std::uint64_t count) {
  return number < 0 ? 0 : number > Wide{count} ? count : static_cast<std::uint64_t>(number);
}

}  // namespace

TEST_CASE("the objects of a window that some iterations use, at the limits of its numbers") {
  constexpr std::uint64_t kCount = 64;
  for (const std::int64_t first : kFirsts) {
    for (const std::uint64_t before : kNumbers) {
      for (const std::uint64_t behind : kNumbers) {
        for (const std::uint64_t begin : kNumbers) {
          const proto::Window window{
              .first = first, .count = kCount, .before = before, .after = behind};
          const std::uint64_t end = begin + (begin == kMost ? 0 : 1);
          const auto [from, to] = proto::objects_of(window, {.begin = begin, .end = end});
          REQUIRE(from == clipped(Wide{begin} - first - before, kCount));
          REQUIRE(to == clipped(Wide{end} - first + behind, kCount));
        }
      }
    }
  }
}
