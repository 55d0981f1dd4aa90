// SPDX-License-Identifier: Apache-2.0
//
// bind_task_function(): see task_function.hpp.

#include "translate/parse/task_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

namespace myr::translate {
namespace {

// What may stand between the parameters and the attributes of a function.
bool belongs_to_type(std::string_view word) {
  static const std::set<std::string_view> words = {"const", "volatile", "noexcept",
                                                   "throw", "&",        "&&"};
  return words.contains(word);
}

class FunctionBinder {
 public:
  FunctionBinder(CXCursor cursor, const Function& function, const Tree& context)
      : cursor_(cursor), function_(function), context_(context) {}

  std::optional<TaskFunction> run(const std::vector<bool>& in_place) {
    const bool c = context_.language == Language::C;
    bound_.name = function_.name;
    bound_.is_method = function_.is_method;
    bound_.is_definition = function_.body.has_value();
    bound_.before = function_.before;
    bound_.head = written({function_.before, function_.name_span.begin});
    const std::size_t end = bound_.is_definition ? function_.extent.end
                                                 : declaration_end(context_.source, context_.tokens,
                                                                   function_.extent.end);
    bound_.behind = {function_.parameters->end + 1, end};
    if (text(function_.name_span) != function_.name)
      refuse("a macro declares this task: write the declaration out");
    check_directives();
    check_head(c);
    split_tail(c);
    const std::vector<CXCursor> below = clang::children(cursor_);
    std::size_t index = 0;
    for (const CXCursor child : below) {
      if (child.kind == CXCursor_ParmDecl) {
        add_parameter(child, index, index < in_place.size() && in_place[index]);
        ++index;
      }
    }
    add_template_arguments(below);
    if (is_visible_elsewhere()) bound_.symbol = clang::take(clang_Cursor_getMangling(cursor_));
    if (failed_) return std::nullopt;
    return std::move(bound_);
  }

 private:
  [[nodiscard]] std::string_view text(Span span) const { return context_.source.text(span); }
  // On one line, without blanks around.
  [[nodiscard]] std::string written(Span span) const {
    const std::string line = one_line(context_.source, span);
    const std::size_t first = line.find_first_not_of(' ');
    return first == std::string::npos ? ""
                                      : line.substr(first, line.find_last_not_of(' ') + 1 - first);
  }
  [[nodiscard]] bool is_template() const { return !function_.template_head.empty(); }

  void refuse(const std::string& why) {
    if (!failed_) context_.diagnostics.error(function_.name_span, why);
    failed_ = true;
  }

  // Others have no symbol, or one that each file with the function's code has.
  [[nodiscard]] bool is_visible_elsewhere() const {
    return !function_.is_method && !is_template() &&
           clang_getCursorLinkage(cursor_) == CXLinkage_External;
  }

  void check_directives() {
    const std::size_t end = bound_.is_definition ? function_.body->begin : bound_.behind.end;
    for (const Token& token : scan(context_.source, {function_.before, end})) {
      if (token.kind == TokenKind::Directive) {
        refuse("a directive in the declaration of a task is not understood: write it around");
      }
    }
  }

  void check_head(bool c) {
    const Span head{function_.before, function_.name_span.begin};
    int depth = 0;
    for (const Token& token : scan(context_.source, head)) {
      const std::string_view word = text(token.span);
      depth += word == "(" ? 1 : word == ")" ? -1 : 0;
      if (word == "friend" || word == "typedef" || word == "constexpr" || word == "consteval") {
        refuse(fmt::format("what is declared with '{}' cannot be declared a task", word));
      }
      if (word == "auto") refuse("write 'void' before the name of a function that is a task");
      if (word == "inline" && c && clang_getCursorLinkage(cursor_) == CXLinkage_External) {
        refuse("an inline function that is a task must be static");
      }
    }
    if (depth != 0) refuse("a macro declares this task: write the declaration out");
    const std::string_view before = std::string_view(context_.source.text()).substr(0, head.end);
    const std::size_t last = before.find_last_not_of(" \t\r\n");
    if (last != std::string_view::npos && before.substr(0, last + 1).ends_with("::")) {
      refuse("write the pragma where this function is declared first");
    }
  }

  void split_tail(bool c) {
    const std::size_t end = bound_.is_definition ? function_.body->begin : bound_.behind.end - 1;
    if (end < bound_.behind.begin)
      return refuse("a macro declares this task: write the declaration out");
    const Span all{bound_.behind.begin, end};
    const std::vector<Token> tokens = scan(context_.source, all);
    std::size_t split = all.begin;
    int depth = 0;
    bool type = true;
    for (const Token& token : tokens) {
      const std::string_view word = text(token.span);
      if (word == "(") ++depth;
      const bool inside = depth > 0;
      if (word == ")") --depth;
      if (word == "=" || word == "asm" || word == "__asm__" || word == "->" || word == "requires") {
        refuse(fmt::format("a function that is a task cannot be declared with '{}'", word));
      }
      type = type && (inside || belongs_to_type(word));
      if (type) split = token.span.end;
    }
    bound_.tail = written({all.begin, split});
    bound_.attributes = written({split, all.end});
    if (c && bound_.is_definition && !bound_.attributes.empty()) {
      refuse("write the types of a task's parameters between its parentheses");
    }
  }

