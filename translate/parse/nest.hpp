// SPDX-License-Identifier: Apache-2.0
//
// How the pragmas of a source stand within each other, and what follows from that in OpenMP: which
// constructs are myrcc's to translate, and which variables the threads of a region share.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "translate/parse/clang.hpp"
#include "translate/parse/edits.hpp"
#include "translate/parse/probe.hpp"

namespace myr::translate {

// A pragma with the statement behind it.
struct Placed {
  Pragma* pragma = nullptr;
  CXCursor probe;                  // the `while` in its place
  CXCursor statement;              // behind it
  Span extent;                     // of both, in the text that Clang read
  const Placed* around = nullptr;  // the innermost pragma in whose statement it stands
  Expressions expressions;         // of its clauses
};

class Nest {
 public:
  // Finds all probes below `root`.
  Nest(CXCursor root, const std::map<std::size_t, Pragma*>& pragma_at, const Edits& edits);

  [[nodiscard]] const Placed& of(const Pragma& pragma) const { return *by_pragma_.at(&pragma); }

  // Leaves pragmas that have nothing to do with tasks to the compiler. `openmp`: it obeys OpenMP's
  // pragmas.
  void leave_others(bool openmp);
  // Whether the source itself has tasks.
  [[nodiscard]] bool has_tasks() const noexcept { return has_tasks_; }

  // The region in which the pragma stands; nullptr if there is none in this function.
  [[nodiscard]] const Placed* region_of(const Pragma& pragma) const;
  // Whether the pragma stands in a task.
  [[nodiscard]] bool in_task(const Pragma& pragma) const;
  // What executes the code at this place of the text that Clang read.
  enum class Doer {
    One,       // a task, or one thread of a region
    Team,      // each thread of a region; or the function's caller
    Compiler,  // the threads of a region that is left to the compiler
  };
  [[nodiscard]] Doer doer_of(std::size_t offset) const;
  // Whether the threads of the region around the pragma share the variable: then its tasks do too.
  [[nodiscard]] bool is_shared(const Pragma& pragma, CXCursor declaration) const;

  // Whether the pragma stands in a lambda that has the variable from outside.
  [[nodiscard]] bool is_captured(const Pragma& pragma, CXCursor declaration) const;

  // Whether such a variable keeps its value as long as the region lasts: then a copy will do.
  [[nodiscard]] bool is_constant(const Pragma& pragma, CXCursor declaration) const;

 private:
  [[nodiscard]] bool contains(const Placed& outer, bool (*what)(const Pragma&)) const;
  [[nodiscard]] bool is_left(const Placed& placed, bool openmp) const;
  [[nodiscard]] bool is_single_creator(const Placed& region) const;

  std::deque<Placed> all_;
  std::map<const Pragma*, const Placed*> by_pragma_;
  std::vector<Span> lambdas_;
  bool has_tasks_ = false;
};

// The variable that the item of a list names; a null cursor if it is no name.
[[nodiscard]] CXCursor named_variable(const Item& item, const Expressions& expressions);

// The variable that a canonical `for` counts with; a null cursor if it has none.
[[nodiscard]] CXCursor loop_variable(CXCursor loop);

}  // namespace myr::translate
