// SPDX-License-Identifier: Apache-2.0
//
// Files that are no cascade are refused with a reason, and boxes are grouped as they should.
#include "hwse/viola_jones/cascade.hpp"

#include <doctest/doctest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "hwse/viola_jones/grouping.hpp"
#include "hwse/viola_jones/xml.hpp"

namespace {

using faces::Box;
using faces::Element;
using faces::parse_xml;

std::string fault_of(const std::string& text) {
  try {
    static_cast<void>(parse_xml(text));
    return "none";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("elements have text, children and comments between them") {
  const Element root = parse_xml(
      "<?xml version=\"1.0\"?>\n<!-- <no> -->\n"
      "<a kind='x'>1 2.5<!-- 7 -->\n-3.<b/><_>word</_></a>\n");
  CHECK(root.name == "a");
  CHECK(root.numbers(3) == std::vector<double>{1, 2.5, -3});
  CHECK(root.children.size() == 2);
  CHECK(root.has("b"));
  CHECK(root.child("_").text == "word");
  CHECK_THROWS_AS(static_cast<void>(root.child("c")), std::runtime_error);
  CHECK_THROWS_AS(static_cast<void>(root.numbers(2)), std::runtime_error);
  CHECK_THROWS_AS(static_cast<void>(root.child("_").numbers(1)), std::runtime_error);
}

TEST_CASE("what is no XML is refused, with its line") {
  CHECK(fault_of("") == "line 1: expected <");
  CHECK(fault_of("words") == "line 1: expected <");
  CHECK(fault_of("<!-- ") == "line 1: expected -->");
  CHECK(fault_of("<a") == "line 1: a tag does not end");
  CHECK(fault_of("<a>\n") == "line 1: no end of <a>");
  CHECK(fault_of("<a>\n</b>") == "line 2: expected a");
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<a>";
  CHECK(fault_of(deep) == "line 1: too many elements in each other");
}

TEST_CASE("a cascade that cannot be read is refused, with the file's name") {
  CHECK_THROWS_WITH_AS(static_cast<void>(faces::read_cascade("/no/such/file")),
                       doctest::Contains("/no/such/file"), std::runtime_error);
}

TEST_CASE("boxes that are alike make one of their means, if they are enough") {
  const std::vector<Box> boxes = {
      {10, 10, 20, 20}, {12, 10, 20, 20}, {100, 50, 30, 30}, {14, 12, 21, 21}};
  CHECK(faces::group(boxes, 2) == std::vector<Box>{{12, 11, 20, 20}});
  CHECK(faces::group(boxes, 3).empty());
  CHECK(faces::group({}, 0).empty());
}

TEST_CASE("likeness joins in chains") {
  const std::vector<Box> boxes = {{0, 0, 20, 20}, {8, 0, 20, 20}, {4, 0, 20, 20}};
  CHECK(faces::group({boxes[0], boxes[1]}, 0).size() == 2);
  CHECK(faces::group(boxes, 2) == std::vector<Box>{{4, 0, 20, 20}});
}

TEST_CASE("a small group inside a larger one is dropped") {
  std::vector<Box> boxes(5, Box{0, 0, 100, 100});
  boxes.resize(7, Box{30, 30, 20, 20});
  CHECK(faces::group(boxes, 1) == std::vector<Box>{{0, 0, 100, 100}});
}

TEST_CASE("boxes are cut at the rim of the photo") {
  CHECK(faces::clipped({{-1, 5, 20, 20}, {90, 90, 20, 20}}, 100, 100) ==
        std::vector<Box>{{0, 5, 19, 20}, {90, 90, 10, 10}});
}