  void add_parameter(CXCursor cursor, std::size_t index, bool in_place) {
    const auto extent = clang::extent(cursor);
    const auto at = clang::offset(cursor);
    TaskFunction::Parameter parameter;
    parameter.name = clang::spelling(cursor);
    parameter.in_place = in_place;
    if (!extent || !at) return refuse("a macro declares this task: write the declaration out");
    const Span span = context_.edits.to_source(*extent);
    const std::size_t name_at = context_.edits.to_source(*at);
    const Span name{name_at, name_at + parameter.name.size()};
    const bool named = !parameter.name.empty();
    if (!function_.parameters->contains(span) || (named && text(name) != parameter.name)) {
      return refuse("a macro declares a parameter of this task");
    }
    if (clang_Type_getAlignOf(clang_getCursorType(cursor)) > 16) {
      return refuse(
          fmt::format("'{}' is aligned to more than 16 bytes and cannot be copied into a "
                      "task: pass a pointer",
                      parameter.name));
    }
    const Span declared = without_default(span, named ? name.end : span.begin);
    parameter.declared = written(declared);
    parameter.otherwise = written({declared.end, span.end});
    if (!named) {
      parameter.name = fmt::format("myrcc_a{}", index);
      parameter.declared = fmt::format("__typeof__({}) {}", parameter.declared, parameter.name);
    }
    if (parameter.declared.find("...") != std::string::npos) {
      refuse("a function of any number of arguments cannot be declared a task");
    }
    if (in_place) add_temporary(cursor, declared, name, parameter);
    bound_.parameters.push_back(std::move(parameter));
  }

  // Up to the = of a default.
  [[nodiscard]] Span without_default(Span span, std::size_t from) const {
    int depth = 0;
    for (const Token& token : scan(context_.source, {from, span.end})) {
      const std::string_view word = text(token.span);
      if (word == "(" || word == "[" || word == "{") ++depth;
      if (word == ")" || word == "]" || word == "}") --depth;
      if (word == "=" && depth == 0) return {span.begin, token.span.begin};
    }
    return span;
  }

  // The object that a constant reference is bound to may be gone when the task runs.
  void add_temporary(CXCursor cursor, Span declared, Span name,
                     TaskFunction::Parameter& parameter) {
    const CXType type = clang_getNonReferenceType(clang_getCursorType(cursor));
    const bool constant = clang_isConstQualifiedType(clang_getCanonicalType(type)) != 0;
    if (!constant) return;
    const Span before{declared.begin, name.begin};
    const std::string head = written(before);
    if (!head.ends_with("&") || head.ends_with("&&")) {
      return refuse(
          fmt::format("'{}' may refer to a temporary: write its type with an &", parameter.name));
    }
    if (!parameter.otherwise.empty()) {
      return refuse(fmt::format("the default of '{}' may be gone when the task runs: take a value",
                                parameter.name));
    }
    parameter.temporary = fmt::format("{}& {}", head, written({name.begin, declared.end}));
  }

  void add_template_arguments(const std::vector<CXCursor>& below) {
    if (!is_template()) return;
    std::vector<std::string> arguments;
    for (const CXCursor child : below) {
      if (child.kind != CXCursor_TemplateTypeParameter &&
          child.kind != CXCursor_NonTypeTemplateParameter &&
          child.kind != CXCursor_TemplateTemplateParameter) {
        continue;
      }
      const std::string name = clang::spelling(child);
      const auto extent = clang::extent(child);
      const bool pack =
          extent && text(context_.edits.to_source(*extent)).find("...") != std::string_view::npos;
      if (name.empty()) refuse("name the template's parameters");
      arguments.push_back(name + (pack ? "..." : ""));
    }
    bound_.template_arguments = fmt::format("<{}>", fmt::join(arguments, ", "));
  }

  CXCursor cursor_;
  const Function& function_;
  const Tree& context_;
  TaskFunction bound_;
  bool failed_ = false;
};

}  // namespace

std::optional<TaskFunction> bind_task_function(CXCursor cursor, const Function& function,
                                               const std::vector<bool>& in_place,
                                               const Tree& context) {
  return FunctionBinder(cursor, function, context).run(in_place);
}

}  // namespace myr::translate
