// SPDX-License-Identifier: Apache-2.0
//
// As much XML as a cascade file has: elements with text or elements in them, and comments.
// Attributes are skipped, entities not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace faces {

struct Element {
  std::string name;
  std::string text;  // that stands directly in it
  std::vector<Element> children;

  // The first child of that name. Throws std::runtime_error if there is none.
  [[nodiscard]] const Element& child(std::string_view child_name) const;
  [[nodiscard]] bool has(std::string_view child_name) const;
  // The numbers in the text. Throws std::runtime_error unless there are `count`.
  [[nodiscard]] std::vector<double> numbers(std::size_t count) const;
};

// The element around all others. Throws std::runtime_error, with the place of what is wrong.
[[nodiscard]] Element parse_xml(std::string_view text);

}  // namespace faces
