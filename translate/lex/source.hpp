// SPDX-License-Identifier: Apache-2.0
//
// A source in memory: its text, and where in the user's files a byte of it stands. All other parts
// of myrcc name places by byte offsets (Span) and turn them into files, lines and columns here, for
// people.
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

// Line and column count from 1, as compilers do; a column is a byte.
struct Position {
  std::string_view path;
  std::size_t line = 1;
  std::size_t column = 1;
};

class Source {
 public:
  // From `begin` on, the text is that of `path` from line `line` on.
  struct Part {
    std::size_t begin = 0;
    std::string path;
    std::size_t line = 1;
    bool written = false;  // so says a #line of the user's, if the preprocessor gets there
  };

  Source(std::string path, std::string text);
  // REQUIRES: parts are in order, start at 0 and at begins of lines; the first is of the main file.
  Source(std::vector<Part> parts, std::string text);

  // The main file's.
  [[nodiscard]] const std::string& path() const noexcept { return parts_.front().path; }
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }
  [[nodiscard]] std::string_view text(Span span) const noexcept {
    return std::string_view(text_).substr(span.begin, span.end - span.begin);
  }
  // An offset past the end stands for the end.
  [[nodiscard]] Position position(std::size_t offset) const noexcept;
  // The line that holds the offset, without its newline.
  [[nodiscard]] std::string_view line_at(std::size_t offset) const noexcept;

 private:
  [[nodiscard]] std::size_t line_index(std::size_t offset) const noexcept;

  std::vector<Part> parts_;
  std::string text_;
  std::vector<std::size_t> line_begins_;
};

}  // namespace myr::translate
