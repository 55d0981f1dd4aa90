// SPDX-License-Identifier: Apache-2.0
#include "check/wasted.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

using namespace myr::check;

namespace {

const myr_site kSite{"a.cpp", "f", 1, 1};
Use use_of(std::uint64_t begin, std::uint64_t end, Way way) {
  return {begin, end, MYR_NO_REGION, way, false};
}

}  // namespace

TEST_CASE("what no task uses, or only reads, is wasted; the dearest first") {
  Wasted wasted;
  const std::vector<Use> uses{use_of(0, 64, Way::Writes), use_of(64, 128, Way::Writes),
                              use_of(128, 192, Way::Writes)};
  for (int i = 0; i < 3; ++i) {
    wasted.begin(&kSite, uses, {1, 5, 0});
    wasted.touch(0, 8, 16, false);
    if (i == 1) wasted.touch(2, 128, 136, true);
    wasted.end();
  }
  const auto found = wasted.found();
  REQUIRE(found.size() == 2);
  CHECK(found[0].kind == Wasted::Kind::Unused);
  CHECK(found[0].declared.number == 1);
  CHECK(found[0].declared.wait_count == 15);
  CHECK(found[1].kind == Wasted::Kind::OnlyRead);
  CHECK(found[1].declared.task_count == 3);
}

TEST_CASE("a container and its elements are one declaration") {
  Use elements = use_of(1000, 2024, Way::Writes);
  elements.is_held = true;
  const std::vector<Use> uses{use_of(0, 24, Way::Writes), elements, use_of(64, 72, Way::Writes)};
  const auto found = [&](bool writes, bool grows) {
    Wasted wasted;
    for (std::uint64_t i = 0; i < 4; ++i) {
      wasted.begin(&kSite, uses, {1, 0, 0});
      wasted.touch(0, 0, 8, grows);
      wasted.touch(1, 1000 + i * 256, 1008 + i * 256, writes);
      wasted.touch(2, 64, 72, true);
      wasted.end();
    }
    return wasted.found();
  };
  const auto only_read = found(false, false);
  REQUIRE(only_read.size() == 1);
  CHECK(only_read[0].kind == Wasted::Kind::OnlyRead);
  CHECK(only_read[0].declared.number == 0);
  const auto in_parts = found(true, false);
  REQUIRE(in_parts.size() == 1);
  CHECK(in_parts[0].kind == Wasted::Kind::InParts);
  CHECK(found(true, true).empty());
}

TEST_CASE("tasks that use parts of one object could name these, if they are apart") {
  const auto kinds = [](std::uint64_t part) {
    Wasted wasted;
    for (std::uint64_t i = 0; i < 4; ++i) {
      wasted.begin(&kSite, {use_of(0, 1024, Way::Writes)}, {1});
      wasted.touch(0, i * part, i * part + 8, true);
      wasted.end();
    }
    return wasted.found().size();
  };
  CHECK(kinds(256) == 1);
  CHECK(kinds(32) == 0);
  CHECK(kinds(0) == 0);
}
