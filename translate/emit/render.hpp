// SPDX-License-Identifier: Apache-2.0
//
// Copies parts of a source with replacements, some of which depend on where the copy goes: within a
// block that became a function of its own, some variables have other names.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "translate/lex/language.hpp"
#include "translate/parse/model.hpp"

namespace myr::translate {

// How the variable is named inside of the task.
[[nodiscard]] std::string name_within(const Variable& variable, Language language);

// Text as a string literal.
[[nodiscard]] std::string quoted(std::string_view text);
// Makes the text that follows be at `offset` of the user's file, line and column.
[[nodiscard]] std::string at(const Source& source, std::size_t offset);

class Renderer {
 public:
  // Text for a place, given the site that the text will be a part of (nullptr: none).
  using Text = std::function<std::string(const Site* block)>;

  Renderer(const Source& source, Language language) : source_(&source), language_(language) {}

  // `owner`: the site whose statement this is, and which is rendered without it for that.
  void replace(Span span, Text text, const Site* owner = nullptr);
  // Names something differently wherever it is copied to.
  void rename(const Renamed& renamed) { renamed_.push_back(renamed); }
  void sort();  // after the last replace()

  // The text of `span` in `block`. Replacements inside others are left out.
  [[nodiscard]] std::string render(Span span, const Site* block) const;
  // An expression on one line, without replacements but the names.
  [[nodiscard]] std::string expression(Span span, const Site* block) const;
  // The same, with `name` at `uses`.
  [[nodiscard]] std::string expression(Span span, const Site* block, const std::vector<Span>& uses,
                                       const std::string& name) const;

 private:
  struct Replacement {
    Span span;
    Text text;
    const Site* owner;
  };
  // What is named differently within `span` of `block`, in order.
  [[nodiscard]] std::vector<Renamed> renames_in(Span span, const Site* block) const;

  const Source* source_;
  Language language_;
  std::vector<Renamed> renamed_;
  std::vector<Replacement> replacements_;
};

}  // namespace myr::translate
