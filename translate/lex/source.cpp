// SPDX-License-Identifier: Apache-2.0
//
// Source: see source.hpp.

#include "translate/lex/source.hpp"

#include <algorithm>
#include <utility>

namespace myr::translate {

Source::Source(std::string path, std::string text)
    : path_(std::move(path)), text_(std::move(text)), line_begins_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') line_begins_.push_back(i + 1);
  }
}

Position Source::position(std::size_t offset) const noexcept {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(line_begins_.begin(), line_begins_.end(), offset);
  const auto line = static_cast<std::size_t>(next - line_begins_.begin());
  return {line, offset - line_begins_[line - 1] + 1};
}

std::string_view Source::line(std::size_t line) const noexcept {
  const std::size_t begin = line_begins_[line - 1];
  std::size_t end = line < line_begins_.size() ? line_begins_[line] - 1 : text_.size();
  if (end > begin && text_[end - 1] == '\r') --end;
  return text({begin, end});
}

std::size_t Source::line_begin(std::size_t offset) const noexcept {
  return line_begins_[position(offset).line - 1];
}

}  // namespace myr::translate
