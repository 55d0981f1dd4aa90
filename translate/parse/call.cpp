// SPDX-License-Identifier: Apache-2.0
//
// Binding of calls: see call.hpp.

#include "translate/parse/call.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace myr::translate {
namespace {

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

  // An argument that Clang does not convert is passed by reference.
  [[nodiscard]] bool argument_reads(CXCursor argument) const {
    const bool place =
        argument.kind == CXCursor_DeclRefExpr || argument.kind == CXCursor_ArraySubscriptExpr ||
        argument.kind == CXCursor_MemberRefExpr || argument.kind == CXCursor_UnaryOperator ||
        argument.kind == CXCursor_ParenExpr;
    return place ? address_reads(argument) : reads(argument);
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
                       cursor.kind == CXCursor_MemberRefExpr || operation == CXUnaryOperator_Deref;
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
    const bool behind =
        bound.access.kind == Access::Kind::Object || !item.shape.empty() || !item.sections.empty();
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
      return type.kind == CXType_Record || type.kind == CXType_Void || type.kind == CXType_Char_S ||
             type.kind == CXType_UChar || type.kind == CXType_SChar || type.kind == CXType_Char_U;
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
    if (cursor.kind == CXCursor_UnaryOperator &&
        clang_getCursorUnaryOperatorKind(cursor) == CXUnaryOperator_AddrOf) {
      return address_reads(below.front());
    }
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

CXCursor call_of(CXCursor statement) {
  for (;;) {
    const CXCursor cursor = clang::without_casts(statement);
    if (cursor.kind == CXCursor_CallExpr) return cursor;
    const bool to_void =
        cursor.kind == CXCursor_CStyleCastExpr && clang_getCursorType(cursor).kind == CXType_Void;
    const std::vector<CXCursor> below = clang::children(cursor);
    if (!to_void || below.empty()) return clang_getNullCursor();
    statement = below.back();
  }
}

std::vector<Argument> arguments_of(CXCursor call, const CallContext& context) {
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
    const bool place = extent.has_value();
    arguments.push_back(
        {place ? std::string(context.source.text(context.edits.to_source(*extent))) : "",
         is_pointer(type) || is_array(type)});
  }
  return arguments;
}

namespace {

class CallBinder {
 public:
  CallBinder(CXCursor call, const std::vector<BoundAccess>& accesses, const CallContext& context)
      : call_(call), accesses_(accesses), context_(context) {}

  std::optional<Call> run() {
    const std::vector<CXCursor> below = clang::children(call_);
    const auto extent =
        below.empty() ? std::optional<Span>() : clang::extent(callee_expression(below.front()));
    if (!extent) return std::nullopt;
    bound_.callee = context_.edits.to_source(*extent);
    callee_ = clang::without_casts(below.front());
    if (!parentheses() || !names_callee() || !parameters()) return std::nullopt;
    return std::move(bound_);
  }

 private:
  // Through implicit casts, which may reach further than the expression, but not parentheses.
  static CXCursor callee_expression(CXCursor cursor) {
    while (cursor.kind == CXCursor_UnexposedExpr) {
      const std::vector<CXCursor> below = clang::children(cursor);
      if (below.size() != 1) break;
      cursor = below.front();
    }
    return cursor;
  }

  [[nodiscard]] std::string_view text(Span span) const { return context_.source.text(span); }

  bool parentheses() {
    const std::vector<Token>& tokens = context_.tokens;
    const std::size_t open = token_from(tokens, bound_.callee.end);
    const auto inside = inside_parentheses(context_.source, tokens, open);
    if (!inside) return false;
    bound_.arguments = *inside;
    bound_.has_arguments = text(tokens[open + 1].span) != ")";
    return true;
  }

  // Finds out what the callee is; false if a macro names it, or if it is an object of C++.
  bool names_callee() {
    const CXCursor function = clang_getCursorReferenced(callee_);
    const bool known = !clang::is_null(function) && is_function(function);
    if (callee_.kind == CXCursor_DeclRefExpr && known) {
      return text(bound_.callee).find(clang::spelling(callee_)) != std::string_view::npos;
    }
    if (callee_.kind == CXCursor_MemberRefExpr && known) return member();
    const CXType type = clang_getCanonicalType(clang_getCursorType(callee_));
    const bool dependent = context_.language == Language::Cxx && is_dependent(type) &&
                           callee_.kind != CXCursor_MemberRefExpr;
    if (dependent) return is_plain_name();
    bound_.through = Call::Through::Pointer;
    return type.kind == CXType_Pointer || type.kind == CXType_FunctionProto;
  }

  // Of a call in a template: a name, perhaps with namespaces and template arguments.
  [[nodiscard]] bool is_plain_name() const {
    const std::string_view name = text(bound_.callee);
    return name.find_first_of("().[]") == std::string_view::npos;
  }

  bool member() {
    const std::vector<CXCursor> below = clang::children(callee_);
    const bool implicit = below.empty() || clang_isExpression(below.front().kind) == 0;
    if (implicit || clang::without_casts(below.front()).kind == CXCursor_CXXThisExpr) {
      bound_.uses_this = true;
      return text(bound_.callee).find(clang::spelling(callee_)) != std::string_view::npos;
    }
    const auto object = clang::extent(below.front());
    if (!object) return false;
    bound_.through = Call::Through::Object;
    bound_.object = context_.edits.to_source(*object);
    bound_.arrow = is_pointer(clang_getCursorType(below.front()));
    return true;
  }

