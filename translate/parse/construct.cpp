// SPDX-License-Identifier: Apache-2.0
//
// bind_construct(): see construct.hpp.

#include "translate/parse/construct.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "translate/lex/scanner.hpp"
#include "translate/parse/reduction.hpp"
#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

using Kind = Clause::Kind;

class ConstructBinder {
 public:
  ConstructBinder(const Placed& placed, const BlockContext& context)
      : placed_(placed), pragma_(*placed.pragma), context_(context) {}

  Construct run() {
    const bool shares_work =
        pragma_.has(Leaf::Single) || pragma_.has(Leaf::For) || pragma_.has(Leaf::Sections);
    const bool parallel = pragma_.has(Leaf::Parallel);
    found_.in_loop = pragma_.has(Leaf::TaskIter);
    found_.records = pragma_.has(Leaf::TaskGraph) || found_.in_loop;
    found_.waits = parallel || pragma_.has(Leaf::TaskGroup) ||
                   (pragma_.has(Leaf::TaskGraph) && !pragma_.has(Kind::NoGroup)) ||
                   (shares_work && !pragma_.has(Kind::NoWait));
    found_.one_thread = !parallel && (shares_work || pragma_.has(Leaf::Master));
    if (pragma_.has(Leaf::Critical)) {
      found_.critical = std::string(context_.source.text(pragma_.label));
    }
    if (pragma_.has(Leaf::Atomic)) bind_atomic();
    if (context_.nest.has_tasks()) own_copies();
    check_jumps(placed_.statement, {});
    return std::move(found_);
  }

 private:
  struct Inside {
    bool loop = false;
    bool switching = false;
  };

  void error(Span where, std::string text) { context_.diagnostics.error(where, std::move(text)); }
  [[nodiscard]] Span place(CXCursor cursor) const {
    const auto extent = clang::extent(cursor);
    return extent ? context_.edits.to_source(*extent) : pragma_.name;
  }

  void own_copies() {
    // One thread does the whole loop, or all sections: it may use the variables that are theirs.
    const bool alone = pragma_.has(Leaf::For) || pragma_.has(Leaf::Sections);
    for (const Clause& clause : pragma_.clauses) {
      const bool reduction = clause.kind == Kind::Reduction;
      if (reduction && alone) continue;
      if (clause.kind != Kind::Private && clause.kind != Kind::FirstPrivate && !reduction) continue;
      for (const Item& item : clause.items) own_copy(clause, item);
    }
    const CXCursor counter = loop_variable(placed_.statement);
    if (!pragma_.has(Leaf::For) || clang::is_null(counter)) return;
    const auto declared = clang::offset(counter);
    if (declared && placed_.extent.contains(*declared)) return;
    const std::string name = clang::spelling(counter);
    const bool listed = std::any_of(found_.own.begin(), found_.own.end(),
                                    [&](const Variable& own) { return own.name == name; });
    if (!listed && !is_last(counter)) add(counter, Variable::Sharing::Private, {}, pragma_.name);
  }

  // Whether its last value is to be seen outside: one thread runs all iterations, on the variable
  // itself.
  [[nodiscard]] bool is_last(CXCursor declaration) const {
    return std::any_of(pragma_.clauses.begin(), pragma_.clauses.end(), [&](const Clause& clause) {
      return clause.kind == Kind::LastPrivate &&
             std::any_of(clause.items.begin(), clause.items.end(), [&](const Item& item) {
               const CXCursor named = named_variable(item, placed_.expressions);
               return !clang::is_null(named) && clang::same(named, declaration);
             });
    });
  }

  void own_copy(const Clause& clause, const Item& item) {
    using Sharing = Variable::Sharing;
    const CXCursor declaration = named_variable(item, placed_.expressions);
    if (clang::is_null(declaration))
      return error(item.span, "expected the name of a variable, not of a part of one");
    Reduction reduction;
    if (clause.kind == Kind::Reduction) {
      reduction = reduction_of(clause, item, clang_getCursorType(declaration), context_);
    }
    if (is_last(declaration)) return;
    add(declaration,
        clause.kind == Kind::Private        ? Sharing::Private
        : clause.kind == Kind::FirstPrivate ? Sharing::Copy
                                            : Sharing::Reduced,
        std::move(reduction), item.span);
  }

