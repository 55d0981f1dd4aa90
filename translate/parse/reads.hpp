// SPDX-License-Identifier: Apache-2.0
//
// Whether the arguments of a call read the memory that its task declares. A serial program
// evaluates them when the tasks before are done with that memory; so must a parallel one.
#pragma once

#include <vector>

#include "translate/parse/access.hpp"

namespace myr::translate {

enum class Reads {
  No,     // the arguments can be evaluated where the call stands
  Yes,    // the task must evaluate them
  Maybe,  // a function whose code is elsewhere may read a global variable that an access names
};

// What the arguments of `call` read of memory that the accesses name. A place in memory is taken
// for an access's if a variable of that access leads to it and their types allow it; a call may
// read all that is behind what it gets, and global variables. `by_reference`: arguments of which
// only the address is taken, besides those that Clang shows so.
[[nodiscard]] Reads reads_accesses(CXCursor call, const std::vector<BoundAccess>& accesses,
                                   const std::vector<bool>& by_reference = {});

// Whether evaluating an argument changes something.
[[nodiscard]] bool arguments_change(CXCursor call);

}  // namespace myr::translate
