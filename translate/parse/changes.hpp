// SPDX-License-Identifier: Apache-2.0
//
// Where a block changes variables. A program without tasks would see the changes that a task makes
// in its own copy: the user is warned.
#pragma once

#include <map>
#include <string>

#include "translate/parse/block.hpp"

namespace myr::translate {

// Whether the cursor is an assignment, an increment or a decrement that is built in.
[[nodiscard]] bool is_change(CXCursor cursor);

// The first place where a block changes each variable: by an operator, through a reference or a
// pointer that it makes, by a method, in assembly.
class Changes {
 public:
  // To be called for all cursors of a block, in the order of the text.
  void note(CXCursor cursor, CXCursor parent);
  [[nodiscard]] const CXCursor* first(CXCursor variable) const;

 private:
  void note_call(CXCursor call);
  void note_arguments(CXCursor call, CXCursor callee);
  void note_algorithm(CXCursor call, CXCursor callee);
  void note_range(CXCursor loop);
  void note_alias(CXCursor declaration);
  void note_change_of(CXCursor expression, CXCursor by);

  std::map<std::string, CXCursor> changes_;  // by the variable's id
  std::map<std::string, CXCursor> aliases_;  // references and pointers of the block: to what
};

// Warns if the block changes its copy of the variable. It does not if both the block and the rest
// of the function set the variable before they use it: then the two uses have only the name in
// common.
void warn_of_lost_change(const BlockContext& context, const Changes& changes, CXCursor statement,
                         CXCursor variable);

}  // namespace myr::translate