  void add(CXCursor declaration, Variable::Sharing sharing, Reduction reduction, Span where) {
    const std::string name = clang::spelling(declaration);
    if (!is_local(declaration) || clang_Cursor_getStorageClass(declaration) == CX_SC_Static) {
      return error(where, fmt::format("'{0}' is a static or global variable, and a region with "
                                      "tasks has no copy of it: use a local one",
                                      name));
    }
    if (context_.nest.in_task(pragma_)) {
      return error(where,
                   fmt::format("a copy of '{}' inside of a task is not translated: declare a "
                               "variable there",
                               name));
    }
    const CXType type = clang_getCursorType(declaration);
    if (is_variable(type) && sharing != Variable::Sharing::Private) {
      return error(
          where,
          fmt::format(
              "'{}' is an array of variable length, which cannot be copied: declare one inside",
              name));
    }
    Variable& own = found_.own.emplace_back();
    own.name = name;
    own.sharing = sharing;
    own.array = is_array(type);
    own.reduction = std::move(reduction);
  }

  // Control may leave a construct only at its end, where it waits.
  void check_jumps(CXCursor cursor, Inside inside) {
    switch (cursor.kind) {
      case CXCursor_ReturnStmt:
        error(place(cursor), fmt::format("this return would leave '#pragma {}' before its end",
                                         context_.source.text(pragma_.name)));
        break;
      case CXCursor_BreakStmt:
        if (inside.loop || inside.switching) break;
        error(place(cursor), fmt::format("this break would leave '#pragma {}' before its end",
                                         context_.source.text(pragma_.name)));
        break;
      case CXCursor_ContinueStmt:
        if (inside.loop) break;
        error(place(cursor), fmt::format("this continue would leave '#pragma {}' before its end",
                                         context_.source.text(pragma_.name)));
        break;
      case CXCursor_GotoStmt: {
        const CXCursor label = clang_getCursorReferenced(
            clang::children(cursor).empty() ? cursor : clang::children(cursor).front());
        const auto at = clang::offset(label);
        if (at && placed_.extent.contains(*at)) break;
        error(place(cursor), fmt::format("this goto would leave '#pragma {}' before its end",
                                         context_.source.text(pragma_.name)));
        break;
      }
      case CXCursor_IndirectGotoStmt:
        error(place(cursor), "a computed goto cannot be used in an OpenMP construct");
        break;
      case CXCursor_LambdaExpr:
        return;
      case CXCursor_WhileStmt:
        if (is_probe(cursor)) break;
        inside.loop = true;
        break;
      case CXCursor_ForStmt:
      case CXCursor_DoStmt:
      case CXCursor_CXXForRangeStmt:
        inside.loop = true;
        inside.switching = false;
        break;
      case CXCursor_SwitchStmt:
        inside.switching = true;
        break;
      default:
        break;
    }
    // The loop of a `for` construct: its iterations may end early, the loop may not.
    const bool its_loop = pragma_.has(Leaf::For) && clang::same(cursor, placed_.statement);
    if (its_loop) {
      for (const CXCursor child : clang::children(cursor)) check_iteration(child, false);
      inside.loop = true;
    }
    for (const CXCursor child : clang::children(cursor)) check_jumps(child, inside);
  }
  // break out of the loop that a `for` construct shares.
  void check_iteration(CXCursor cursor, bool inner) {
    if (cursor.kind == CXCursor_LambdaExpr) return;
    if (cursor.kind == CXCursor_BreakStmt && !inner) {
      error(place(cursor), "this break would leave the loop of '#pragma omp for' before its end");
    }
    const bool loop = cursor.kind == CXCursor_ForStmt || cursor.kind == CXCursor_DoStmt ||
                      cursor.kind == CXCursor_CXXForRangeStmt ||
                      cursor.kind == CXCursor_SwitchStmt ||
                      (cursor.kind == CXCursor_WhileStmt && !is_probe(cursor));
    for (const CXCursor child : clang::children(cursor)) check_iteration(child, inner || loop);
  }
  [[nodiscard]] bool is_probe(CXCursor loop) const {
    const auto extent = clang::extent(loop);
    return extent && context_.source.text({context_.edits.to_source(extent->begin),
                                           context_.edits.to_source(extent->begin) + 1}) == "#";
  }

  void bind_atomic();
  [[nodiscard]] CXCursor updated(CXCursor statement) const;

  const Placed& placed_;
  const Pragma& pragma_;
  const BlockContext& context_;
  Construct found_;
};

bool is_change_of_one(CXCursor cursor) {
  if (cursor.kind == CXCursor_CompoundAssignOperator) return true;
  if (cursor.kind == CXCursor_BinaryOperator) {
    return clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign;
  }
  if (cursor.kind != CXCursor_UnaryOperator) return false;
  const auto operation = clang_getCursorUnaryOperatorKind(cursor);
  return operation == CXUnaryOperator_PostInc || operation == CXUnaryOperator_PostDec ||
         operation == CXUnaryOperator_PreInc || operation == CXUnaryOperator_PreDec;
}

