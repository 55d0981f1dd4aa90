// SPDX-License-Identifier: Apache-2.0
//
// check_directives(): see directives.hpp.

#include "translate/parse/directives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "translate/pragma/grammar.hpp"

namespace myr::translate {
namespace {

using Names = std::set<std::string, std::less<>>;

void add_words(const Source& source, Span span, Names& words) {
  for (const Token& token : scan(source, span, false)) {
    if (token.kind == TokenKind::Identifier) words.emplace(source.text(token.span));
  }
}

// The macro that the directive defines or takes away; empty: it is another one.
std::string_view changed_macro(const Source& source, Span directive) {
  const std::vector<Token> tokens = scan(source, {directive.begin + 1, directive.end}, false);
  if (tokens.size() < 2) return "";
  const std::string_view name = source.text(tokens[0].span);
  return name == "define" || name == "undef" ? source.text(tokens[1].span) : "";
}

}  // namespace

void check_directives(const Source& source, const std::vector<Token>& tokens, PlacedBlock block,
                      Diagnostics& diagnostics) {
  int depth = 0;
  bool crosses = false;
  for (const Token& token : tokens) {
    const std::size_t at = token.span.begin;
    const bool between = at >= block.pragma_end && at < block.statement.begin;
    const bool inside = block.statement.contains(at);
    if (token.kind != TokenKind::Directive || (!between && !inside)) continue;
    const std::string name = directive_name(source, token.span);
    if (between && name == "pragma" && !is_our_pragma(source, token.span)) {
      diagnostics.error(token.span, "this pragma stands between a task's pragma and its statement");
    }
    if (!inside) continue;
    crosses = crosses || (depth == 0 && (name.starts_with("el") || name == "endif"));
    depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
  }
  if (crosses || depth != 0) {
    diagnostics.error(
        block.statement,
        "the task begins or ends in the middle of an #if: write it out for each case");
  }
}

void check_macros(const Source& source, const std::vector<Token>& tokens, Span used, Span way,
                  const std::vector<Span>& skipped, Diagnostics& diagnostics) {
  std::vector<Span> changes;
  std::vector<Span> definitions;
  for (const Token& token : tokens) {
    const bool left_out = std::any_of(skipped.begin(), skipped.end(),
                                      [&](Span span) { return span.contains(token.span.begin); });
    if (token.kind != TokenKind::Directive || left_out) continue;
    if (changed_macro(source, token.span).empty()) continue;
    definitions.push_back(token.span);
    if (way.contains(token.span)) changes.push_back(token.span);
  }
  if (changes.empty()) return;
  Names words;
  add_words(source, used, words);
  for (std::size_t before = 0; before != words.size();) {
    before = words.size();
    for (const Span definition : definitions) {
      if (words.contains(changed_macro(source, definition))) add_words(source, definition, words);
    }
  }
  for (const Span change : changes) {
    const std::string_view name = changed_macro(source, change);
    if (!words.contains(name)) continue;
    diagnostics.error(
        change,
        fmt::format(
            "this redefines the macro '{}' between a task that uses it, in line {}, and the place "
            "where the task's code goes: move it out of the function, to after its end",
            name, source.position(used.begin).line));
  }
}

}  // namespace myr::translate
