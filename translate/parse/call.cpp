// SPDX-License-Identifier: Apache-2.0
//
// Binding of calls: see call.hpp.

#include "translate/parse/call.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace myr::translate {
namespace {

bool element_is_const(CXType type) {
  type = clang_getCanonicalType(type);
  if (type.kind == CXType_Pointer) return element_is_const(clang_getPointeeType(type));
  if (is_array(type)) return element_is_const(clang_getArrayElementType(type));
  return clang_isConstQualifiedType(type) != 0;
}

bool inside_function(CXCursor declaration) {
  CXCursor parent = clang_getCursorSemanticParent(declaration);
  while (!clang::is_null(parent) && clang_isDeclaration(clang_getCursorKind(parent)) != 0) {
    if (clang_getCursorKind(parent) == CXCursor_FunctionDecl) return true;
    parent = clang_getCursorSemanticParent(parent);
  }
  return false;
}

// Whether the type's name can be written outside of functions.
bool is_global(CXType type) {
  for (;;) {
    const CXCursor declaration = clang_getTypeDeclaration(type);
    if (clang_getCursorKind(declaration) != CXCursor_NoDeclFound) {
      const bool named = clang_Cursor_isAnonymous(declaration) == 0 &&
                         clang::spelling(type).find("(unnamed") == std::string::npos;
      return named && !inside_function(declaration);
    }
    if (is_array(type)) {
      type = clang_getArrayElementType(type);
    } else if (type.kind == CXType_Pointer) {
      type = clang_getPointeeType(type);
    } else {
      return true;
    }
  }
}

// Decides whether computing an argument reads memory that an access names. A place in memory is
// taken for an access's if a variable of that access leads to it and it has the type of what the
// access names: b[i] is no part of [n]b[i], but b[i][0] is.
class ReadsAccesses {
 public:
  explicit ReadsAccesses(const std::vector<BoundAccess>& accesses) {
    for (const BoundAccess& access : accesses) {
      Accessed accessed{accessed_variable(access), {}, element_of(access)};
      note_variable(access.base, accessed);
      clang::walk(access.base, [&](CXCursor cursor, CXCursor) {
        note_variable(cursor, accessed);
        return true;
      });
      accesses_.push_back(std::move(accessed));
    }
  }

  [[nodiscard]] bool reads(CXCursor expression) const {
    const CXCursor cursor = clang::without_casts(expression);
    const std::vector<CXCursor> below = clang::children(cursor);
    if (cursor.kind == CXCursor_UnaryExpr) return false;  // sizeof
    const bool unary = cursor.kind == CXCursor_UnaryOperator && !below.empty();
    const auto operation =
        unary ? clang_getCursorUnaryOperatorKind(cursor) : CXUnaryOperator_Invalid;
    if (operation == CXUnaryOperator_AddrOf) return address_reads(below.front());
    const bool place = cursor.kind == CXCursor_DeclRefExpr ||
                       cursor.kind == CXCursor_ArraySubscriptExpr ||
                       cursor.kind == CXCursor_MemberRefExpr ||
                       operation == CXUnaryOperator_Deref;
    if (place && is_array(clang_getCursorType(cursor))) return address_reads(cursor);
    if (place && is_accessed(cursor)) return true;
    return std::any_of(below.begin(), below.end(), [this](CXCursor c) { return reads(c); });
  }

 private:
  struct Accessed {
    CXCursor root;                    // the variable that is accessed itself, if any
    std::vector<CXCursor> variables;  // that lead to it
    CXType element;
  };

  static CXType element_of(const BoundAccess& bound) {
    const Item& item = bound.access.item;
    CXType type = clang_getCanonicalType(clang_getCursorType(bound.base));
    const bool behind = bound.access.kind == Access::Kind::Object || !item.shape.empty() ||
                        !item.sections.empty();
    if (behind && type.kind == CXType_Pointer) type = clang_getPointeeType(type);
    while (is_array(type)) type = clang_getArrayElementType(type);
    return clang_getCanonicalType(type);
  }

  static void note_variable(CXCursor cursor, Accessed& accessed) {
    if (cursor.kind == CXCursor_DeclRefExpr) {
      accessed.variables.push_back(clang_getCursorReferenced(cursor));
    }
  }

