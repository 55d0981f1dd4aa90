// SPDX-License-Identifier: Apache-2.0
//
// Types: see types.hpp.

#include "translate/parse/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace myr::translate {
namespace {

bool element_is_const(CXType type) {
  type = clang_getCanonicalType(type);
  if (type.kind == CXType_Pointer) return element_is_const(clang_getPointeeType(type));
  if (is_array(type)) return element_is_const(clang_getArrayElementType(type));
  return clang_isConstQualifiedType(type) != 0;
}

// Whether the type can be written by its name.
bool is_named(CXType type) {
  if (clang::spelling(type).find("typeof") != std::string::npos)
    type = clang_getCanonicalType(type);
  for (;;) {
    const CXCursor declaration = clang_getTypeDeclaration(type);
    if (clang_getCursorKind(declaration) != CXCursor_NoDeclFound) {
      return clang_Cursor_isAnonymous(declaration) == 0 &&
             clang::spelling(type).find("(unnamed") == std::string::npos;
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

}  // namespace

bool is_array(CXType type) {
  switch (clang_getCanonicalType(type).kind) {
    case CXType_ConstantArray:
    case CXType_IncompleteArray:
    case CXType_VariableArray:
    case CXType_DependentSizedArray:
      return true;
    default:
      return false;
  }
}

bool is_pointer(CXType type) { return clang_getCanonicalType(type).kind == CXType_Pointer; }

namespace {

// Whether an expression of array type, as Clang shows it, is one: it may have got that from a
// parameter.
bool names_array(CXCursor expression) {
  const CXCursor cursor = clang::without_casts(expression);
  const std::vector<CXCursor> below = clang::children(cursor);
  switch (cursor.kind) {
    case CXCursor_DeclRefExpr:
      return clang_getCursorKind(clang_getCursorReferenced(cursor)) != CXCursor_ParmDecl ||
             !is_array(clang_getCursorType(clang_getCursorReferenced(cursor)));
    case CXCursor_UnaryOperator:
      return !below.empty() && is_array(clang_getPointeeType(
                                   clang_getCanonicalType(clang_getCursorType(below.front()))));
    case CXCursor_BinaryOperator:
    case CXCursor_ConditionalOperator:
    case CXCursor_CompoundAssignOperator:
      return !below.empty() && clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Add &&
             clang_getCursorBinaryOperatorKind(cursor) != CXBinaryOperator_Sub &&
             is_array(below.back());
    default:
      return true;
  }
}

}  // namespace

bool is_array(CXCursor cursor) {
  if (!is_array(clang_getCursorType(cursor))) return false;
  return clang_isExpression(cursor.kind) != 0 ? names_array(cursor)
                                              : cursor.kind != CXCursor_ParmDecl;
}

bool is_pointer(CXCursor cursor) {
  const CXType type = clang_getCursorType(cursor);
  return is_pointer(type) || (is_array(type) && !is_array(cursor));
}

CXType pointee(CXCursor cursor) {
  const CXType type = clang_getCanonicalType(clang_getCursorType(cursor));
  return is_array(type) ? clang_getArrayElementType(type) : clang_getPointeeType(type);
}

CXCursor array_parameter(CXCursor expression) {
  const CXCursor named = clang_getCursorReferenced(clang::without_casts(expression));
  const bool parameter = clang_getCursorKind(named) == CXCursor_ParmDecl &&
                         clang::without_casts(expression).kind == CXCursor_DeclRefExpr &&
                         is_array(clang_getCursorType(named));
  return parameter ? named : clang_getNullCursor();
}

bool is_integer(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum;
}

bool is_class(CXType type) { return clang_getCanonicalType(type).kind == CXType_Record; }

std::vector<CXCursor> members(CXCursor declaration) {
  const CXCursor pattern = clang_getSpecializedCursorTemplate(declaration);
  if (!clang::is_null(pattern)) declaration = pattern;
  // std::string and others are declared before.
  const CXCursor definition = clang_getCursorDefinition(declaration);
  return clang::children(clang::is_null(definition) ? declaration : definition);
}

bool has_elements(CXType type) {
  if (!is_class(type)) return false;
  const std::vector<CXCursor> all = members(clang_getTypeDeclaration(clang_getCanonicalType(type)));
  // That of vector<bool> returns nothing.
  const auto has = [&](std::string_view name) {
    return std::any_of(all.begin(), all.end(), [&](CXCursor member) {
      return member.kind == CXCursor_CXXMethod && clang::spelling(member) == name &&
             clang_getCursorResultType(member).kind != CXType_Void;
    });
  };
  return has("data") && has("size");
}

bool is_dependent(CXType type) {
  type = clang_getCanonicalType(type);
  return type.kind == CXType_Dependent || type.kind == CXType_Unexposed ||
         type.kind == CXType_Auto || type.kind == CXType_Overload ||
         clang::spelling(type).find("type-parameter-") != std::string::npos;
}

bool is_variable(CXType type) {
  type = clang_getCanonicalType(type);
  if (type.kind == CXType_VariableArray) return true;
  if (type.kind == CXType_Pointer) return is_variable(clang_getPointeeType(type));
  return is_array(type) && is_variable(clang_getArrayElementType(type));
}

bool is_variable(CXCursor declaration) {
  const CXType type = clang_getCursorType(declaration);
  const bool parameter = declaration.kind == CXCursor_ParmDecl && is_array(type);
  return is_variable(parameter ? clang_getArrayElementType(clang_getCanonicalType(type)) : type);
}

std::string written_type(CXType type) {
  std::string name = clang::spelling(type);
  const bool of_expression = name.find("typeof") != std::string::npos;
  return of_expression ? clang::spelling(clang_getCanonicalType(type)) : name;
}

std::optional<std::string> stored_type(CXType type) {
  if (is_variable(type)) return element_is_const(type) ? "const void *" : "void *";
  if (!is_named(type)) return std::nullopt;
  return written_type(clang_getUnqualifiedType(type));
}

std::optional<std::string> parameter_type(CXType type) {
  const CXType canonical = clang_getCanonicalType(type);
  const bool function =
      canonical.kind == CXType_FunctionProto || canonical.kind == CXType_FunctionNoProto;
  if (!is_array(type) && !function) return stored_type(type);
  const CXType target = function ? type : clang_getArrayElementType(canonical);
  if (is_variable(target)) return element_is_const(target) ? "const void *" : "void *";
  if (!is_named(target)) return std::nullopt;
  return fmt::format("__typeof__({}) *", written_type(target));
}

std::optional<std::string> full_name(CXType type) {
  std::string name = clang::spelling(clang_getCanonicalType(type));
  // Clang's words for what has no name, but is found without one.
  constexpr std::string_view kHidden = "(anonymous namespace)::";
  for (std::size_t at = name.find(kHidden); at != std::string::npos; at = name.find(kHidden)) {
    name.erase(at, kHidden.size());
  }
  for (const char* unnamed : {"(unnamed", "(anonymous", "(lambda", "type-parameter-", "<dep"}) {
    if (name.find(unnamed) != std::string::npos) return std::nullopt;
  }
  return is_dependent(type) ? std::nullopt : std::optional(name);
}

bool is_polymorphic(CXType type) {
  const CXCursor declaration = clang_getTypeDeclaration(clang_getCanonicalType(type));
  const std::vector<CXCursor> members = clang::children(declaration);
  return std::any_of(members.begin(), members.end(), [](CXCursor member) {
    if (member.kind == CXCursor_CXXBaseSpecifier) {
      return is_polymorphic(clang_getCursorType(member));
    }
    return clang_CXXMethod_isVirtual(member) != 0;
  });
}

bool is_function(CXCursor declaration) {
  switch (clang_getCursorKind(declaration)) {
    case CXCursor_FunctionDecl:
    case CXCursor_CXXMethod:
    case CXCursor_FunctionTemplate:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
      return true;
    default:
      return false;
  }
}

bool is_temporary(CXCursor expression) {
  const CXCursor cursor = clang::without_casts(expression);
  const CXCursor callee = clang_getCursorReferenced(cursor);
  const CXType type = clang_getCanonicalType(clang_getCursorType(expression));
  const CXType value = clang_getCanonicalType(clang_getCursorType(cursor));
  switch (cursor.kind) {
    case CXCursor_CallExpr:
      return !clang::is_null(callee) &&
             clang_getCanonicalType(clang_getCursorResultType(callee)).kind !=
                 CXType_LValueReference;
    case CXCursor_DeclRefExpr:
    case CXCursor_MemberRefExpr:
    case CXCursor_ArraySubscriptExpr:  // another type of number: converted
      return !is_class(type) && !is_dependent(type) &&
             clang_equalTypes(clang_getUnqualifiedType(type), clang_getUnqualifiedType(value)) == 0;
    case CXCursor_BinaryOperator: {
      const CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
      return op >= CXBinaryOperator_Mul && op < CXBinaryOperator_Assign;
    }
    case CXCursor_UnaryOperator: {
      const CXUnaryOperatorKind op = clang_getCursorUnaryOperatorKind(cursor);
      return op >= CXUnaryOperator_Plus && op <= CXUnaryOperator_LNot;
    }
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_InitListExpr:
    case CXCursor_CXXFunctionalCastExpr:
      return true;
    default:
      return false;
  }
}

bool leads_on(CXType type) {
  switch (clang_getCanonicalType(type).kind) {
    case CXType_Pointer:
    case CXType_LValueReference:
    case CXType_RValueReference:
    case CXType_Record:
    case CXType_MemberPointer:
    case CXType_BlockPointer:
      return true;
    default:
      return is_array(type) || is_dependent(type);
  }
}

CXCursor initializer_of_reference(CXCursor variable) {
  if (clang_getCanonicalType(clang_getCursorType(variable)).kind != CXType_LValueReference) {
    return clang_getNullCursor();
  }
  const std::vector<CXCursor> below = clang::children(variable);
  const bool known = !below.empty() && clang_isExpression(below.back().kind) != 0;
  return known && !is_temporary(below.back()) ? below.back() : clang_getNullCursor();
}

}  // namespace myr::translate
