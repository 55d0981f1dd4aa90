// SPDX-License-Identifier: Apache-2.0
//
// find_pragmas(): see find_pragmas.hpp.

#include "translate/parse/find_pragmas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string_view>

#include "translate/pragma/directive.hpp"
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
    if (begins_pragma(rest.substr(0, rest.find_first_of(" \t\\\r\n(\"")))) return true;
  }
  return false;
}

class Finder {
 public:
  Finder(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
         const ReadOptions& options, Reading& reading, Diagnostics& diagnostics)
      : source_(source),
        tokens_(tokens),
        unit_(unit),
        options_(options),
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
        const bool directive = token.kind == TokenKind::Directive;
        if (!directive || interest_of(header, token.span) != Interest::Task) continue;
        diagnostics_.error({0, 0},
                           fmt::format("{}:{}: this pragma would be overlooked: include the "
                                       "file by its name, from a folder that -I names",
                                       path, header.position(token.span.begin).line));
      }
    }
  }

  // Behind a #line that the preprocessor leaves out nobody here knows the lines.
  void check_lines() {
    const std::vector<Span> skipped = unit_.skipped();
    for (const Source::Part& part : source_.parts()) {
      const bool left_out = std::any_of(skipped.begin(), skipped.end(), [&](Span span) {
        return part.begin > 0 && span.contains(part.begin - 1);
      });
      if (!part.written || !left_out || reading_.pragmas.empty()) continue;
      diagnostics_.error({part.begin - 1, part.begin},
                         "this #line, which the preprocessor skips, makes the line numbers of a "
                         "file with tasks unknown: remove it, or move it out of the #if");
    }
  }

  void find() {
    const std::vector<Span> skipped = unit_.skipped();
    const auto is_active = [&](Span span) {
      return std::none_of(skipped.begin(), skipped.end(),
                          [&](Span part) { return part.contains(span.begin); });
    };
    has_tasks_ = std::any_of(tokens_.begin(), tokens_.end(), [&](const Token& token) {
      return token.kind == TokenKind::Directive &&
             interest_of(source_, token.span) == Interest::Task && is_active(token.span);
    });
    for (const Token& token : tokens_) {
      if (token.kind == TokenKind::Directive) directive(token.span, skipped);
    }
  }

  // The compiler must leave out what Clang leaves out; one line of each part is enough to tell.
  void find_left_out() {
    for (const Span part : unit_.skipped()) {
      const auto line = first_line(part);
      if (line) reading_.left_out.push_back(*line);
    }
  }

 private:
  // A line of code in a part that begins with its #if or #else, and in no #if inside of it.
  [[nodiscard]] std::optional<Span> first_line(Span part) const {
    auto token = std::lower_bound(tokens_.begin(), tokens_.end(), part.begin + 1,
                                  [](const Token& t, std::size_t at) { return t.span.begin < at; });
    int depth = 0;
    for (; token != tokens_.end() && token->span.begin < part.end; ++token) {
      if (token->kind == TokenKind::Directive) {
        const std::string name = directive_name(source_, token->span);
        depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
      } else if (depth == 0 && is_whole_line(line_from(token->span.begin))) {
        return line_from(token->span.begin);
      }
    }
    return std::nullopt;
  }
  [[nodiscard]] Span line_from(std::size_t begin) const {
    return {begin, std::min(source_.text().find('\n', begin), source_.text().size())};
  }
  // Whether nothing but blanks stands before it, and nothing in it goes on in the next line.
  [[nodiscard]] bool is_whole_line(Span line) const {
    const std::string_view all = source_.text();
    const std::size_t before = all.substr(0, line.begin).find_last_not_of(" \t");
    const std::string_view text = source_.text(line);
    return (before == std::string_view::npos || all[before] == '\n') &&
           text.find("/*") == std::string_view::npos && text.find('\\') == std::string_view::npos &&
           text.find("R\"") == std::string_view::npos;
  }

  void directive(Span span, const std::vector<Span>& skipped) {
    if (source_.text(span).starts_with('%') && may_have_pragma(source_.text(span))) {
      diagnostics_.error(span, "write # for %: in the pragmas of tasks");
    }
    const bool active = std::none_of(skipped.begin(), skipped.end(),
                                     [&](Span part) { return part.contains(span.begin); });
    if (!active && is_our_pragma(source_, span)) {
      reading_.inactive.push_back(span);
    } else if (active) {
      parse(span);
    }
  }

  void parse(Span span) {
    Diagnostics unheard(source_);
    // What the compiler will see as it is needs not be understood here.
    const bool may_be_left = options_.openmp && !has_tasks_;
    auto pragma = parse_pragma(source_, span, may_be_left ? unheard : diagnostics_);
    if (!pragma) return leave(span);
    if (is_hint(*pragma)) pragma->kind = PragmaKind::Hint;
    switch (pragma->kind) {
      case PragmaKind::Foreign:
        if (has_tasks_) {
          diagnostics_.error(
              pragma->name, fmt::format("'{}' does not work with tasks: {}",
                                        source_.text(pragma->name), why_foreign(word_of(*pragma))));
        }
        break;
      case PragmaKind::Unknown:
        diagnostics_.error(pragma->name, about_unknown(pragma->form, word_of(*pragma)));
        break;
      default:
        reading_.pragmas.push_back(std::move(*pragma));
    }
  }

  // The one behind `omp`; empty if there is none.
  [[nodiscard]] std::string_view word_of(const Pragma& pragma) const {
    const std::vector<Token> words = scan(source_, pragma.name, false);
    return words.size() > 1 ? source_.text(words[1].span) : std::string_view();
  }

  // The compiler that cuts tasks out would obey all others, too.
  void leave(Span span) {
    if (options_.openmp || options_.simd) return;
    const std::vector<Token> words = scan(source_, {span.begin + 1, span.end}, false);
    if (words.size() > 1 && source_.text(words[1].span) == "omp") reading_.unheard.push_back(span);
  }

  // #pragma omp target device(smp) copy_deps: OmpSs' word for tasks of the processor.
  [[nodiscard]] bool is_hint(const Pragma& pragma) const {
    if (pragma.kind != PragmaKind::Foreign) return false;
    const std::vector<Token> words = scan(source_, {pragma.span.begin + 1, pragma.span.end}, false);
    bool smp = false;
    for (std::size_t i = 2; i < words.size(); ++i) {
      const std::string_view text = source_.text(words[i].span);
      const bool device =
          text == "device" && i + 3 < words.size() && source_.text(words[i + 2].span) == "smp";
      smp = smp || device;
      if (device) i += 3;
      const bool known =
          i == 2 || device || text == "copy_deps" || text == "no_copy_deps" || text == ",";
      if (!known) return false;
    }
    return smp && words.size() > 2 && source_.text(words[2].span) == "target";
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  const clang::Unit& unit_;
  const ReadOptions& options_;
  bool has_tasks_ = false;
  Reading& reading_;
  Diagnostics& diagnostics_;
};

}  // namespace

void find_pragmas(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
                  const ReadOptions& options, Reading& reading, Diagnostics& diagnostics) {
  Finder finder(source, tokens, unit, options, reading, diagnostics);
  finder.check_headers();
  finder.find();
  finder.find_left_out();
  finder.check_lines();
}

}  // namespace myr::translate
