// SPDX-License-Identifier: Apache-2.0
//
// Nest: see nest.hpp.

#include "translate/parse/nest.hpp"

#include <algorithm>

namespace myr::translate {
namespace {

using Kind = Clause::Kind;

bool is_of_tasks(const Pragma& pragma) {
  return pragma.kind == PragmaKind::Task || pragma.kind == PragmaKind::Loop ||
         pragma.form != Form::Omp || pragma.has(Leaf::TaskWait) || pragma.has(Leaf::TaskGroup) ||
         pragma.has(Leaf::TaskGraph);
}
bool is_for_one_thread(const Pragma& pragma) {
  return pragma.has(Leaf::Single) || pragma.has(Leaf::Master);
}
bool makes_private(Kind kind) {
  return kind == Kind::Private || kind == Kind::FirstPrivate || kind == Kind::LastPrivate ||
         kind == Kind::Reduction || kind == Kind::InReduction;
}

// Whether the operator changes what stands before it.
bool changes_operand(CXCursor cursor) {
  if (cursor.kind == CXCursor_CompoundAssignOperator) return true;
  if (cursor.kind == CXCursor_BinaryOperator) {
    return clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign;
  }
  if (cursor.kind != CXCursor_UnaryOperator) return false;
  const auto operation = clang_getCursorUnaryOperatorKind(cursor);
  return operation == CXUnaryOperator_PostInc || operation == CXUnaryOperator_PostDec ||
         operation == CXUnaryOperator_PreInc || operation == CXUnaryOperator_PreDec;
}
bool takes_address(CXCursor cursor) {
  return cursor.kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf;
}

// Whether `does` holds for an operator below `root` whose first operand is the variable.
bool done_to(CXCursor root, CXCursor variable, bool (*does)(CXCursor)) {
  bool found = false;
  clang::walk(root, [&](CXCursor cursor, CXCursor) {
    if (!found && does(cursor)) {
      const std::vector<CXCursor> below = clang::children(cursor);
      const CXCursor operand = below.empty() ? cursor : clang::without_casts(below.front());
      found = operand.kind == CXCursor_DeclRefExpr &&
              clang::same(clang_getCursorReferenced(operand), variable);
    }
    return !found;
  });
  return found;
}

}  // namespace

CXCursor named_variable(const Item& item, const Expressions& expressions) {
  const auto found = expressions.find(item.base.begin);
  const bool name = found != expressions.end() && found->second.kind == CXCursor_DeclRefExpr &&
                    item.base == item.span;
  return name ? clang_getCursorReferenced(found->second) : clang_getNullCursor();
}

CXCursor loop_variable(CXCursor loop) {
  if (loop.kind != CXCursor_ForStmt) return clang_getNullCursor();
  const std::vector<CXCursor> parts = clang::children(loop);
  if (parts.empty()) return clang_getNullCursor();
  const std::vector<CXCursor> inside = clang::children(parts.front());
  if (parts.front().kind == CXCursor_DeclStmt && inside.size() == 1) return inside.front();
  const bool assigns = parts.front().kind == CXCursor_BinaryOperator && inside.size() == 2 &&
                       inside.front().kind == CXCursor_DeclRefExpr;
  return assigns ? clang_getCursorReferenced(inside.front()) : clang_getNullCursor();
}

Nest::Nest(CXCursor root, const std::map<std::size_t, Pragma*>& pragma_at, const Edits& edits) {
  clang::walk(root, [&](CXCursor cursor, CXCursor parent) {
    const bool top = clang_getCursorKind(parent) == CXCursor_TranslationUnit;
    if (top && !clang::offset(cursor)) return false;
    if (cursor.kind == CXCursor_LambdaExpr) {
      if (const auto lambda = clang::extent(cursor)) lambdas_.push_back(*lambda);
    }
    const auto extent =
        cursor.kind == CXCursor_WhileStmt ? clang::extent(cursor) : std::optional<Span>();
    const auto found = extent ? pragma_at.find(edits.to_source(extent->begin)) : pragma_at.end();
    if (found == pragma_at.end() || by_pragma_.contains(found->second)) return true;
    Placed& placed = all_.emplace_back();
    placed.pragma = found->second;
    placed.probe = cursor;
    placed.statement = clang::children(cursor).back();
    placed.extent = *extent;
    placed.expressions = find_expressions(cursor, *found->second, edits);
    for (const Placed& other : all_) {
      if (&other != &placed && other.extent.contains(*extent)) placed.around = &other;
    }
    by_pragma_[placed.pragma] = &placed;
    has_tasks_ = has_tasks_ || is_of_tasks(*placed.pragma);
    return true;
  });
}

bool Nest::contains(const Placed& outer, bool (*what)(const Pragma&)) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Placed& inner) {
    return &inner != &outer && outer.extent.contains(inner.extent) && what(*inner.pragma);
  });
}

