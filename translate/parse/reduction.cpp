// SPDX-License-Identifier: Apache-2.0
//
// reduction_of(): see reduction.hpp.

#include "translate/parse/reduction.hpp"

#include <fmt/format.h>

#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

// The identity of an operator in C, for a value of this type.
std::string identity_in_c(std::string_view op, CXType type, const std::string& name) {
  const CXTypeKind kind = clang_getCanonicalType(type).kind;
  const bool real = kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble;
  const bool is_signed = kind == CXType_Char_S || kind == CXType_SChar || kind == CXType_Short ||
                         kind == CXType_Int || kind == CXType_Long || kind == CXType_LongLong;
  if (op == "*" || op == "&&") return "1";
  if (op == "&") return "-1";
  if (op == "min" && real) return "__builtin_inf()";
  if (op == "max" && real) return "-__builtin_inf()";
  const std::string most = fmt::format("((1ULL << (sizeof({}) * 8 - 1)) - 1)", name);
  if (op == "min") return is_signed ? "(long long)" + most : "-1";
  if (op == "max") return is_signed ? "-(long long)" + most + " - 1" : "0";
  return "0";
}

}  // namespace

Reduction reduction_of(const Clause& clause, const Item& item, CXType type,
                       const BlockContext& context) {
  const std::string op(context.source.text(clause.op));
  const CXType value = clang_getNonReferenceType(clang_getCanonicalType(type));
  const CXTypeKind kind = value.kind;
  const bool number = is_integer(value) || kind == CXType_Float || kind == CXType_Double ||
                      kind == CXType_LongDouble ||
                      (context.language == Language::Cxx && is_dependent(type));
  const bool added = kind == CXType_Complex && (op == "+" || op == "-" || op == "*");
  if (!number && !added) {
    context.diagnostics.error(
        item.span, fmt::format("'{}' is not a number: its type is '{}'; let the tasks change it in "
                               "critical",
                               context.source.text(item.span), clang::spelling(type)));
  }
  return {op, identity_in_c(op, value, std::string(context.source.text(item.span)))};
}

}  // namespace myr::translate
