// SPDX-License-Identifier: Apache-2.0
//
// Renderer: see render.hpp.

#include "translate/emit/render.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "translate/lex/scanner.hpp"

namespace myr::translate {
std::string quoted(std::string_view text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + '"';
}

std::string at(const Source& source, std::size_t offset) {
  const Position position = source.position(offset);
  return fmt::format("\n#line {} {}\n{}", position.line, quoted(position.path),
                     std::string(position.column - 1, ' '));
}

void Renderer::replace(Span span, Text text, const Site* owner) {
  replacements_.push_back({span, std::move(text), owner});
}

void Renderer::sort() {
  std::stable_sort(
      replacements_.begin(), replacements_.end(),
      [](const Replacement& a, const Replacement& b) { return a.span.begin < b.span.begin; });
}

std::vector<Renamed> Renderer::renames_in(Span span) const {
  std::vector<Renamed> found;
  for (const Renamed& renamed : renamed_) {
    if (span.contains(renamed.span)) found.push_back(renamed);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Renamed& a, const Renamed& b) { return a.span.begin < b.span.begin; });
  return found;
}

std::string Renderer::render(Span span, const Site* block) const {
  const std::vector<Renamed> renames = renames_in(span);
  auto rename = renames.begin();
  std::string text;
  std::size_t at = span.begin;
  const auto copy_up_to = [&](std::size_t end) {
    for (; rename != renames.end() && rename->span.begin < end; ++rename) {
      if (rename->span.begin < at) continue;
      text += source_->text({at, rename->span.begin});
      text += rename->name;
      at = rename->span.end;
    }
    text += source_->text({at, end});
    at = end;
  };
  for (const Replacement& replacement : replacements_) {
    const bool inside = span.contains(replacement.span) && replacement.span.begin >= at;
    const bool itself = block != nullptr && replacement.owner == block;
    if (!inside || itself) continue;
    copy_up_to(replacement.span.begin);
    text += replacement.text(block);
    at = replacement.span.end;
  }
  copy_up_to(span.end);
  return text;
}

std::string Renderer::expression(Span span) const {
  std::string text;
  std::size_t at = span.begin;
  for (const Renamed& rename : renames_in(span)) {
    text += one_line(*source_, {at, rename.span.begin});
    text += rename.name;
    at = rename.span.end;
  }
  return text + one_line(*source_, {at, span.end});
}

}  // namespace myr::translate
