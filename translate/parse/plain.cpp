// SPDX-License-Identifier: Apache-2.0
//
// has_plain_arguments(): see plain.hpp.

#include "translate/parse/plain.hpp"

#include <algorithm>

#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

bool is_plain(CXCursor expression, const MayUse& may_use);

// Whether the place is the same whenever its address is computed.
bool is_plain_place(CXCursor lvalue, const MayUse& may_use) {
  const CXCursor cursor = clang::without_casts(lvalue);
  const std::vector<CXCursor> below = clang::children(cursor);
  if (cursor.kind == CXCursor_DeclRefExpr) {
    const CXCursor used = clang_getCursorReferenced(cursor);
    const bool parameter = clang_getCursorKind(used) == CXCursor_ParmDecl;
    const bool local = parameter || is_function(clang_getCursorSemanticParent(used));
    return !local || may_use(used, true);
  }
  if (below.empty()) return false;
  if (cursor.kind == CXCursor_ArraySubscriptExpr && below.size() == 2) {
    const bool array = is_array(clang_getCursorType(clang::without_casts(below[0])));
    const bool base = array ? is_plain_place(below[0], may_use) : is_plain(below[0], may_use);
    return base && is_plain(below[1], may_use);
  }
  const bool pointer = is_pointer(clang_getCursorType(below[0]));
  if (cursor.kind == CXCursor_MemberRefExpr) {
    return pointer ? is_plain(below[0], may_use) : is_plain_place(below[0], may_use);
  }
  return cursor.kind == CXCursor_UnaryOperator && pointer && is_plain(below[0], may_use);
}

bool is_plain(CXCursor expression, const MayUse& may_use) {
  const CXCursor cursor = clang::without_casts(expression);
  const std::vector<CXCursor> below = clang::children(cursor);
  const auto all_plain = [&] {
    return std::all_of(below.begin(), below.end(),
                       [&](CXCursor child) { return is_plain(child, may_use); });
  };
  switch (cursor.kind) {
    case CXCursor_DeclRefExpr: {
      const CXCursor used = clang_getCursorReferenced(cursor);
      const CXCursorKind kind = clang_getCursorKind(used);
      const bool variable = kind == CXCursor_VarDecl || kind == CXCursor_ParmDecl;
      const CX_StorageClass storage = clang_Cursor_getStorageClass(used);
      const bool array = is_array(clang_getCursorType(used));
      const bool local = variable && (kind == CXCursor_ParmDecl ||
                                      is_function(clang_getCursorSemanticParent(used)));
      if (!variable) return true;
      if (!local || storage == CX_SC_Static || storage == CX_SC_Extern) return array;
      return may_use(used, array);
    }
    case CXCursor_UnaryOperator: {
      const auto operation = clang_getCursorUnaryOperatorKind(cursor);
      if (operation == CXUnaryOperator_AddrOf && !below.empty()) {
        return is_plain_place(below.front(), may_use);
      }
      return operation != CXUnaryOperator_Deref && all_plain();
    }
    case CXCursor_UnaryExpr:  // sizeof
    case CXCursor_TypeRef:
      return true;
    case CXCursor_BinaryOperator:
    case CXCursor_ConditionalOperator:
    case CXCursor_CStyleCastExpr:
    case CXCursor_IntegerLiteral:
    case CXCursor_FloatingLiteral:
    case CXCursor_StringLiteral:
    case CXCursor_CharacterLiteral:
    case CXCursor_CXXBoolLiteralExpr:
    case CXCursor_CXXNullPtrLiteralExpr:
    case CXCursor_CXXStaticCastExpr:
      return all_plain();
    default:
      return false;
  }
}

}  // namespace

bool has_plain_arguments(CXCursor call, const MayUse& may_use) {
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    if (!is_plain(clang_Cursor_getArgument(call, static_cast<unsigned>(i)), may_use)) return false;
  }
  return true;
}

}  // namespace myr::translate
