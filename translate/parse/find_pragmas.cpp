// SPDX-License-Identifier: Apache-2.0
//
// find_pragmas(): see find_pragmas.hpp.

#include "translate/parse/find_pragmas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "translate/pragma/grammar.hpp"

namespace myr::translate {
namespace {

// Quickly rules out most headers.
bool may_have_pragma(std::string_view text) {
  constexpr std::string_view kPragma = "pragma";
  for (std::size_t at = text.find(kPragma); at != std::string_view::npos;
       at = text.find(kPragma, at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\\\r\n", at + kPragma.size());
    const std::string_view rest = text.substr(std::min(next, text.size()));
    if (rest.starts_with("myrmics") || rest.starts_with("omp")) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
         Reading& reading, Diagnostics& diagnostics)
      : source_(source),
        tokens_(tokens),
        unit_(unit),
        reading_(reading),
        diagnostics_(diagnostics) {}

  // Headers with pragmas have become part of the source (driver/includes.hpp), as far as they were
  // found. One that Clang got in another way must not be overlooked.
  void check_headers() {
    for (const std::string& path : unit_.included()) {
      std::ifstream file(path, std::ios::binary);
      std::string text((std::istreambuf_iterator<char>(file)), {});
      if (!may_have_pragma(text)) continue;
      const Source header(path, std::move(text));
      for (const Token& token : scan(header, {0, header.text().size()})) {
        if (token.kind != TokenKind::Directive || !is_our_pragma(header, token.span)) continue;
        diagnostics_.error({0, 0},
                           fmt::format("{}:{}: this pragma would be overlooked: include the "
                                       "file by its name, from a folder that -I names",
                                       path, header.position(token.span.begin).line));
      }
    }
  }

  void find() {
    const std::vector<Span> skipped = unit_.skipped();
    for (const Token& token : tokens_) {
      if (token.kind == TokenKind::Directive) {
        directive(token.span, skipped);
      } else if (source_.text(token.span) == "_Pragma") {
        check_operator(token.span);
      }
    }
  }

 private:
  void directive(Span span, const std::vector<Span>& skipped) {
    if (source_.text(span).starts_with('%') && may_have_pragma(source_.text(span))) {
      diagnostics_.error(span, "write # for %: in the pragmas of tasks");
    }
    const bool active = std::none_of(skipped.begin(), skipped.end(),
                                     [&](Span part) { return part.contains(span.begin); });
    if (!active && is_our_pragma(source_, span)) {
      reading_.inactive.push_back(span);
    } else if (auto pragma = active ? parse_pragma(source_, span, diagnostics_) : std::nullopt) {
      reading_.pragmas.push_back(std::move(*pragma));
    }
    for (const Token& token : scan(source_, {span.begin + 1, span.end}, false)) {
      if (active && source_.text(token.span) == "_Pragma") check_operator(token.span);
    }
  }

  // _Pragma("omp task ...") is not understood; it must not be overlooked either.
  void check_operator(Span name) {
    const std::size_t end = std::min(source_.text().find(')', name.end), source_.text().size());
    const std::string_view operand = source_.text({name.end, end});
    const bool ours = operand.find("myrmics") != std::string_view::npos ||
                      (operand.find("omp") != std::string_view::npos &&
                       operand.find("task") != std::string_view::npos);
    if (ours) {
      diagnostics_.error({name.begin, end},
                         "write #pragma on a line of its own: _Pragma() is not "
                         "translated");
    }
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  const clang::Unit& unit_;
  Reading& reading_;
  Diagnostics& diagnostics_;
};

}  // namespace

void find_pragmas(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
                  Reading& reading, Diagnostics& diagnostics) {
  Finder finder(source, tokens, unit, reading, diagnostics);
  finder.check_headers();
  finder.find();
}

}  // namespace myr::translate