// The tokens of the text, with one blank between them.
std::string spaced(const Source& source, Span span) {
  std::string all;
  for (const Token& token : scan(source, span)) {
    all += all.empty() ? "" : " ";
    all += source.text(token.span);
  }
  return all;
}

// The variable that the statement of an atomic construct updates, reads or writes.
CXCursor ConstructBinder::updated(CXCursor statement) const {
  const CXCursor cursor = clang::without_casts(statement);
  const std::vector<CXCursor> below = clang::children(cursor);
  const auto has_clause = [&](std::string_view name) {
    return std::any_of(pragma_.clauses.begin(), pragma_.clauses.end(), [&](const Clause& clause) {
      return context_.source.text(clause.name) == name;
    });
  };
  if (cursor.kind == CXCursor_CompoundStmt && below.size() == 2) {
    // { v = x; x += 1; } or { x += 1; v = x; }: x is what both name, and one of them only reads.
    const CXCursor first = updated(below[0]);
    const CXCursor second = updated(below[1]);
    if (clang::is_null(first) || clang::is_null(second)) return clang_getNullCursor();
    const std::string one = spaced(context_.source, place(first));
    const std::string reader = spaced(context_.source, place(below[1]));
    const bool second_reads = clang::without_casts(below[1]).kind == CXCursor_BinaryOperator &&
                              reader.ends_with("= " + one);
    return second_reads ? first : second;
  }
  if (cursor.kind == CXCursor_CompoundStmt && below.size() == 1) return updated(below[0]);
  if (cursor.kind == CXCursor_IfStmt && below.size() == 2) return updated(below[1]);
  if (!is_change_of_one(cursor) || below.empty()) return clang_getNullCursor();
  const bool assigns = cursor.kind == CXCursor_BinaryOperator;
  if (assigns && has_clause("read")) return clang::without_casts(below[1]);
  if (assigns && has_clause("capture")) {
    const CXCursor inner = clang::without_casts(below[1]);
    if (is_change_of_one(inner)) return updated(inner);
  }
  return below.front();
}

void ConstructBinder::bind_atomic() {
  const CXCursor variable = updated(placed_.statement);
  const Span span = clang::is_null(variable) ? Span{0, 0} : place(variable);
  if (span.begin == span.end) {
    return error(place(placed_.statement),
                 "OpenMP cannot make this statement atomic: expected x += e;, x++;, "
                 "x = x + e;, v = x; or the like; or write critical");
  }
  const CXCursor bits = clang_getCursorReferenced(variable);
  if (variable.kind == CXCursor_MemberRefExpr && clang_Cursor_isBitField(bits) != 0) {
    return error(span, "a bit-field cannot be changed atomically: write critical");
  }
  const CXCursor statement = clang::without_casts(placed_.statement);
  const std::vector<CXCursor> below = clang::children(statement);
  const bool adds = statement.kind == CXCursor_CompoundAssignOperator && below.size() == 2;
  bool calls = false;
  clang::walk(placed_.statement, [&](CXCursor cursor, CXCursor) {
    calls = calls || cursor.kind == CXCursor_CallExpr;
    return !calls;
  });
  if (calls && !adds) {
    return error(place(placed_.statement),
                 "a call in an atomic statement might be executed more than once: write x += f(), "
                 "or call it before");
  }
  if (adds) found_.atomic_value = place(below[1]);
  found_.atomic = span;
  // Each place where the statement names the variable.
  const std::string wanted = spaced(context_.source, span);
  const std::vector<Token> tokens = scan(context_.source, place(placed_.statement));
  const std::size_t length = scan(context_.source, span).size();
  for (std::size_t i = 0; i + length <= tokens.size(); ++i) {
    const Span here{tokens[i].span.begin, tokens[i + length - 1].span.end};
    const bool member = i > 0 && (context_.source.text(tokens[i - 1].span) == "." ||
                                  context_.source.text(tokens[i - 1].span) == "->");
    const bool longer =
        i + length < tokens.size() &&
        std::string_view("[.->").find(context_.source.text(tokens[i + length].span)) !=
            std::string_view::npos &&
        context_.source.text(tokens[i + length].span) != "-";
    const bool in_value = found_.atomic_value && found_.atomic_value->contains(here);
    if (spaced(context_.source, here) != wanted || member || longer || in_value) continue;
    found_.atomic_uses.push_back(here);
    i += length - 1;
  }
}

}  // namespace

Construct bind_construct(const Placed& placed, const BlockContext& context) {
  return ConstructBinder(placed, context).run();
}

}  // namespace myr::translate
