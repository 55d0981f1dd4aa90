// SPDX-License-Identifier: Apache-2.0
//
// check_directives(): see directives.hpp.

#include "translate/parse/directives.hpp"

#include "translate/pragma/grammar.hpp"

namespace myr::translate {

void check_directives(const Source& source, const std::vector<Token>& tokens, PlacedBlock block,
                      Language language, Diagnostics& diagnostics) {
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
    if (language == Language::C && (name == "define" || name == "undef" || name == "include")) {
      diagnostics.error(token.span, "this cannot stand inside of a task: move it out");
    }
    crosses = crosses || (depth == 0 && (name.starts_with("el") || name == "endif"));
    depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
  }
  if (crosses || depth != 0) {
    diagnostics.error(
        block.statement,
        "the task begins or ends in the middle of an #if: write it out for each case");
  }
}

}  // namespace myr::translate
