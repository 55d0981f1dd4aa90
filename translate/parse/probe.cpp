// SPDX-License-Identifier: Apache-2.0
//
// Probes: see probe.hpp.

#include "translate/parse/probe.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace myr::translate {
namespace {

// An expression of an item, and how many of the item's iterators it may name.
struct Part {
  Span span;
  std::size_t scope;
};

std::vector<Part> parts_of(const Item& item) {
  std::vector<Part> all;
  for (std::size_t i = 0; i < item.iterators.size(); ++i) {
    const Iterator& iterator = item.iterators[i];
    all.push_back({iterator.first, i});
    all.push_back({iterator.second, i});
    if (iterator.step) all.push_back({*iterator.step, i});
  }
  const std::size_t scope = item.iterators.size();
  for (const Span span : item.shape) all.push_back({span, scope});
  all.push_back({item.base, scope});
  for (const Brackets& brackets : item.sections) {
    if (brackets.first) all.push_back({*brackets.first, scope});
    if (brackets.second) all.push_back({*brackets.second, scope});
  }
  return all;
}

// The declarations of an item's counter and iterators, to stand before an expression.
std::string declared(const Source& source, const Item& item, std::size_t scope) {
  std::string text;
  if (item.counter) {
    const Span span = item.counter->declaration;
    text = span.end > span.begin
               ? one_line(source, span) + "; "
               : fmt::format("__typeof__({0}) {0}; ", source.text(item.counter->name));
  }
  for (std::size_t i = 0; i < scope; ++i) {
    const Iterator& iterator = item.iterators[i];
    const bool typed = iterator.type.end > iterator.type.begin;
    text += fmt::format("{} {} = 0; ", typed ? one_line(source, iterator.type) : "int",
                        source.text(iterator.name));
  }
  return text;
}

// Whether a clause has no expressions that Clang should read.
bool says_names(const Clause& clause) {
  using Kind = Clause::Kind;
  return clause.kind == Kind::Safe || clause.kind == Kind::NoTransfer ||
         clause.kind == Kind::Ignored;
}

// `(void)(expression)` for each, with `separator` behind it. Line ends and comments become blanks,
// so that all of it stays on one line; every byte keeps its place.
void add_probe(const Source& source, const Pragma& pragma, const char* separator,
               std::vector<Piece>& pieces) {
  const auto add = [&](Span span, const char* before, const char* behind) {
    pieces.push_back({.text = before, .anchor = span.begin});
    pieces.push_back({.text = one_line(source, span), .origin = span.begin});
    pieces.push_back({.text = std::string(behind) + separator, .anchor = span.begin});
  };
  for (const Clause& clause : pragma.clauses) {
    if (says_names(clause)) continue;
    for (const Item& item : clause.items) {
      for (const Part& part : parts_of(item)) {
        const std::string scope = declared(source, item, part.scope);
        const std::string end = scope.empty() ? "" : "; })";
        const auto add_in_scope = [&](const char* before, const std::string& behind) {
          if (!scope.empty()) {
            // Anchored elsewhere, because a typeof() in it is no expression of the item.
            const Span place = item.counter ? item.counter->name : pragma.name;
            pieces.push_back({.text = "(void)__extension__({ " + scope, .anchor = place.begin});
          }
          add(part.span, before, (behind + end).c_str());
        };
        add_in_scope("(void)(", ")");
        const bool number = part.span.begin != item.base.begin;
        if (number) add_in_scope("(void)\"\"[(", ")]");
      }
    }
    if (clause.value.end > clause.value.begin) add(clause.value, "(void)(", ")");
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
  if (pragma.kind != PragmaKind::Task || pragma.form == Form::Myrmics) {
    return "this pragma belongs inside a function";
  }
  if (function == nullptr || !function->parameters) {
    return "expected the declaration of a function after the pragma";
  }
  if (function->is_virtual) {
    return "a virtual method cannot be declared a task, for those that override it would be none: "
           "write the pragma before its calls";
  }
  if (function->is_special) return "a constructor or its like cannot be declared a task";
  if (function->is_variadic) {
    return "a function of any number of arguments cannot be declared a task: write the pragma "
           "before its calls";
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
    if (says_names(clause)) continue;
    for (const Item& item : clause.items) {
      for (const Part& part : parts_of(item)) all.push_back(part.span);
    }
    if (clause.value.end > clause.value.begin) all.push_back(clause.value);
  }
  return all;
}

const Function* annotated_function(const Pragma& pragma, const Outline& outline,
                                   const std::vector<Token>& tokens) {
  std::size_t next = token_from(tokens, pragma.span.end);
  while (next < tokens.size() && tokens[next].kind == TokenKind::Directive) ++next;
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
    if (pragma.kind == PragmaKind::Hint) {
      edits.replace(pragma.span, {});
      continue;
    }
    if (outline.around(pragma.span.begin) != nullptr) {
      edits.replace(pragma.span, statement_probe(source, pragma));
      continue;
    }
    const Function* function = annotated_function(pragma, outline, tokens);
    if (function != nullptr && outline.has_another_at(*function)) {
      diagnostics.error(
          pragma.name,
          "the declaration after the pragma is one of several functions: declare each one "
          "separately, because the clauses name the parameters of one function");
      continue;
    }
    if (const char* problem = problem_with(pragma, function)) {
      diagnostics.error(pragma.name, problem);
      continue;
    }
    const char* linkage = function->is_method && !function->is_static ? "" : "static ";
    std::vector<Piece> pieces{
        {fmt::format(" {}{}void myrcc_probe_{}({}) {{", function->template_head, linkage, i,
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
