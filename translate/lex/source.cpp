// SPDX-License-Identifier: Apache-2.0
//
// Source: see source.hpp.

#include "translate/lex/source.hpp"

#include <algorithm>
#include <utility>

namespace myr::translate {

Source::Source(std::string path, std::string text)
    : Source(std::vector<Part>{{0, std::move(path), 1}}, std::move(text)) {}

Source::Source(std::vector<Part> parts, std::string text)
    : parts_(std::move(parts)), text_(std::move(text)), line_begins_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_begins_.push_back(i + 1);
  }
}

std::size_t Source::line_index(std::size_t offset) const noexcept {
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  return static_cast<std::size_t>(next - line_begins_.begin()) - 1;
}

Position Source::position(std::size_t offset) const noexcept {
  offset = std::min(offset, text_.size());
  const auto next =
      std::upper_bound(parts_.begin(), parts_.end(), offset,
                       [](std::size_t at, const Part& part) { return at < part.begin; });
  const Part& part = *(next - 1);
  const std::size_t line = line_index(offset);
  return {part.path, part.line + line - line_index(part.begin), offset - line_begins_[line] + 1};
}

std::string_view Source::line_at(std::size_t offset) const noexcept {
  const std::size_t line = line_index(std::min(offset, text_.size()));
  const std::size_t begin = line_begins_[line];
  const bool last = line + 1 == line_begins_.size();
  std::size_t end = last ? text_.size() : line_begins_[line + 1] - 1;
  if (end > begin && text_[end - 1] == '\r') --end;
  return text({begin, end});
}

}  // namespace myr::translate