  // Whether the place may be memory of an access.
  [[nodiscard]] bool is_accessed(CXCursor place) const {
    const CXCursor root = storage_root(place);
    const CXType type = clang_getCanonicalType(clang_getCursorType(place));
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const Accessed& accessed) {
      if (!clang::is_null(root) && clang::same(root, accessed.root)) return true;
      return place.kind != CXCursor_DeclRefExpr && may_alias(type, accessed.element) &&
             mentions(place, accessed.variables);
    });
  }

  static bool may_alias(CXType a, CXType b) {
    const auto is_any = [](CXType type) {
      return type.kind == CXType_Record || type.kind == CXType_Void ||
             type.kind == CXType_Char_S || type.kind == CXType_UChar ||
             type.kind == CXType_SChar || type.kind == CXType_Char_U;
    };
    return is_any(b) || clang::spelling(clang_getUnqualifiedType(a)) ==
                            clang::spelling(clang_getUnqualifiedType(b));
  }

  static bool mentions(CXCursor expression, const std::vector<CXCursor>& variables) {
    bool found = false;
    clang::walk(expression, [&](CXCursor cursor, CXCursor) {
      const CXCursor used = clang_getCursorReferenced(cursor);
      found = found || (cursor.kind == CXCursor_DeclRefExpr &&
                        std::any_of(variables.begin(), variables.end(), [&](CXCursor variable) {
                          return clang::same(variable, used);
                        }));
      return !found;
    });
    return found;
  }

  // Whether computing the address of this lvalue reads memory of an access.
  [[nodiscard]] bool address_reads(CXCursor lvalue) const {
    const CXCursor cursor = clang::without_casts(lvalue);
    const std::vector<CXCursor> below = clang::children(cursor);
    if (cursor.kind == CXCursor_DeclRefExpr || below.empty()) return false;
    if (cursor.kind == CXCursor_ArraySubscriptExpr && below.size() == 2) {
      const CXCursor array = clang::without_casts(below[0]);
      const bool in_place = is_array(clang_getCursorType(array));
      return (in_place ? address_reads(array) : reads(array)) || reads(below[1]);
    }
    if (cursor.kind == CXCursor_MemberRefExpr) {
      const bool arrow = is_pointer(clang_getCursorType(below[0]));
      return arrow ? reads(below[0]) : address_reads(below[0]);
    }
    return std::any_of(below.begin(), below.end(), [this](CXCursor c) { return reads(c); });
  }

  std::vector<Accessed> accesses_;
};

}  // namespace

bool is_variable(CXType type) {
  type = clang_getCanonicalType(type);
  if (type.kind == CXType_VariableArray) return true;
  if (type.kind == CXType_Pointer) return is_variable(clang_getPointeeType(type));
  return is_array(type) && is_variable(clang_getArrayElementType(type));
}

std::optional<std::string> stored_type(CXType type) {
  if (is_variable(type)) return element_is_const(type) ? "const void *" : "void *";
  if (!is_global(type)) return std::nullopt;
  return clang::spelling(clang_getUnqualifiedType(type));
}

CXCursor call_of(CXCursor statement) {
  for (;;) {
    const CXCursor cursor = clang::without_casts(statement);
    if (cursor.kind == CXCursor_CallExpr) return cursor;
    const bool to_void = cursor.kind == CXCursor_CStyleCastExpr &&
                         clang_getCursorType(cursor).kind == CXType_Void;
    const std::vector<CXCursor> below = clang::children(cursor);
    if (!to_void || below.empty()) return clang_getNullCursor();
    statement = below.back();
  }
}

std::vector<Argument> arguments_of(CXCursor call, const Source& source, const Edits& edits) {
  const CXCursor function = clang_getCursorReferenced(call);
  const int known = clang::is_null(function) ? -1 : clang_Cursor_getNumArguments(function);
  std::vector<Argument> arguments;
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    const CXCursor argument = clang_Cursor_getArgument(call, static_cast<unsigned>(i));
    const auto extent = clang::extent(argument);
    CXType type = clang_getCursorType(argument);
    if (i < known) {
      type = clang_getCursorType(clang_Cursor_getArgument(function, static_cast<unsigned>(i)));
    }
    arguments.push_back({extent ? std::string(source.text(edits.to_source(*extent))) : "",
                         is_pointer(type) || is_array(type)});
  }
  return arguments;
}

std::optional<BoundCall> bind_call(CXCursor call, const Source& source,
                                   const std::vector<Token>& tokens, const Edits& edits) {
  const std::vector<CXCursor> below = clang::children(call);
  if (below.empty()) return std::nullopt;
  const auto extent = clang::extent(below.front());
  if (!extent) return std::nullopt;
  BoundCall bound;
  bound.callee = edits.to_source(*extent);
  const CXCursor callee = clang::without_casts(below.front());
  const CXCursor function = clang_getCursorReferenced(callee);
  bound.through_pointer = callee.kind != CXCursor_DeclRefExpr ||
                          clang_getCursorKind(function) != CXCursor_FunctionDecl;
  if (!bound.through_pointer && source.text(bound.callee) != clang::spelling(callee)) {
    return std::nullopt;
  }
  const std::size_t open = token_from(tokens, bound.callee.end);
  if (open + 1 >= tokens.size() || source.text(tokens[open].span) != "(") return std::nullopt;
  bound.arguments = tokens[open].span.end;
  bound.has_arguments = source.text(tokens[open + 1].span) != ")";

  CXType type = clang_getCanonicalType(clang_getCursorType(callee));
  if (type.kind == CXType_Pointer) type = clang_getPointeeType(type);
  if (type.kind != CXType_FunctionProto || clang_isFunctionTypeVariadic(type) != 0) {
    return std::nullopt;
  }
  if (bound.through_pointer) {
    const auto stored = stored_type(type);
    if (!stored) return std::nullopt;
    bound.callee_type = *stored;
  }
  const CXType sugared = bound.through_pointer ? type : clang_getCursorType(function);
  for (int i = 0; i < clang_getNumArgTypes(sugared); ++i) {
    const CXType parameter = clang_getArgType(sugared, static_cast<unsigned>(i));
    const auto stored = stored_type(parameter);
    if (!stored || clang_Type_getAlignOf(parameter) > 16) return std::nullopt;
    bound.parameters.push_back({fmt::format("myrcc_a{}", i), *stored});
  }
  return bound;
}

bool reads_accesses(CXCursor call, const std::vector<BoundAccess>& accesses) {
  const ReadsAccesses reader(accesses);
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    if (reader.reads(clang_Cursor_getArgument(call, static_cast<unsigned>(i)))) return true;
  }
  return false;
}

}  // namespace myr::translate
