// SPDX-License-Identifier: Apache-2.0
//
// Copies parts of a source with replacements, some of which depend on the site that they are a part
// of.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "translate/parse/model.hpp"

namespace myr::translate {

// Text as a string literal.
[[nodiscard]] std::string quoted(std::string_view text);
// Makes the text that follows be at `offset` of the user's file, line and column.
[[nodiscard]] std::string at(const Source& source, std::size_t offset);

class Renderer {
 public:
  // Text for a place, given the site that the text will be a part of (nullptr: none).
  using Text = std::function<std::string(const Site* block)>;

  explicit Renderer(const Source& source) : source_(&source) {}

  // `owner`: the site whose statement this is, for which it is therefore rendered without the
  // replacement.
  void replace(Span span, Text text, const Site* owner = nullptr);
  // Names something differently wherever it is copied to.
  void rename(const Renamed& renamed) { renamed_.push_back(renamed); }
  void sort();  // after the last replace()

  // The text of `span` in `block`. Replacements inside others are left out.
  [[nodiscard]] std::string render(Span span, const Site* block) const;
  // An expression on one line, without replacements but the names.
  [[nodiscard]] std::string expression(Span span) const;

 private:
  struct Replacement {
    Span span;
    Text text;
    const Site* owner;
  };
  // What is named differently within `span`, in order.
  [[nodiscard]] std::vector<Renamed> renames_in(Span span) const;

  const Source* source_;
  std::vector<Renamed> renamed_;
  std::vector<Replacement> replacements_;
};

}  // namespace myr::translate
