// SPDX-License-Identifier: Apache-2.0
//
// Types: see types.hpp.

#include "translate/parse/types.hpp"

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

// Whether the type's name can be written outside of functions.
bool is_global(CXType type) {
  for (;;) {
    const CXCursor declaration = clang_getTypeDeclaration(type);
    if (clang_getCursorKind(declaration) != CXCursor_NoDeclFound) {
      const bool named = clang_Cursor_isAnonymous(declaration) == 0 &&
                         clang::spelling(type).find("(unnamed") == std::string::npos;
      return named && !is_inside_function(declaration);
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

bool is_integer(CXType type) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  return (kind >= CXType_Bool && kind <= CXType_Int128) || kind == CXType_Enum;
}

bool is_class(CXType type) { return clang_getCanonicalType(type).kind == CXType_Record; }

bool is_dependent(CXType type) {
  type = clang_getCanonicalType(type);
  return type.kind == CXType_Dependent || type.kind == CXType_Unexposed ||
         type.kind == CXType_Auto ||
         clang::spelling(type).find("type-parameter-") != std::string::npos;
}

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

bool is_inside_function(CXCursor declaration) {
  CXCursor parent = clang_getCursorSemanticParent(declaration);
  while (!clang::is_null(parent) && clang_isDeclaration(clang_getCursorKind(parent)) != 0) {
    if (is_function(parent)) return true;
    parent = clang_getCursorSemanticParent(parent);
  }
  return false;
}

}  // namespace myr::translate
