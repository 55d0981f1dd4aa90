// SPDX-License-Identifier: Apache-2.0
//
// Reads: see reads.hpp.

#include "translate/parse/reads.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "translate/parse/changes.hpp"

namespace myr::translate {
namespace {

bool any_below(CXCursor cursor, const std::function<bool(CXCursor)>& test) {
  bool found = false;
  clang::walk(cursor, [&](CXCursor below, CXCursor) {
    found = found || test(below);
    return !found && below.kind != CXCursor_UnaryExpr;  // sizeof reads nothing
  });
  return found;
}

bool is_deref(CXCursor cursor) {
  return cursor.kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref;
}
bool is_address(CXCursor cursor) {
  return cursor.kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf;
}
bool is_place(CXCursor cursor) {
  return cursor.kind == CXCursor_DeclRefExpr || cursor.kind == CXCursor_ArraySubscriptExpr ||
         cursor.kind == CXCursor_MemberRefExpr || is_deref(cursor);
}
bool is_member_of_this(CXCursor cursor) {
  return cursor.kind == CXCursor_MemberRefExpr && clang::children(cursor).empty();
}

bool may_alias(CXType a, CXType b) {
  a = clang_getCanonicalType(a);
  b = clang_getCanonicalType(b);
  const auto is_any = [](CXType type) {
    return type.kind == CXType_Record || type.kind == CXType_Void || type.kind == CXType_Char_S ||
           type.kind == CXType_UChar || type.kind == CXType_SChar || type.kind == CXType_Char_U ||
           is_dependent(type);
  };
  if (a.kind == CXType_Pointer && b.kind != CXType_Pointer) {
    return b.kind == CXType_Record || b.kind == CXType_Void || is_dependent(b);
  }
  if (is_any(a) || is_any(b) || (a.kind == CXType_Pointer && b.kind == CXType_Pointer)) return true;
  if (is_integer(a) && is_integer(b)) return clang_Type_getSizeOf(a) == clang_Type_getSizeOf(b);
  return clang::spelling(clang_getUnqualifiedType(a)) ==
         clang::spelling(clang_getUnqualifiedType(b));
}

class ReadsAccesses {
 public:
  explicit ReadsAccesses(const std::vector<BoundAccess>& accesses) {
    for (const BoundAccess& access : accesses) {
      if (access.access.kind == Access::Kind::Region) continue;  // its memory has no names here
      Accessed accessed{accessed_variable(access), {}, element_of(access)};
      note_variable(access.base, accessed);
      clang::walk(access.base, [&](CXCursor cursor, CXCursor) {
        note_variable(cursor, accessed);
        return true;
      });
      accesses_.push_back(std::move(accessed));
    }
  }

  // An argument that Clang does not convert is passed by reference.
  [[nodiscard]] bool argument_reads(CXCursor argument, bool by_reference) const {
    const bool place = by_reference || is_place(argument) || is_address(argument) ||
                       argument.kind == CXCursor_ParenExpr ||
                       (argument.kind == CXCursor_CallExpr && returns_reference(argument));
    return place ? address_reads(argument) : reads(argument);
  }

  // Whether evaluating which function is called, and on which object, reads memory of an access.
  [[nodiscard]] bool callee_reads(CXCursor call) const {
    const std::vector<CXCursor> below = clang::children(call);
    const bool operates = clang_Cursor_getNumArguments(call) > 0 && !below.empty() &&
                          clang::same(below.front(), clang_Cursor_getArgument(call, 0));
    if (below.empty() || operates) return false;
    const CXCursor callee = clang::without_casts(below.front());
    const bool method =
        callee.kind == CXCursor_MemberRefExpr && is_function(clang_getCursorReferenced(callee));
    if (!method) return reads(callee);
    const std::vector<CXCursor> object = clang::children(callee);
    const CXCursor arrow = object.empty() ? callee : clang::without_casts(object.front());
    const bool overloaded = arrow.kind == CXCursor_CallExpr &&
                            clang::spelling(clang_getCursorReferenced(arrow)) == "operator->";
    return overloaded ? operand_reads(clang::children(arrow).front()) : address_reads(callee);
  }

  // Whether computing the value, or the address of what is an array, reads memory of an access.
  [[nodiscard]] bool reads(CXCursor expression) const {
    const CXCursor cursor = clang::without_casts(expression);
    const std::vector<CXCursor> below = clang::children(cursor);
    if (cursor.kind == CXCursor_UnaryExpr) return false;  // sizeof
    if (is_address(cursor)) return address_reads(below.front());
    if (is_place(cursor) && is_array(cursor)) return address_reads(cursor);
    if (is_place(cursor) && is_accessed(cursor)) return true;
    if (cursor.kind == CXCursor_CallExpr && call_reads(cursor)) return true;
    if (cursor.kind == CXCursor_LambdaExpr && mentions_any(cursor)) return true;
    return std::any_of(below.begin(), below.end(), [this](CXCursor c) { return reads(c); });
  }

