// SPDX-License-Identifier: Apache-2.0
//
// A call as a task: what is called, and with which parameters.
#pragma once

#include <optional>
#include <vector>

#include "translate/parse/access.hpp"

namespace myr::translate {

struct BoundCall {
  Span callee;                 // in the source
  std::size_t arguments = 0;   // in the source: behind the opening parenthesis
  bool has_arguments = false;
  bool through_pointer = false;
  std::string callee_type;
  std::vector<Parameter> parameters;
};

// The call behind casts to void and parentheses; a null cursor if the statement is none.
[[nodiscard]] CXCursor call_of(CXCursor statement);

// The arguments of a call, for the rules of the Myrmics form.
[[nodiscard]] std::vector<Argument> arguments_of(CXCursor call, const Source& source,
                                                 const Edits& edits);

// Nothing if the call cannot be made from a list of values: then it is left to be a block. That is so
// if the callee's name comes from a macro, or if its parameters are unknown or not fixed.
[[nodiscard]] std::optional<BoundCall> bind_call(CXCursor call, const Source& source,
                                                 const std::vector<Token>& tokens,
                                                 const Edits& edits);

// Whether an argument reads memory that the accesses name, so that it must not be evaluated before
// the task may run.
[[nodiscard]] bool reads_accesses(CXCursor call, const std::vector<BoundAccess>& accesses);

// A type with an array of variable length behind pointers: it means something in one scope only.
[[nodiscard]] bool is_variable(CXType type);

// Whether a value of this type can be kept in a task as a member of a structure, and the way to
// write that type. Nothing: it is declared inside a function or has no name.
[[nodiscard]] std::optional<std::string> stored_type(CXType type);

}  // namespace myr::translate