  bool parameters() {
    const bool named = bound_.through != Call::Through::Pointer;
    const CXCursor function = clang_getCursorReferenced(callee_);
    CXType type = named && !clang::is_null(function) ? clang_getCursorType(function)
                                                     : clang_getCursorType(callee_);
    if (clang_getCanonicalType(type).kind == CXType_Pointer) {
      type = clang_getPointeeType(clang_getCanonicalType(type));
    }
    const bool prototype = clang_getCanonicalType(type).kind == CXType_FunctionProto;
    if (!prototype || clang_isFunctionTypeVariadic(type) != 0) {
      return context_.language == Language::Cxx && is_dependent(type) && generic_parameters();
    }
    if (bound_.through == Call::Through::Pointer && !pointer(type)) return false;
    if (context_.language == Language::C) return c_parameters(type);
    const int given = written_arguments();
    if (given > clang_getNumArgTypes(type)) return false;
    for (int i = 0; i < given; ++i) {
      if (!cxx_parameter(clang_getArgType(type, static_cast<unsigned>(i)), i)) return false;
    }
    return true;
  }

  // Without default arguments, which stand elsewhere.
  [[nodiscard]] int written_arguments() const {
    int written = 0;
    for (int i = 0; i < clang_Cursor_getNumArguments(call_); ++i) {
      const auto extent = clang::extent(argument(i));
      const bool here = extent && extent->end > extent->begin &&
                        bound_.arguments.contains(context_.edits.to_source(*extent));
      written += here ? 1 : 0;
    }
    return written;
  }

  bool pointer(CXType type) {
    const auto stored = stored_type(type);
    if (stored) bound_.pointer_type = *stored;
    return stored.has_value();
  }

  bool c_parameters(CXType type) {
    for (int i = 0; i < clang_getNumArgTypes(type); ++i) {
      const CXType parameter = clang_getArgType(type, static_cast<unsigned>(i));
      const auto stored = stored_type(parameter);
      if (!stored || clang_Type_getAlignOf(parameter) > 16) return false;
      bound_.parameters.push_back({fmt::format("myrcc_a{}", i), {}, *stored});
    }
    return true;
  }

  [[nodiscard]] CXCursor argument(int index) const {
    return clang_Cursor_getArgument(call_, static_cast<unsigned>(index));
  }

  // A variable that an access names must reach the task as itself.
  [[nodiscard]] bool is_accessed(CXCursor argument) const {
    const CXCursor root = storage_root(argument);
    return !clang::is_null(root) && must_share(accesses_, root);
  }

  bool cxx_parameter(CXType type, int index) {
    using Passing = Parameter::Passing;
    Parameter parameter{fmt::format("myrcc_a{}", index), {}, "auto&&", Passing::Copy};
    const CXType canonical = clang_getCanonicalType(type);
    const CXType value = clang_getNonReferenceType(canonical);
    const CXType given = clang_getNonReferenceType(clang_getCursorType(argument(index)));
    const auto name = full_name(canonical);
    // A derived class handed over as its base must be copied as what it is.
    const bool other_class = is_class(value) && is_class(given) &&
                             full_name(clang_getUnqualifiedType(clang_getCanonicalType(value))) !=
                                 full_name(clang_getUnqualifiedType(clang_getCanonicalType(given)));
    if (name && !other_class) parameter.type = fmt::format("__typeof__({})", *name);
    if (canonical.kind != CXType_LValueReference) parameter.passing = Passing::Move;
    if (canonical.kind == CXType_LValueReference) {
      const bool writable = clang_isConstQualifiedType(value) == 0;
      if (writable || is_accessed(argument(index)) || is_array(value)) {
        parameter.passing = Passing::Reference;
      } else if (is_class(value) && is_polymorphic(value)) {
        return refuse_slicing(index);
      }
    }
    bound_.parameters.push_back(std::move(parameter));
    return true;
  }

  bool refuse_slicing(int index) {
    const auto extent = clang::extent(argument(index));
    const Span where = extent ? context_.edits.to_source(*extent) : bound_.callee;
    context_.diagnostics.error(
        where,
        "an object of a class with virtual functions cannot be copied into a task without "
        "losing what it is: name it in an access, or hand over a pointer");
    return true;
  }

  // The callee is known only when the template around it is used.
  bool generic_parameters() {
    using Passing = Parameter::Passing;
    for (int i = 0; i < written_arguments(); ++i) {
      if (argument(i).kind == CXCursor_PackExpansionExpr) return false;
      bound_.parameters.push_back({fmt::format("myrcc_a{}", i),
                                   {},
                                   "auto&&",
                                   is_accessed(argument(i)) ? Passing::Reference : Passing::Copy});
    }
    return true;
  }

  CXCursor call_;
  const std::vector<BoundAccess>& accesses_;
  const CallContext& context_;
  CXCursor callee_ = clang_getNullCursor();
  Call bound_;
};

}  // namespace

std::optional<Call> bind_call(CXCursor call, const std::vector<BoundAccess>& accesses,
                              const CallContext& context) {
  return CallBinder(call, accesses, context).run();
}

bool reads_accesses(CXCursor call, const std::vector<BoundAccess>& accesses) {
  const ReadsAccesses reader(accesses);
  for (int i = 0; i < clang_Cursor_getNumArguments(call); ++i) {
    if (reader.argument_reads(clang_Cursor_getArgument(call, static_cast<unsigned>(i))))
      return true;
  }
  return false;
}

}  // namespace myr::translate
