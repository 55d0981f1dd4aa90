// SPDX-License-Identifier: Apache-2.0
//
// What the items of a pragma's clauses mean, by the types that Clang gives their expressions.
#pragma once

#include <string>
#include <vector>

#include "translate/parse/model.hpp"
#include "translate/parse/probe.hpp"
#include "translate/parse/types.hpp"

namespace myr::translate {

// An access with the tree of its base.
struct BoundAccess {
  Access access;
  CXCursor base;
};

// What the rules need to know about the call behind a pragma.
struct Argument {
  std::string text;
  bool pointer = false;  // the function takes a pointer here
};

struct AccessContext {
  const Source& source;
  const Pragma& pragma;
  const Expressions& expressions;
  Diagnostics& diagnostics;
  const std::vector<Argument>* call = nullptr;  // of a Myrmics task
  bool parameters = false;                      // the names are those of a function's parameters
};

// The accesses that the pragma declares. Items that are values only are left out.
[[nodiscard]] std::vector<BoundAccess> bind_accesses(const AccessContext& context);

// The variable that holds the memory that an lvalue names: x of x, x.a, x[i] if x is an array, but
// not p of p->a. A null cursor if there is none.
[[nodiscard]] CXCursor storage_root(CXCursor expression);

// The variable of which the expression chooses a part: the v of v[i].first; a null cursor if there
// is none, as in a method's own members.
[[nodiscard]] CXCursor leftmost(CXCursor expression);

// The variable whose own memory the access names; a null cursor if that is behind a pointer.
[[nodiscard]] CXCursor accessed_variable(const BoundAccess& bound);

// How a variable leads to the memory that accesses name.
enum class Leads {
  No,
  Itself,   // the memory is the variable's own: a task must not get a copy of it
  Through,  // C++: it is behind an object, a container or an iterator: its class tells
};
// `access`: the index of the access that the variable leads to.
[[nodiscard]] Leads leads_to(const std::vector<BoundAccess>& accesses, CXCursor variable,
                             std::size_t& access);

// Whether the memory that an lvalue names is reached through a variable, or a member of *this,
// through which an access reaches its own, so that it may be the same.
[[nodiscard]] bool meets_access(const std::vector<BoundAccess>& accesses, CXCursor expression);

}  // namespace myr::translate
