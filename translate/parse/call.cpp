// SPDX-License-Identifier: Apache-2.0
//
// Binding of calls: see call.hpp.

#include "translate/parse/call.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace myr::translate {
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

std::vector<Argument> arguments_of(CXCursor call, const Tree& context) {
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
  CallBinder(CXCursor call, const std::vector<BoundAccess>& accesses, const Tree& context)
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
    if (text(tokens[open + 1].span) != ")") split_arguments();
    return true;
  }

  void split_arguments() {
    std::size_t depth = 0;
    std::size_t begin = bound_.arguments.begin;
    for (const Token& token : scan(context_.source, bound_.arguments)) {
      const std::string_view word = text(token.span);
      if (word == "(" || word == "[" || word == "{") ++depth;
      if (word == ")" || word == "]" || word == "}") --depth;
      if (word != "," || depth != 0) continue;
      bound_.given.push_back({begin, token.span.begin});
      begin = token.span.end;
    }
    bound_.given.push_back({begin, bound_.arguments.end});
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
    if (dependent) return is_plain_name() && !is_variable(function);
    const bool unknown_member = context_.language == Language::Cxx && !known &&
                                callee_.kind == CXCursor_MemberRefExpr &&
                                !clang::children(callee_).empty();
    if (unknown_member && is_dependent(clang_getCursorType(clang::children(callee_).front()))) {
      return dependent_member();
    }
    bound_.through = Call::Through::Pointer;
    return type.kind == CXType_Pointer || type.kind == CXType_FunctionProto;
  }

  // An object that is called is one of the variables of a block.
  static bool is_variable(CXCursor declaration) {
    return declaration.kind == CXCursor_VarDecl || declaration.kind == CXCursor_ParmDecl;
  }

  // For a call in a template: is it a name, perhaps with namespaces and template arguments?
  [[nodiscard]] bool is_plain_name() const {
    const std::string_view name = text(bound_.callee);
    return name.find_first_of("().[]") == std::string_view::npos;
  }

  // A method of an object whose class is known only when the template around it is used.
  bool dependent_member() {
    const auto object = clang::extent(clang::children(callee_).front());
    if (!object) return false;
    bound_.through = Call::Through::Object;
    bound_.object = context_.edits.to_source(*object);
    const std::string_view behind = text({bound_.object.end, bound_.callee.end});
    const std::size_t sign = behind.find_first_not_of(" \t\r\n");
    bound_.arrow = sign != std::string_view::npos && behind.substr(sign).starts_with("->");
    return bound_.object.end < bound_.callee.end;
  }

  bool member() {
    const std::vector<CXCursor> below = clang::children(callee_);
    const bool implicit = below.empty() || clang_isExpression(below.front().kind) == 0;
    if (implicit || clang::without_casts(below.front()).kind == CXCursor_CXXThisExpr) {
      return text(bound_.callee).find(clang::spelling(callee_)) != std::string_view::npos;
    }
    const CXCursor handle = handle_before_arrow(below.front());
    const bool is_handle = !clang::is_null(handle);
    const auto object = clang::extent(is_handle ? handle : below.front());
    if (!object) return false;
    bound_.through = Call::Through::Object;
    bound_.object = context_.edits.to_source(*object);
    bound_.arrow = is_handle || is_pointer(below.front());
    return true;
  }

  // What stands before an overloaded `->`; a null cursor if it is none.
  [[nodiscard]] CXCursor handle_before_arrow(CXCursor object) const {
    const CXCursor call = clang::without_casts(object);
    const auto extent = clang::extent(call);
    const std::vector<CXCursor> below = clang::children(call);
    const bool arrow = call.kind == CXCursor_CallExpr && extent && !below.empty() &&
                       text(context_.edits.to_source(*extent)).ends_with("->");
    return arrow ? below.front() : clang_getNullCursor();
  }

  bool parameters() {
    const bool named = bound_.through != Call::Through::Pointer;
    const CXCursor function = clang_getCursorReferenced(callee_);
    const bool known = named && !clang::is_null(function) && is_function(function);
    CXType type = clang_getCursorType(known ? function : callee_);
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
      const auto stored = parameter_type(parameter);
      if (!stored || clang_Type_getAlignOf(parameter) > 16) return false;
      bound_.parameters.push_back({fmt::format("myrcc_a{}", i), *stored, {}, {}});
    }
    return true;
  }

  [[nodiscard]] CXCursor argument(int index) const {
    return clang_Cursor_getArgument(call_, static_cast<unsigned>(index));
  }

  // A variable that an access names must reach the task as itself. Returns whether the accesses
  // tell how to pass the argument.
  [[nodiscard]] bool follow_access(CXCursor argument, Parameter& parameter) const {
    const CXCursor root = storage_root(argument);
    std::size_t access = 0;
    const Leads leads = clang::is_null(root) ? Leads::No : leads_to(accesses_, root, access);
    if (leads == Leads::No) return false;
    const bool whole = clang::without_casts(argument).kind == CXCursor_DeclRefExpr;
    parameter.passing =
        leads == Leads::Through && whole ? Parameter::Passing::Held : Parameter::Passing::Reference;
    if (parameter.passing == Parameter::Passing::Held) {
      parameter.lead = {access, clang::spelling(root)};
    }
    return true;
  }

  bool cxx_parameter(CXType type, int index) {
    using Passing = Parameter::Passing;
    Parameter parameter{fmt::format("myrcc_a{}", index), "auto&&", Passing::Copy, {}};
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
      if (writable || is_array(value)) {
        parameter.passing = Passing::Reference;
      } else if (follow_access(argument(index), parameter)) {
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
        "an object of a class with virtual functions cannot be copied into a task without losing "
        "its class: name it in an access, or pass a pointer");
    return true;
  }

  static bool is_named_value(CXCursorKind kind) {
    return kind == CXCursor_DeclRefExpr || kind == CXCursor_MemberRefExpr ||
           kind == CXCursor_ArraySubscriptExpr;
  }

  // The callee is known only when the template around it is used.
  bool generic_parameters() {
    using Passing = Parameter::Passing;
    for (int i = 0; i < written_arguments(); ++i) {
      const CXCursorKind kind = clang::without_casts(argument(i)).kind;
      if (kind == CXCursor_PackExpansionExpr || kind == CXCursor_InitListExpr ||
          kind == CXCursor_OverloadedDeclRef) {
        return false;
      }
      Parameter parameter{fmt::format("myrcc_a{}", i), "auto&&", Passing::Unknown, {}};
      if (kind == CXCursor_GNUNullExpr) parameter.type = "decltype(nullptr)";
      if (is_named_value(kind)) static_cast<void>(follow_access(argument(i), parameter));
      bound_.parameters.push_back(std::move(parameter));
    }
    return true;
  }

  CXCursor call_;
  const std::vector<BoundAccess>& accesses_;
  const Tree& context_;
  CXCursor callee_ = clang_getNullCursor();
  Call bound_;
};

}  // namespace

std::optional<Call> bind_call(CXCursor call, const std::vector<BoundAccess>& accesses,
                              const Tree& context) {
  return CallBinder(call, accesses, context).run();
}

}  // namespace myr::translate
