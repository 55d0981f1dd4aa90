// SPDX-License-Identifier: Apache-2.0
//
// A text made from a source by replacing some of its parts, with the way back from each byte to the
// place in the source that it came from. So Clang can read a changed text, and its messages still
// name the user's own lines and columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/lex/source.hpp"

namespace myr::translate {

// A part of a replacement. With an origin, its bytes stand for those of the source from there on;
// with an anchor, all of them for that one; else for the begin of what is replaced.
struct Piece {
  std::string text;
  std::optional<std::size_t> origin = std::nullopt;
  std::optional<std::size_t> anchor = std::nullopt;
};

class Edits {
 public:
  explicit Edits(const Source& source) : source_(&source) {}

  // Puts the pieces in the place of `span`; empty spans insert. REQUIRES: spans do not overlap.
  void replace(Span span, std::vector<Piece> pieces);

  // The whole text with all replacements made. The functions below speak about it.
  [[nodiscard]] std::string apply();

  // Where in the source the byte came from; what was added stands for the begin of what it
  // replaced.
  [[nodiscard]] std::size_t to_source(std::size_t offset) const;
  [[nodiscard]] Span to_source(Span span) const;

 private:
  struct Edit {
    Span span;
    std::vector<Piece> pieces;
  };
  // Bytes of the edited text from `begin` on; `copied`: one for one from `origin` on.
  struct Run {
    std::size_t begin;
    std::size_t origin;
    bool copied;
  };
  void add(std::string& text, std::string_view part, std::size_t origin, bool copied);

  const Source* source_;
  std::vector<Edit> edits_;
  std::vector<Run> runs_;
};

}  // namespace myr::translate