  // Whether a call in the argument, whose code is unknown, may read a global variable of an access.
  [[nodiscard]] bool may_read_globals(CXCursor argument) const {
    const bool global = std::any_of(accesses_.begin(), accesses_.end(), [](const Accessed& access) {
      return !clang::is_null(access.root) && is_visible_elsewhere(access.root);
    });
    const auto is_unknown = [](CXCursor cursor) {
      const CXCursor callee = clang_getCursorReferenced(cursor);
      if (cursor.kind != CXCursor_CallExpr || clang::is_null(callee)) return false;
      const bool system = clang_Location_isInSystemHeader(clang_getCursorLocation(callee)) != 0;
      return !system && clang_getCursorKind(callee) != CXCursor_Constructor &&
             clang::is_null(clang_getCursorDefinition(callee));
    };
    return global && (is_unknown(argument) || any_below(argument, is_unknown));
  }

 private:
  struct Accessed {
    CXCursor root;                    // the variable that is accessed itself, if any
    std::vector<CXCursor> variables;  // that lead to it; also members of *this
    CXType element;
    bool through_this = false;
  };

  static CXType element_of(const BoundAccess& bound) {
    const Item& item = bound.access.item;
    CXType type = clang_getCanonicalType(clang_getCursorType(bound.base));
    const bool behind = bound.access.kind == Access::Kind::Object ||
                        bound.access.kind == Access::Kind::Elements || !item.shape.empty() ||
                        !item.sections.empty();
    if (behind && type.kind == CXType_Pointer) type = clang_getPointeeType(type);
    while (is_array(type)) type = clang_getArrayElementType(clang_getCanonicalType(type));
    return clang_getCanonicalType(type);
  }

  static void note_variable(CXCursor cursor, Accessed& accessed) {
    const bool this_member = is_member_of_this(cursor);
    accessed.through_this =
        accessed.through_this || this_member || cursor.kind == CXCursor_CXXThisExpr;
    if (cursor.kind != CXCursor_DeclRefExpr && !this_member) return;
    const CXCursor variable = clang_getCursorReferenced(cursor);
    const bool root = clang::same(variable, accessed.root);
    if (!clang::is_null(variable) &&
        (root || this_member || leads_on(clang_getCursorType(variable)))) {
      accessed.variables.push_back(variable);
    }
  }

  // In another file, or in a function of a header that Clang does not read.
  static bool is_visible_elsewhere(CXCursor variable) {
    return clang_getCursorKind(variable) == CXCursor_VarDecl &&
           clang_getCursorLinkage(variable) == CXLinkage_External;
  }

  // Whether the place may be memory of an access.
  [[nodiscard]] bool is_accessed(CXCursor place) const {
    const CXCursor root = storage_root(place);
    const CXType type = clang_getCursorType(place);
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const Accessed& accessed) {
      if (!clang::is_null(root) && clang::same(root, accessed.root)) return true;
      return place.kind != CXCursor_DeclRefExpr && may_alias(type, accessed.element) &&
             mentions(place, accessed.variables);
    });
  }

