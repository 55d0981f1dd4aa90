// SPDX-License-Identifier: Apache-2.0
//
// Questions about types that Clang's C interface does not answer by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "translate/parse/clang.hpp"

namespace myr::translate {

[[nodiscard]] bool is_array(CXType type);
[[nodiscard]] bool is_pointer(CXType type);
// The same for declarations and expressions. Clang's C interface shows the type of a
// parameter as it is written, but C makes a pointer of an array and of a function.
[[nodiscard]] bool is_array(CXCursor cursor);
[[nodiscard]] bool is_pointer(CXCursor cursor);
// What the pointer, or the parameter written as an array, points to.
[[nodiscard]] CXType pointee(CXCursor cursor);
// The parameter that is written as an array and that the expression names; a null cursor if none.
[[nodiscard]] CXCursor array_parameter(CXCursor expression);
[[nodiscard]] bool is_integer(CXType type);
[[nodiscard]] bool is_class(CXType type);
// The members of a class as it is written: if a template makes it, the template's.
[[nodiscard]] std::vector<CXCursor> members(CXCursor declaration);
// Whether objects of the type say by data() and size() where their elements lie side by side.
[[nodiscard]] bool has_elements(CXType type);
// Whether values of the type may lead to other memory: pointers, references, objects, arrays.
[[nodiscard]] bool leads_on(CXType type);
// What a variable that is a reference is bound to, if that has a place; else a null cursor.
[[nodiscard]] CXCursor initializer_of_reference(CXCursor variable);
// A type that is known only once a template is used.
[[nodiscard]] bool is_dependent(CXType type);
// A type with an array of variable length behind pointers: it means something in one scope only.
[[nodiscard]] bool is_variable(CXType type);
[[nodiscard]] bool is_variable(CXCursor declaration);

// The type as it is written, except where that names variables: typeof(x) means something in one
// scope only.
[[nodiscard]] std::string written_type(CXType type);

// C: how to write the type of a variable that keeps a value of this type. Nothing: it has no name.
[[nodiscard]] std::optional<std::string> stored_type(CXType type);
// The same for a parameter of a function, which may be written as an array or a function.
[[nodiscard]] std::optional<std::string> parameter_type(CXType type);

// C++: how to write the type, with all namespaces. Nothing: it has no name, or depends on a
// template.
[[nodiscard]] std::optional<std::string> full_name(CXType type);

// Whether the class, or one of its bases, has virtual functions, so that a copy may lose something.
[[nodiscard]] bool is_polymorphic(CXType type);

// Whether the cursor declares a function, a template of one, or a member function.
[[nodiscard]] bool is_function(CXCursor declaration);

// Whether an expression that a constant reference is bound to is a temporary, as far as Clang's C
// interface tells.
[[nodiscard]] bool is_temporary(CXCursor expression);

}  // namespace myr::translate
