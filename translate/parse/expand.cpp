// SPDX-License-Identifier: Apache-2.0
//
// expand_pragmas(): see expand.hpp. Clang tells which macros are used where; what they become is
// found here, as its C interface does not show pragmas.

#include "translate/parse/expand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "translate/lex/expander.hpp"
#include "translate/pragma/grammar.hpp"

namespace myr::translate {
namespace {

class Rewriter {
 public:
  Rewriter(const Source& source, const std::vector<Token>& tokens, const clang::Unit& unit,
           Diagnostics& diagnostics)
      : source_(source), tokens_(tokens), diagnostics_(diagnostics), skipped_(unit.skipped()) {}

  std::optional<Source> run() {
    if (source_.text().find("_Pragma") == std::string::npos) return std::nullopt;
    parts_.push_back(part_at(0));
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (tokens_[i].kind == TokenKind::Directive) {
        directive(tokens_[i].span);
      } else if (is_active(tokens_[i].span.begin)) {
        i = word(i);
      }
    }
    if (!changed_) return std::nullopt;
    copy_up_to(source_.text().size());
    return Source(std::move(parts_), std::move(text_));
  }

 private:
  [[nodiscard]] bool is_active(std::size_t at) const {
    return std::none_of(skipped_.begin(), skipped_.end(),
                        [&](Span part) { return part.contains(at); });
  }

  void directive(Span span) {
    if (!is_active(span.begin)) return;
    const std::string name = directive_name(source_, span);
    if (name == "define") {
      if (auto macro = macro_of(source_, span)) macros_[macro->first] = std::move(macro->second);
    } else if (name == "undef") {
      const Words words = words_in(std::string(source_.text({span.begin + 1, span.end})));
      if (words.size() > 1) macros_.erase(words[1]);
    }
  }

  // Replaces the macro or operator that begins at token `first`; returns its last token.
  std::size_t word(std::size_t first) {
    const std::string name(source_.text(tokens_[first].span));
    const bool operation = name == "_Pragma";
    const auto macro = operation ? macros_.end() : macros_.find(name);
    if (!operation && macro == macros_.end()) return first;
    const Expander expander(macros_);
    if (!operation && !expander.makes_pragma(name)) return first;
    const std::size_t last = operation || macro->second.function ? closing(first + 1) : first;
    if (last >= tokens_.size()) return first;
    const Words words = expander.expanded(words_of(source_, tokens_, first, last + 1));
    const Span whole{tokens_[first].span.begin, tokens_[last].span.end};
    if (words.size() == 4 && words[0] == "_Pragma") {
      const std::string text = unquoted(words[2]);
      if (interest_of(text) != Interest::None) replace(whole, text);
      return last;
    }
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      const bool known = words[i + 2].ends_with('"');
      if (words[i] == "_Pragma" &&
          (!known || interest_of(unquoted(words[i + 2])) != Interest::None)) {
        diagnostics_.error(whole,
                           "this macro expands to a task's pragma and something else, or not to a "
                           "plain _Pragma(\"...\"): write the pragma on a line of its own");
      }
    }
    return last;
  }

  // The token that closes the parenthesis at token `open`; past the end if `open` is none.
  [[nodiscard]] std::size_t closing(std::size_t open) const {
    if (open >= tokens_.size() || source_.text(tokens_[open].span) != "(") return tokens_.size();
    std::size_t depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      const std::string_view text = source_.text(tokens_[i].span);
      if (text == "(") ++depth;
      if (text == ")" && --depth == 0) return i;
    }
    return tokens_.size();
  }

  [[nodiscard]] Source::Part part_at(std::size_t offset) const {
    const Position position = source_.position(offset);
    return {text_.size(), std::string(position.path), position.line};
  }

  // Keeps the files that lines come from.
  void copy_up_to(std::size_t end) {
    for (const Source::Part& part : source_.parts()) {
      if (part.begin <= copied_ || part.begin >= end) continue;
      text_ += source_.text({copied_, part.begin});
      copied_ = part.begin;
      parts_.push_back({text_.size(), part.path, part.line, part.written});
    }
    text_ += source_.text({copied_, end});
    copied_ = end;
  }

  void begin_line(std::size_t offset) {
    const Position position = source_.position(offset);
    text_ += fmt::format("\n#line {} \"{}\"\n", position.line, position.path);
    parts_.push_back({text_.size(), std::string(position.path), position.line});
  }

  // A directive in the place of the macro; what follows stays in its column.
  void replace(Span whole, const std::string& text) {
    changed_ = true;
    copy_up_to(whole.begin);
    begin_line(whole.begin);
    text_ += "#pragma " + text;
    begin_line(whole.end);
    text_ += std::string(source_.position(whole.end).column - 1, ' ');
    copied_ = whole.end;
  }

  const Source& source_;
  const std::vector<Token>& tokens_;
  Diagnostics& diagnostics_;
  std::vector<Span> skipped_;
  std::map<std::string, Macro> macros_;
  std::vector<Source::Part> parts_;
  std::string text_;
  std::size_t copied_ = 0;
  bool changed_ = false;
};

}  // namespace

std::optional<Source> expand_pragmas(const Source& source, const std::vector<Token>& tokens,
                                     const clang::Unit& unit, Diagnostics& diagnostics) {
  return Rewriter(source, tokens, unit, diagnostics).run();
}

}  // namespace myr::translate
