// SPDX-License-Identifier: Apache-2.0
//
// Changes: see changes.hpp.

#include "translate/parse/changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

std::string id_of(CXCursor cursor) {
  // Local variables of one name differ by their place.
  return fmt::format("{}@{}", clang::take(clang_getCursorUSR(cursor)),
                     clang::offset(cursor).value_or(0));
}

bool is_constant(CXType type) {
  type = clang_getCanonicalType(type);
  while (is_array(type)) type = clang_getArrayElementType(type);
  return clang_isConstQualifiedType(type) != 0;
}

// A type through which what it refers or points to can be changed.
bool lets_change(CXType type) {
  type = clang_getCanonicalType(type);
  return (type.kind == CXType_LValueReference || type.kind == CXType_Pointer) &&
         !is_constant(clang_getPointeeType(type)) &&
         clang_getCanonicalType(clang_getPointeeType(type)).kind != CXType_FunctionProto;
}

bool is_address(CXCursor cursor) {
  return cursor.kind == CXCursor_UnaryOperator &&
         clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf;
}

// Whether the class has a constant method of that name as well, as containers have at(): then to
// call it changes nothing by itself.
bool has_constant_twin(CXCursor method) {
  const std::string name = clang::spelling(method);
  const std::vector<CXCursor> all = members(clang_getCursorSemanticParent(method));
  return std::any_of(all.begin(), all.end(), [&](CXCursor member) {
    return member.kind == CXCursor_CXXMethod && clang_CXXMethod_isConst(member) != 0 &&
           clang::spelling(member) == name;
  });
}

// Whether only what is done with the result of the method can change its object.
bool only_leads_on(CXCursor method) {
  return clang::spelling(method) == "operator[]" || has_constant_twin(method);
}

// The object of a call of a method or an operator; a null cursor if there is none.
CXCursor object_of(CXCursor call, CXCursor callee) {
  const bool method = clang_getCursorKind(callee) == CXCursor_CXXMethod ||
                      clang_getCursorKind(callee) == CXCursor_ConversionFunction;
  const std::vector<CXCursor> below = clang::children(call);
  if (!method || clang_CXXMethod_isStatic(callee) != 0 || below.empty()) {
    return clang_getNullCursor();
  }
  if (below.front().kind == CXCursor_MemberRefExpr) {
    const std::vector<CXCursor> object = clang::children(below.front());
    return object.empty() || is_pointer(object.front()) ? clang_getNullCursor() : object.front();
  }
  return clang_Cursor_getArgument(call, 0);  // of an operator
}

bool is_element(CXCursor cursor) {
  const bool star = cursor.kind == CXCursor_UnaryOperator &&
                    clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_Deref;
  return star || cursor.kind == CXCursor_ArraySubscriptExpr;
}

// The array if the expression is the address of one of its elements, as in array + 1; else a null
// cursor.
CXCursor array_behind(CXCursor expression) {
  const CXCursor cursor = clang::without_casts(expression);
  if (is_array(cursor)) return cursor;
  if (cursor.kind != CXCursor_BinaryOperator || !is_pointer(cursor)) return clang_getNullCursor();
  for (const CXCursor operand : clang::children(cursor)) {
    const CXCursor array = array_behind(operand);
    if (!clang::is_null(array)) return array;
  }
  return clang_getNullCursor();
}

// Whether the expression is a pointer into the object whose method returns it, such as data().
bool hands_out(CXCursor expression) {
  if (expression.kind != CXCursor_CallExpr) return false;
  const CXCursor callee = clang_getCursorReferenced(expression);
  const CXType result = clang_getCursorResultType(callee);
  return clang_getCursorKind(callee) == CXCursor_CXXMethod && is_pointer(result) &&
         lets_change(result) && only_leads_on(callee);
}

