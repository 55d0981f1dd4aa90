// SPDX-License-Identifier: Apache-2.0
//
// Edits: see edits.hpp.

#include "translate/parse/edits.hpp"

#include <algorithm>
#include <utility>

namespace myr::translate {

void Edits::replace(Span span, std::vector<Piece> pieces) {
  edits_.push_back({span, std::move(pieces)});
}

void Edits::add(std::string& text, std::string_view part, std::size_t origin, bool copied) {
  if (part.empty()) return;
  runs_.push_back({text.size(), origin, copied});
  text += part;
}

std::string Edits::apply() {
  std::stable_sort(edits_.begin(), edits_.end(),
                   [](const Edit& a, const Edit& b) { return a.span.begin < b.span.begin; });
  std::string text;
  runs_.clear();
  std::size_t at = 0;
  for (const Edit& edit : edits_) {
    add(text, source_->text({at, edit.span.begin}), at, true);
    for (const Piece& piece : edit.pieces) {
      const std::size_t anchor = piece.anchor.value_or(edit.span.begin);
      add(text, piece.text, piece.origin.value_or(anchor), piece.origin.has_value());
    }
    at = edit.span.end;
  }
  add(text, source_->text({at, source_->text().size()}), at, true);
  return text;
}

std::size_t Edits::to_source(std::size_t offset) const {
  const auto next = std::upper_bound(runs_.begin(), runs_.end(), offset,
                                     [](std::size_t at, const Run& run) { return at < run.begin; });
  if (next == runs_.begin()) return offset;
  const Run& run = *(next - 1);
  return run.copied ? run.origin + (offset - run.begin) : run.origin;
}

Span Edits::to_source(Span span) const {
  if (span.begin == span.end) return {to_source(span.begin), to_source(span.begin)};
  return {to_source(span.begin), to_source(span.end - 1) + 1};
}

}  // namespace myr::translate