// Whether all that the region does is done by one thread.
bool Nest::is_single_creator(const Placed& region) const {
  if (is_for_one_thread(*region.pragma)) return true;
  CXCursor only = region.statement;
  while (only.kind == CXCursor_CompoundStmt) {
    const std::vector<CXCursor> inside = clang::children(only);
    if (inside.size() != 1) return false;
    only = inside.front();
  }
  return std::any_of(all_.begin(), all_.end(), [&](const Placed& inner) {
    return clang::same(inner.probe, only) && is_for_one_thread(*inner.pragma);
  });
}

bool Nest::is_left(const Placed& placed, bool openmp) const {
  const Pragma& pragma = *placed.pragma;
  if (is_of_tasks(pragma) || pragma.has(Leaf::Critical) || pragma.has(Leaf::TaskYield))
    return false;
  if (!openmp) return false;
  if (pragma.has(Leaf::Atomic)) return true;
  if (pragma.has(Leaf::Parallel)) {
    if (contains(placed, is_of_tasks) || is_single_creator(placed)) return false;
    return !(has_tasks_ && contains(placed, is_for_one_thread));
  }
  for (const Placed* outer = placed.around; outer != nullptr; outer = outer->around) {
    if (outer->pragma->has(Leaf::Parallel)) return outer->pragma->left;
  }
  return !has_tasks_;
}

void Nest::leave_others(bool openmp) {
  for (Placed& placed : all_) placed.pragma->left = is_left(placed, openmp);  // outer ones first
}

const Placed* Nest::region_of(const Pragma& pragma) const {
  for (const Placed* outer = &of(pragma); outer != nullptr; outer = outer->around) {
    if (outer->pragma->has(Leaf::Parallel)) return outer;
  }
  return nullptr;
}

Nest::Doer Nest::doer_of(std::size_t offset) const {
  const Placed* innermost = nullptr;
  for (const Placed& placed : all_) {
    if (placed.extent.contains(offset)) innermost = &placed;
  }
  for (const Placed* outer = innermost; outer != nullptr; outer = outer->around) {
    const Pragma& pragma = *outer->pragma;
    if (pragma.left && pragma.has(Leaf::Parallel)) return Doer::Compiler;
    const bool task = pragma.kind == PragmaKind::Task || pragma.kind == PragmaKind::Loop;
    if (task || is_for_one_thread(pragma)) return Doer::One;
    if (pragma.has(Leaf::Parallel)) return Doer::Team;
  }
  return Doer::Team;
}

bool Nest::in_task(const Pragma& pragma) const {
  for (const Placed* outer = of(pragma).around; outer != nullptr; outer = outer->around) {
    if (outer->pragma->kind == PragmaKind::Task || outer->pragma->kind == PragmaKind::Loop) {
      return true;
    }
  }
  return false;
}

bool Nest::is_captured(const Pragma& pragma, CXCursor declaration) const {
  const Span here = of(pragma).extent;
  const auto declared = clang::offset(declaration);
  return declared && std::any_of(lambdas_.begin(), lambdas_.end(), [&](Span lambda) {
           return lambda.contains(here) && !lambda.contains(*declared);
         });
}

bool Nest::is_constant(const Pragma& pragma, CXCursor declaration) const {
  const Placed* region = region_of(pragma);
  const CXCursor function = clang_getCursorSemanticParent(declaration);
  return region != nullptr && !done_to(region->statement, declaration, changes_operand) &&
         !done_to(function, declaration, takes_address);
}

bool Nest::is_shared(const Pragma& pragma, CXCursor declaration) const {
  const auto declared = clang::offset(declaration);
  for (const Placed* outer = &of(pragma); outer != nullptr; outer = outer->around) {
    const bool itself = outer->pragma == &pragma;
    if (!itself && declared && outer->extent.contains(*declared)) return false;
    for (const Clause& clause : outer->pragma->clauses) {
      if (itself || !makes_private(clause.kind)) continue;
      for (const Item& item : clause.items) {
        if (clang::same(named_variable(item, outer->expressions), declaration)) return false;
      }
    }
    const bool loops = outer->pragma->has(Leaf::For) || outer->pragma->has(Leaf::TaskLoop);
    if (loops && clang::same(loop_variable(outer->statement), declaration)) return false;
    if (outer->pragma->has(Leaf::Parallel)) return !outer->pragma->has(Kind::DefaultFirstPrivate);
  }
  return false;
}

}  // namespace myr::translate