// The argument that begins what an algorithm of the standard library writes; -1: none.
int written_argument(CXCursor callee, int arguments) {
  static const std::set<std::string_view> in_place = {"sort",
                                                      "stable_sort",
                                                      "partial_sort",
                                                      "nth_element",
                                                      "fill",
                                                      "fill_n",
                                                      "generate",
                                                      "generate_n",
                                                      "iota",
                                                      "reverse",
                                                      "rotate",
                                                      "shuffle",
                                                      "replace",
                                                      "replace_if",
                                                      "remove",
                                                      "remove_if",
                                                      "unique",
                                                      "partition",
                                                      "stable_partition",
                                                      "inplace_merge",
                                                      "make_heap",
                                                      "push_heap",
                                                      "pop_heap",
                                                      "sort_heap",
                                                      "next_permutation",
                                                      "prev_permutation",
                                                      "swap_ranges"};
  static const std::set<std::string_view> copying = {"copy", "copy_n", "copy_if", "partial_sum"};
  if (clang::spelling(clang_getCursorSemanticParent(callee)) != "std") return -1;
  const std::string name = clang::spelling(callee);
  if (in_place.contains(name)) return 0;
  if (copying.contains(name)) return 2;
  return name == "transform" ? arguments - 2 : -1;
}

// The variable of which the expression is a part; also through calls that only lead on.
CXCursor changed_root(CXCursor expression) {
  const CXCursor root = storage_root(expression);
  if (!clang::is_null(root)) return root;
  CXCursor cursor = clang::without_casts(expression);
  const std::vector<CXCursor> below = clang::children(cursor);
  if (cursor.kind == CXCursor_CallExpr) {
    const CXCursor callee = clang_getCursorReferenced(cursor);
    if (clang::is_null(callee)) return clang_getNullCursor();
    const CXCursor object = object_of(cursor, callee);
    const bool constant = clang_CXXMethod_isConst(callee) != 0;
    return clang::is_null(object) || constant ? clang_getNullCursor() : changed_root(object);
  }
  if (below.empty()) return clang_getNullCursor();
  const CXCursor base = below.front();
  const CXCursor array = is_element(cursor) ? array_behind(base) : clang_getNullCursor();
  if (!clang::is_null(array)) return changed_root(array);
  const bool part = is_element(cursor) ? hands_out(clang::without_casts(base))
                                       : cursor.kind == CXCursor_MemberRefExpr && !is_pointer(base);
  return part ? changed_root(base) : clang_getNullCursor();
}

}  // namespace

bool is_change(CXCursor cursor) {
  if (cursor.kind == CXCursor_CompoundAssignOperator) return true;
  if (cursor.kind == CXCursor_BinaryOperator) {
    return clang_getCursorBinaryOperatorKind(cursor) == CXBinaryOperator_Assign;
  }
  if (cursor.kind != CXCursor_UnaryOperator) return false;
  switch (clang_getCursorUnaryOperatorKind(cursor)) {
    case CXUnaryOperator_PostInc:
    case CXUnaryOperator_PostDec:
    case CXUnaryOperator_PreInc:
    case CXUnaryOperator_PreDec:
      return true;
    default:
      return false;
  }
}

void Changes::note(CXCursor cursor, CXCursor parent) {
  switch (cursor.kind) {
    case CXCursor_CallExpr:
      return note_call(cursor);
    case CXCursor_CXXForRangeStmt:
      return note_range(cursor);
    case CXCursor_VarDecl:
      return note_alias(cursor);
    case CXCursor_GCCAsmStmt:
    case CXCursor_MSAsmStmt:
      for (const CXCursor operand : clang::children(cursor)) note_change_of(operand, operand);
      return;
    default:
      break;
  }
  const std::vector<CXCursor> below = clang::children(cursor);
  if (below.empty()) return;
  if (is_change(cursor)) note_change_of(below.front(), cursor);
  if (!is_address(cursor)) return;
  const bool converted = parent.kind == CXCursor_UnexposedExpr;
  const bool aliases = parent.kind == CXCursor_VarDecl;  // note_alias() knows
  if (!aliases && lets_change(clang_getCursorType(converted ? parent : cursor))) {
    note_change_of(below.front(), cursor);
  }
}

