// SPDX-License-Identifier: Apache-2.0
//
// Pragmas inside of functions: tasks, loops of tasks, waits, and constructs around them.
#pragma once

#include "translate/parse/block.hpp"
#include "translate/parse/call.hpp"
#include "translate/parse/nest.hpp"
#include "translate/parse/reads.hpp"
#include "translate/parse/tree.hpp"

namespace myr::translate {

class Statements {
 public:
  Statements(const Tree& tree, const Nest& nest) : tree_(tree), nest_(nest) {}

  // Adds the site that a pragma, whose probe this is, makes of the statement behind it.
  void add(const Pragma& pragma, CXCursor probe, CXCursor parent);
  // Notes a call of an OpenMP routine about a team's threads. It tells of the workers instead;
  // where each thread of a team asks for its own part, no answer would be right.
  void note_routine(CXCursor cursor);

 private:
  [[nodiscard]] const Enclosing* enclosing(std::size_t offset);
  // Adds a site in the function around `offset`.
  Site& add_site(Site::Kind kind, const Pragma& pragma, std::size_t offset);
  void wait_site(const Pragma& pragma, CXCursor probe, CXCursor parent);
  void task_site(const Pragma& pragma, CXCursor probe);
  void warn_of_wait(CXCursor call, Reads reads);
  // Whether it has clauses for blocks, so that even a call has to be one.
  static bool says_what_is_shared(const Pragma& pragma);
  // Whether the task may get the values of the arguments. Where the rules of OpenMP hold, a
  // dependence may stand for other memory than it names, which the task reads in its turn.
  [[nodiscard]] bool is_plain(const Pragma& pragma, CXCursor call) const;
  Site& add_call(const Pragma& pragma, const Call& bound, CXCursor call,
                 const std::vector<BoundAccess>& accesses);
  void add_block(const Pragma& pragma, CXCursor statement, const Expressions& expressions,
                 const std::vector<BoundAccess>& accesses);
  [[nodiscard]] BlockContext block_context(const Pragma& pragma, const Expressions& expressions,
                                           const std::vector<BoundAccess>& accesses);
  // Whether the last part of the statement is an expression; then its last brace ends no block, as
  // in `x = S{1};`.
  static bool ends_with_value(CXCursor statement);
  // Adds a site for the statement behind the pragma; nullptr after an error.
  Site* add_statement(Site::Kind kind, const Pragma& pragma, CXCursor statement);
  // The body of a loop; a null cursor of anything else.
  static CXCursor body_of(CXCursor loop);
  void construct_site(const Pragma& pragma);
  void loop_site(const Pragma& pragma);
  // A wait in a critical region keeps the region from the tasks that it waits for.
  void forbid_in_critical(const Pragma& pragma);
  // A statement that begins with a macro may seem to begin at the macro's argument.
  Span whole_statement(const Pragma& pragma, Span span);
  // A macro may make several statements, of which only the first is the task.
  void check_alone(CXCursor statement, Span span);

  const Tree& tree_;
  const Nest& nest_;
};

}  // namespace myr::translate
