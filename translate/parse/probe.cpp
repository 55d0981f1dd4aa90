// SPDX-License-Identifier: Apache-2.0
//
// Probes: see probe.hpp.

#include "translate/parse/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace myr::translate {
namespace {

void add_expressions(const Item& item, std::vector<Span>& all) {
  all.insert(all.end(), item.shape.begin(), item.shape.end());
  all.push_back(item.base);
  for (const Brackets& brackets : item.sections) {
    if (brackets.first) all.push_back(*brackets.first);
    if (brackets.second) all.push_back(*brackets.second);
  }
}

// Adds the parts of an item that must be integers.
void add_numbers(const Item& item, std::vector<Span>& numbers) {
  numbers.insert(numbers.end(), item.shape.begin(), item.shape.end());
  for (const Brackets& brackets : item.sections) {
    if (brackets.first) numbers.push_back(*brackets.first);
    if (brackets.second) numbers.push_back(*brackets.second);
  }
}

// `(void)(expression)` for each, with `separator` behind it. Line ends and comments become blanks, so
// that all of it stays on one line; every byte keeps its place.
void add_probe(const Source& source, const Pragma& pragma, const char* separator,
               std::vector<Piece>& pieces) {
  const auto add = [&](Span span, const char* before, const char* behind) {
    pieces.push_back({.text = before, .anchor = span.begin});
    pieces.push_back({.text = one_line(source, span), .origin = span.begin});
    pieces.push_back({.text = std::string(behind) + separator, .anchor = span.begin});
  };
  for (const Span span : expressions_of(pragma)) add(span, "(void)(", ")");
  for (const Clause& clause : pragma.clauses) {
    std::vector<Span> numbers;
    for (const Item& item : clause.items) add_numbers(item, numbers);
    for (const Span span : numbers) add(span, "(void)\"\"[(", ")]");
    const bool condition = clause.kind == Clause::Kind::If || clause.kind == Clause::Kind::Final;
    if (condition) add(clause.value, "(void)!(", ")");
  }
}

std::vector<Piece> statement_probe(const Source& source, const Pragma& pragma) {
  std::vector<Piece> pieces{{"while ("}};
  add_probe(source, pragma, ",", pieces);
  pieces.push_back({pragma.kind == PragmaKind::Wait ? "0);" : "0)"});
  return pieces;
}

// Why the pragma, which stands in no function, cannot be before this declaration; nullptr: it can.
const char* problem_with(const Pragma& pragma, const Function* function) {
  if (pragma.kind != PragmaKind::Task || pragma.form != Form::Omp) {
    return "this pragma belongs inside a function";
  }
  if (function == nullptr || !function->parameters) {
    return "expected the declaration of a function after the pragma";
  }
  if (function->is_template) {
    return "a template cannot be declared a task: write the pragma before its calls";
  }
  if (!function->returns_nothing) {
    return "a function that is a task must return void: nobody could wait for its result";
  }
  return nullptr;
}

}  // namespace

std::vector<Span> expressions_of(const Pragma& pragma) {
  std::vector<Span> all;
  for (const Clause& clause : pragma.clauses) {
    using Kind = Clause::Kind;
    const bool only_names = clause.kind == Kind::Safe || clause.kind == Kind::NoTransfer;
    if (only_names || clause.kind == Kind::Ignored) continue;
    for (const Item& item : clause.items) add_expressions(item, all);
    if (clause.value.end > clause.value.begin) all.push_back(clause.value);
  }
  return all;
}

const Function* annotated_function(const Pragma& pragma, const Outline& outline,
                                   const std::vector<Token>& tokens) {
  const std::size_t next = token_from(tokens, pragma.span.end);
  return next < tokens.size() ? outline.beginning_at(tokens[next].span.begin) : nullptr;
}

Edits make_probes(const Source& source, const std::vector<Token>& tokens,
                  const std::vector<Pragma>& pragmas, const Outline& outline,
                  Diagnostics& diagnostics) {
  Edits edits(source);
  for (const Prototype& prototype : outline.prototypes()) {
    edits.replace({prototype.before, prototype.before}, {{prototype.text + " "}});
  }
  for (std::size_t i = 0; i < pragmas.size(); ++i) {
    const Pragma& pragma = pragmas[i];
    if (outline.around(pragma.span.begin) != nullptr) {
      edits.replace(pragma.span, statement_probe(source, pragma));
      continue;
    }
    const Function* function = annotated_function(pragma, outline, tokens);
    if (const char* problem = problem_with(pragma, function)) {
      diagnostics.error(pragma.name, problem);
      continue;
    }
    std::vector<Piece> pieces{{fmt::format(" static void myrcc_probe_{}({}) {{", i,
                                           one_line(source, *function->parameters)),
                               std::nullopt}};
    add_probe(source, pragma, ";", pieces);
    pieces.push_back({"}"});
    const std::size_t end = function->body ? function->extent.end
                                           : declaration_end(source, tokens, function->extent.end);
    edits.replace({end, end}, std::move(pieces));
  }
  return edits;
}

Expressions find_expressions(CXCursor tree, const Pragma& pragma, const Edits& edits) {
  Expressions found;
  std::vector<Span> wanted = expressions_of(pragma);
  clang::walk(tree, [&](CXCursor cursor, CXCursor) {
    if (cursor.kind != CXCursor_ParenExpr) return true;
    const auto extent = clang::extent(cursor);
    const std::vector<CXCursor> inside = clang::children(cursor);
    if (!extent || inside.size() != 1) return true;
    const std::size_t begin = edits.to_source(extent->begin + 1);
    const bool ours =
        std::any_of(wanted.begin(), wanted.end(), [&](Span span) { return span.begin == begin; });
    if (ours) found.try_emplace(begin, inside.front());
    return true;
  });
  return found;
}

}  // namespace myr::translate
