// SPDX-License-Identifier: Apache-2.0
//
// Tree: see tree.hpp.

#include "translate/parse/tree.hpp"

namespace myr::translate {

Span Tree::place(CXCursor cursor) const {
  const auto extent = clang::extent(cursor);
  return extent ? edits.to_source(*extent) : Span{0, 0};
}

void add_conditions(Site& site) {
  for (const Clause& clause : site.pragma->clauses) {
    if (clause.kind == Clause::Kind::OnReady) site.on_ready = clause.value;
    if (clause.kind == Clause::Kind::If) site.apart = clause.value;
    if (clause.kind == Clause::Kind::Final) site.final = clause.value;
    if (clause.kind == Clause::Kind::Priority) site.priority = clause.value;
  }
}

std::vector<Access> unbound(const std::vector<BoundAccess>& bound) {
  std::vector<Access> accesses;
  for (const BoundAccess& one : bound) accesses.push_back(one.access);
  return accesses;
}

}  // namespace myr::translate