  static bool mentions(CXCursor expression, const std::vector<CXCursor>& variables) {
    const auto named = [&](CXCursor cursor) {
      if (cursor.kind != CXCursor_DeclRefExpr && !is_member_of_this(cursor)) return false;
      const CXCursor used = clang_getCursorReferenced(cursor);
      return std::any_of(variables.begin(), variables.end(),
                         [&](CXCursor variable) { return clang::same(variable, used); });
    };
    return named(expression) || any_below(expression, named);
  }
  [[nodiscard]] bool mentions_any(CXCursor expression) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const Accessed& accessed) {
      return mentions(expression, accessed.variables);
    });
  }

  // A call may read memory behind its operands (pointers, objects and references), and memory that
  // its code names, as far as that is known.
  [[nodiscard]] bool call_reads(CXCursor call) const {
    const std::vector<CXCursor> below = clang::children(call);
    for (const CXCursor operand : below) {
      const bool value = operand.kind == CXCursor_UnexposedExpr;
      const bool method = operand.kind == CXCursor_MemberRefExpr;
      const bool carries = method || !value || leads_on(clang_getCursorType(operand));
      if (carries && mentions_any(operand)) return true;
      const bool of_this = method && is_member_of_this(operand);
      const bool hands_this = of_this || any_below(operand, [](CXCursor cursor) {
                                return cursor.kind == CXCursor_CXXThisExpr;
                              });
      if (hands_this && uses_this()) return true;
    }
    std::set<std::string> seen;
    return code_reads(clang_getCursorReferenced(call), seen);
  }
  [[nodiscard]] bool uses_this() const {
    return std::any_of(accesses_.begin(), accesses_.end(),
                       [](const Accessed& accessed) { return accessed.through_this; });
  }

  // Whether the function's code, or that of one that it calls, names a variable that an access
  // names.
  bool code_reads(CXCursor function, std::set<std::string>& seen) const {
    if (clang::is_null(function) || !is_function(function)) return false;
    const CXCursor definition = clang_getCursorDefinition(function);
    if (clang::is_null(definition)) return false;
    if (!seen.insert(clang::take(clang_getCursorUSR(definition))).second) return false;
    return any_below(definition, [&](CXCursor cursor) {
      if (cursor.kind != CXCursor_DeclRefExpr) return false;
      const CXCursor named = clang_getCursorReferenced(cursor);
      const bool root =
          std::any_of(accesses_.begin(), accesses_.end(), [&](const Accessed& access) {
            return std::any_of(access.variables.begin(), access.variables.end(),
                               [&](CXCursor variable) { return clang::same(variable, named); });
          });
      return root || code_reads(named, seen);
    });
  }

  // Whether computing the address of this lvalue reads memory of an access.
  [[nodiscard]] bool address_reads(CXCursor lvalue) const {
    const CXCursor cursor = clang::without_casts(lvalue);
    const std::vector<CXCursor> below = clang::children(cursor);
    if (cursor.kind == CXCursor_DeclRefExpr || below.empty()) return false;
    if (is_address(cursor)) return address_reads(below.front());
    if (cursor.kind == CXCursor_ArraySubscriptExpr && below.size() == 2) {
      const CXCursor array = clang::without_casts(below[0]);
      return (is_array(array) ? address_reads(array) : reads(array)) || reads(below[1]);
    }
    if (cursor.kind == CXCursor_MemberRefExpr) {
      return is_pointer(below[0]) ? reads(below[0]) : address_reads(below[0]);
    }
    // The reference that a call returns, as v[i] of a container: that reads the container.
    if (cursor.kind == CXCursor_CallExpr && returns_reference(cursor)) {
      return std::any_of(below.begin(), below.end(),
                         [this](CXCursor operand) { return operand_reads(operand); });
    }
    return std::any_of(below.begin(), below.end(), [this](CXCursor c) { return reads(c); });
  }

  static bool returns_reference(CXCursor call) {
    const CXCursor callee = clang_getCursorReferenced(call);
    return !clang::is_null(callee) &&
           clang_getCanonicalType(clang_getCursorResultType(callee)).kind == CXType_LValueReference;
  }

  // Whether a call reads memory of an access when it makes a reference from this.
  [[nodiscard]] bool operand_reads(CXCursor operand) const {
    const std::vector<CXCursor> below = clang::children(operand);
    const bool function = is_function(clang_getCursorReferenced(operand));
    if (operand.kind == CXCursor_MemberRefExpr && function) {  // the object of a method
      return below.empty() ? uses_this() : operand_reads(below.front());
    }
    const CXCursor object = clang::without_casts(operand);
    if (function && object.kind == CXCursor_DeclRefExpr) return false;  // the function itself
    const bool memory = is_place(object) || object.kind == CXCursor_CallExpr;
    if (memory && leads_on(clang_getCursorType(object)) && !is_array(object)) {
      return is_accessed(object) || address_reads(object);
    }
    return reads(object);
  }

  std::vector<Accessed> accesses_;
};

}  // namespace

bool arguments_change(CXCursor call) {
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    const CXCursor argument = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
    if (is_change(argument) || any_below(argument, is_change)) return true;
  }
  return false;
}

Reads reads_accesses(CXCursor call, const std::vector<BoundAccess>& accesses,
                     const std::vector<bool>& by_reference) {
  const ReadsAccesses reader(accesses);
  if (reader.callee_reads(call)) return Reads::Yes;
  bool maybe = false;
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    const CXCursor argument = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
    const auto index = static_cast<std::size_t>(i);
    if (reader.argument_reads(argument, index < by_reference.size() && by_reference[index]))
      return Reads::Yes;
    maybe = maybe || reader.may_read_globals(argument);
  }
  return maybe ? Reads::Maybe : Reads::No;
}

}  // namespace myr::translate