// std::sort(v.begin(), v.end())
void Changes::note_algorithm(CXCursor call, CXCursor callee) {
  const int written = written_argument(callee, clang_Cursor_getNumArguments(call));
  if (written < 0 || written >= clang_Cursor_getNumArguments(call)) return;
  CXCursor first =
      clang::without_casts(clang_Cursor_getArgument(call, static_cast<unsigned>(written)));
  // A copy of the iterator that a method returns is a call, too.
  while (first.kind == CXCursor_CallExpr && clang::children(first).size() == 1 &&
         clang::children(first).front().kind != CXCursor_MemberRefExpr) {
    first = clang::without_casts(clang::children(first).front());
  }
  if (first.kind != CXCursor_CallExpr) return;
  const CXCursor method = clang_getCursorReferenced(first);
  const CXCursor object = clang::is_null(method) ? clang_getNullCursor() : object_of(first, method);
  if (!clang::is_null(object) && clang_CXXMethod_isConst(method) == 0) note_change_of(object, call);
}

void Changes::note_call(CXCursor call) {
  const CXCursor callee = clang_getCursorReferenced(call);
  if (!clang::is_null(callee)) {
    note_arguments(call, callee);
    note_algorithm(call, callee);
  }
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    const CXCursor argument = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
    const CXCursor given = clang::without_casts(argument);
    const CXCursor array = array_behind(given);
    const CXCursor value = clang::is_null(array) ? given : array;
    const bool leads_in = is_array(value) || hands_out(value);
    if (leads_in && lets_change(clang_getCursorType(argument))) {
      note_change_of(value, argument);
    }
  }
}

void Changes::note_arguments(CXCursor call, CXCursor callee) {
  const CXCursor object = object_of(call, callee);
  const int parameters = clang_Cursor_getNumArguments(callee);
  const int arguments = clang_Cursor_getNumArguments(call);
  const int first = !clang::is_null(object) && arguments == parameters + 1 ? 1 : 0;  // an operator
  for (int i = first; i < arguments && i - first < parameters; ++i) {
    const CXType type =
        clang_getCursorType(clang_Cursor_getArgument(callee, static_cast<unsigned>(i - first)));
    if (clang_getCanonicalType(type).kind != CXType_LValueReference || !lets_change(type)) continue;
    note_change_of(clang_Cursor_getArgument(call, static_cast<unsigned>(i)), call);
  }
  if (clang::is_null(object) || clang_CXXMethod_isConst(callee) != 0) return;
  if (!only_leads_on(callee)) note_change_of(object, call);
}

// for (auto& x : v): what changes x, changes v.
void Changes::note_range(CXCursor loop) {
  const std::vector<CXCursor> below = clang::children(loop);
  CXCursor variable = clang_getNullCursor();
  for (const CXCursor part : below) {
    if (part.kind == CXCursor_VarDecl) variable = part;
  }
  if (clang::is_null(variable)) return;
  if (!lets_change(clang_getCursorType(variable))) return;
  for (const CXCursor part : below) {
    const CXCursor root =
        clang_isExpression(part.kind) != 0 ? changed_root(part) : clang_getNullCursor();
    if (!clang::is_null(root)) aliases_.try_emplace(id_of(variable), root);
  }
}

// T& r = x; T* p = &x; T* p = array;
void Changes::note_alias(CXCursor declaration) {
  if (!lets_change(clang_getCursorType(declaration))) return;
  const std::vector<CXCursor> below = clang::children(declaration);
  if (below.empty() || clang_isExpression(below.back().kind) == 0) return;
  CXCursor value = clang::without_casts(below.back());
  const bool reference =
      clang_getCanonicalType(clang_getCursorType(declaration)).kind == CXType_LValueReference;
  const CXCursor array = reference ? clang_getNullCursor() : array_behind(value);
  if (is_address(value)) {
    value = clang::children(value).front();
  } else if (!clang::is_null(array)) {
    value = array;
  } else if (!reference && !hands_out(value)) {
    return;
  }
  const CXCursor root = changed_root(value);
  if (clang::is_null(root)) return;
  if (reference) {
    aliases_.try_emplace(id_of(declaration), root);
  } else {
    note_change_of(value, declaration);
  }
}

