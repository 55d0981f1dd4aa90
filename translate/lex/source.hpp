// SPDX-License-Identifier: Apache-2.0
//
// A source file in memory: its text, and where in it a byte stands. All other parts of myrcc name
// places by byte offsets (Span) and turn them into lines and columns here, for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace myr::translate {

// Bytes [begin, end) of a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] bool contains(std::size_t offset) const noexcept {
    return begin <= offset && offset < end;
  }
  [[nodiscard]] bool contains(Span inner) const noexcept {
    return begin <= inner.begin && inner.end <= end;
  }
  friend bool operator==(Span, Span) noexcept = default;
};

// Both count from 1, as compilers do; a column is a byte.
struct Position {
  std::size_t line = 1;
  std::size_t column = 1;
};

class Source {
 public:
  Source(std::string path, std::string text);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] std::string_view text(Span span) const noexcept {
    return std::string_view(text_).substr(span.begin, span.end - span.begin);
  }
  // An offset past the end stands for the end.
  [[nodiscard]] Position position(std::size_t offset) const noexcept;
  // Without its newline. REQUIRES: 1 <= line <= number of lines.
  [[nodiscard]] std::string_view line(std::size_t line) const noexcept;
  [[nodiscard]] std::size_t line_begin(std::size_t offset) const noexcept;

 private:
  std::string path_;
  std::string text_;
  std::vector<std::size_t> line_begins_;
};

}  // namespace myr::translate
