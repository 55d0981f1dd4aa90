// SPDX-License-Identifier: Apache-2.0
//
// A thin C++ face over the part of libclang's C interface that myrcc uses: one translation unit,
// parsed from text in memory, and its syntax tree. Offsets are bytes in the main file; what stands
// elsewhere (in headers) has none.
#pragma once

#include <clang-c/Index.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "translate/lex/source.hpp"
#include "translate/report/diagnostics.hpp"

namespace myr::translate::clang {

// Something that Clang has to say. Without a place if it is about another file, whose name is then
// part of the text.
struct Message {
  Severity severity;
  std::optional<std::size_t> offset;
  std::string text;
};

// A translation unit. Cursors and types taken from it die at the next parse() and with it.
class Unit {
 public:
  // `arguments`: options of the compiler, understood or left out by Clang. `path`: the main file's.
  Unit(std::vector<std::string> arguments, std::string path);
  ~Unit();
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  // Parses `text` in place of what the main file holds; again after the first time, which is faster
  // as the headers at its beginning are kept. Returns whether there is a syntax tree.
  [[nodiscard]] bool parse(const std::string& text);

  [[nodiscard]] CXCursor root() const;
  // The names of all files that the main file includes, at any depth.
  [[nodiscard]] std::vector<std::string> included() const;
  // The parts of the main file that the preprocessor leaves out.
  [[nodiscard]] std::vector<Span> skipped() const;
  // Errors only; in the order of the text.
  [[nodiscard]] std::vector<Message> errors() const;

 private:
  [[nodiscard]] bool is_main(CXFile file) const;

  std::vector<std::string> arguments_;
  std::string path_;
  CXIndex index_;
  CXTranslationUnit unit_ = nullptr;
};

[[nodiscard]] std::string take(CXString string);
[[nodiscard]] std::string spelling(CXCursor cursor);
[[nodiscard]] std::string spelling(CXType type);

// Where the cursor stands in the main file: for what a macro made, the place of the macro's use, or
// of the argument that was handed to it.
[[nodiscard]] std::optional<std::size_t> offset(CXCursor cursor);
[[nodiscard]] std::optional<Span> extent(CXCursor cursor);

[[nodiscard]] std::vector<CXCursor> children(CXCursor cursor);
// Calls `visit` for all cursors below, in the order of the text, with the one above; it returns
// whether to go down.
using Visit = std::function<bool(CXCursor cursor, CXCursor parent)>;
void walk(CXCursor cursor, const Visit& visit);

[[nodiscard]] bool same(CXCursor a, CXCursor b);
[[nodiscard]] bool is_null(CXCursor cursor);
// Through implicit casts, which libclang does not name, and parentheses.
[[nodiscard]] CXCursor without_casts(CXCursor cursor);

}  // namespace myr::translate::clang