void Changes::note_change_of(CXCursor expression, CXCursor by) {
  CXCursor root = changed_root(expression);
  while (!clang::is_null(root)) {
    changes_.try_emplace(id_of(root), by);
    const auto alias = aliases_.find(id_of(root));
    root = alias == aliases_.end() ? clang_getNullCursor() : alias->second;
  }
}

const CXCursor* Changes::first(CXCursor variable) const {
  const auto found = changes_.find(id_of(variable));
  return found == changes_.end() ? nullptr : &found->second;
}

namespace {

// Uses of a variable in the order of the text.
struct Use {
  std::size_t at;
  bool sets;  // all of it, without reading it
};

std::vector<Use> uses_of(CXCursor variable, CXCursor tree) {
  std::vector<Use> uses;
  clang::walk(tree, [&](CXCursor cursor, CXCursor parent) {
    if (cursor.kind != CXCursor_DeclRefExpr) return true;
    if (!clang::same(clang_getCursorReferenced(cursor), variable)) return true;
    const bool assigned = parent.kind == CXCursor_BinaryOperator &&
                          clang_getCursorBinaryOperatorKind(parent) == CXBinaryOperator_Assign &&
                          clang::offset(clang::children(parent).front()) == clang::offset(cursor);
    uses.push_back({clang::offset(cursor).value_or(0), assigned});
    return true;
  });
  return uses;
}

// Whether the first of the uses within `span` sets the variable; also if there is none.
bool is_set_first(const std::vector<Use>& uses, Span span) {
  const auto first =
      std::find_if(uses.begin(), uses.end(), [&](const Use& use) { return span.contains(use.at); });
  return first == uses.end() || first->sets;
}

// The function that declares the variable; a null cursor if that is not known.
CXCursor function_of(CXCursor variable) {
  const CXCursor parent = clang_getCursorSemanticParent(variable);
  return clang::is_null(parent) || !is_function(parent) ? clang_getNullCursor() : parent;
}

// Whether the block, what follows it, and each loop around it set the variable before they use it.
bool only_shares_name(CXCursor variable, CXCursor statement) {
  const CXCursor function = function_of(variable);
  const auto block = clang::extent(statement);
  const auto whole = clang::extent(function);
  if (clang::is_null(function) || !block || !whole) return false;
  const std::vector<Use> uses = uses_of(variable, function);
  bool sets = is_set_first(uses, *block) && is_set_first(uses, {block->end, whole->end});
  clang::walk(function, [&](CXCursor cursor, CXCursor) {
    const bool loop = cursor.kind == CXCursor_ForStmt || cursor.kind == CXCursor_WhileStmt ||
                      cursor.kind == CXCursor_DoStmt || cursor.kind == CXCursor_CXXForRangeStmt;
    const auto extent = loop ? clang::extent(cursor) : std::nullopt;
    if (extent && extent->begin < block->begin && extent->contains(*block)) {
      sets = sets && is_set_first(uses, *extent);
    }
    return sets;
  });
  return sets;
}

}  // namespace

void warn_of_lost_change(const BlockContext& context, const Changes& changes, CXCursor statement,
                         CXCursor variable) {
  const CXCursor* by = changes.first(variable);
  if (by == nullptr || only_shares_name(variable, statement)) return;
  const auto extent = clang::extent(*by);
  context.diagnostics.warning(
      extent ? context.edits.to_source(*extent) : context.pragma.name,
      fmt::format("the task changes a copy of '{0}' of its own: name '{0}' in an access if others "
                  "should see that, or in firstprivate({0})",
                  clang::spelling(variable)));
}

}  // namespace myr::translate
