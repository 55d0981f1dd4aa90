// SPDX-License-Identifier: Apache-2.0
//
// bind_loop(): the canonical loops of OpenMP, read from the tokens of their heads: for (VAR =
// first; VAR < end; VAR += step).

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "translate/lex/scanner.hpp"
#include "translate/parse/construct.hpp"
#include "translate/parse/outline.hpp"
#include "translate/parse/types.hpp"

namespace myr::translate {
namespace {

using Kind = Clause::Kind;

class LoopBinder {
 public:
  LoopBinder(const Placed& placed, const BlockContext& context)
      : placed_(placed), context_(context), source_(context.source) {}

  std::optional<Loop> run() {
    const std::vector<CXCursor> parts = clang::children(placed_.statement);
    const CXCursor counter = loop_variable(placed_.statement);
    const auto extent = clang::extent(placed_.statement);
    if (clang::is_null(counter) || parts.size() != 4 || !extent) return not_canonical();
    span_ = context_.edits.to_source(*extent);
    const auto body = clang::extent(parts.back());
    const std::vector<Token> all = scan(source_, span_);
    const auto head = all.size() > 1 ? inside_parentheses(source_, all, 1) : std::nullopt;
    if (!head || !body || source_.text(all[0].span) != "for") return not_canonical();
    loop_.name = clang::spelling(counter);
    loop_.body = {head->end + 1, span_.end};
    if (!split(*head) || !first() || !end() || !step()) return not_canonical();
    if (!type(clang_getCursorType(counter))) return std::nullopt;
    if (!compares(parts[1]) || !steps_from(counter, parts[2])) return not_canonical();
    if (!clauses(counter) || !collapse(parts.back())) return std::nullopt;
    return std::move(loop_);
  }

 private:
  std::nullopt_t not_canonical() {
    context_.diagnostics.error(
        span_.end > span_.begin ? Span{span_.begin, span_.begin + 3} : placed_.pragma->name,
        "expected a loop like for (int i = first; i < end; i += step), written out, so that its "
        "iterations can be counted");
    return std::nullopt;
  }

  [[nodiscard]] std::string_view word(const std::vector<Token>& tokens, std::size_t index) const {
    return index < tokens.size() ? source_.text(tokens[index].span) : std::string_view();
  }
  // The text of the tokens from `from` to before `to`.
  static Span text_of(const std::vector<Token>& tokens, std::size_t from, std::size_t to) {
    return {tokens[from].span.begin, tokens[to - 1].span.end};
  }

  // Cuts the head at its semicolons.
  bool split(Span head) {
    std::size_t part = 0;
    std::size_t depth = 0;
    for (const Token& token : scan(source_, head)) {
      const std::string_view text = source_.text(token.span);
      if (text == "(" || text == "[" || text == "{") ++depth;
      if (text == ")" || text == "]" || text == "}") --depth;
      if (depth == 0 && text == ",") return false;
      if (depth == 0 && text == ";") {
        if (++part == parts_.size()) return false;
        continue;
      }
      parts_[part].push_back(token);
    }
    return part == 2;
  }

  bool first() {
    const std::vector<Token>& tokens = parts_[0];
    std::size_t equals = 0;
    while (equals < tokens.size() && word(tokens, equals) != "=") ++equals;
    if (equals == 0 || equals + 1 >= tokens.size()) return false;
    if (word(tokens, equals - 1) != loop_.name) return false;
    if (equals > 1) loop_.type = one_line(source_, text_of(tokens, 0, equals - 1));
    loop_.first = text_of(tokens, equals + 1, tokens.size());
    return true;
  }

  // VAR op end, or end op VAR.
  bool end() {
    const std::vector<Token>& tokens = parts_[1];
    if (tokens.size() < 3) return false;
    const bool left = word(tokens, 0) == loop_.name;
    const std::size_t last = tokens.size() - 1;
    if (!left && word(tokens, last) != loop_.name) return false;
    std::size_t at = left ? 1 : last - 1;
    std::string op;
    if (left) {
      op = word(tokens, at++);
      if (word(tokens, at) == "=" && (op == "<" || op == ">" || op == "!"))
        op += word(tokens, at++);
    } else if (word(tokens, at) == "=") {
      op = std::string(word(tokens, at - 1)) + "=";
      --at;
    } else {
      op = word(tokens, at);
    }
    static const std::array<std::string_view, 5> known{"<", "<=", ">", ">=", "!="};
    if (std::find(known.begin(), known.end(), op) == known.end()) return false;
    if (left ? at >= tokens.size() : at == 0) return false;
    loop_.end = left ? text_of(tokens, at, tokens.size()) : text_of(tokens, 0, at);
    if (!left && op != "!=") op[0] = op[0] == '<' ? '>' : '<';
    loop_.compare = op;
    return true;
  }

  bool step() {
    const std::vector<Token>& tokens = parts_[2];
    if (tokens.size() < 3) return false;
    const auto twice = [&](std::size_t at, std::string_view sign) {
      return word(tokens, at) == sign && word(tokens, at + 1) == sign;
    };
    for (const std::string_view sign : {"+", "-"}) {
      loop_.down = sign == "-";
      const bool before = twice(0, sign) && word(tokens, 2) == loop_.name;
      const bool behind = word(tokens, 0) == loop_.name && twice(1, sign);
      if (tokens.size() == 3 && (before || behind)) return true;
      if (word(tokens, 0) != loop_.name) continue;
      const bool compound = word(tokens, 1) == sign && word(tokens, 2) == "=";
      const bool written_out =
          word(tokens, 1) == "=" && word(tokens, 2) == loop_.name && word(tokens, 3) == sign;
      const std::size_t at = compound ? 3 : 4;
      if ((compound || written_out) && at < tokens.size()) {
        loop_.step = text_of(tokens, at, tokens.size());
        return true;
      }
    }
    return false;
  }

  // Whether all that stands behind the comparison is its operand (it is not in `i < n && go`), and
  // can be counted up to.
  static bool compares(CXCursor condition) {
    const CXCursor cursor = clang::without_casts(condition);
    if (cursor.kind == CXCursor_ConditionalOperator) return false;
    if (cursor.kind != CXCursor_BinaryOperator) return true;
    const CXBinaryOperatorKind op = clang_getCursorBinaryOperatorKind(cursor);
    if (op != CXBinaryOperator_NE && (op < CXBinaryOperator_LT || op > CXBinaryOperator_GE)) {
      return false;
    }
    const std::vector<CXCursor> operands = clang::children(cursor);
    return std::none_of(operands.begin(), operands.end(), [](CXCursor operand) {
      return is_real(clang_getCursorType(clang::without_casts(operand)));
    });
  }

  // Whether all that stands behind `i = i -` is taken off (it is not in `i = i - 2 - 1`).
  static bool steps_from(CXCursor counter, CXCursor increment) {
    const std::vector<CXCursor> sides = clang::children(increment);
    const bool assigns = increment.kind == CXCursor_BinaryOperator && sides.size() == 2 &&
                         clang_getCursorBinaryOperatorKind(increment) == CXBinaryOperator_Assign;
    if (!assigns) return true;
    const std::vector<CXCursor> operands = clang::children(clang::without_casts(sides[1]));
    return !operands.empty() &&
           clang::same(clang_getCursorReferenced(clang::without_casts(operands.front())), counter);
  }

  static bool is_real(CXType type) {
    const CXTypeKind kind = clang_getCanonicalType(type).kind;
    return kind == CXType_Float || kind == CXType_Double || kind == CXType_LongDouble;
  }

  bool type(CXType type) {
    const bool real = is_real(type);
    const auto stored = stored_type(type);
    const bool c = context_.language == Language::C;
    if (real || (c && !stored)) {
      context_.diagnostics.error(text_of(parts_[0], 0, parts_[0].size()),
                                 "expected a variable of an integer or pointer type");
      return false;
    }
    loop_.by_subtraction = !is_integer(type);
    if (c) {
      loop_.stored = *stored;
      loop_.type = clang::spelling(type);
    } else if (loop_.type.empty()) {
      loop_.type = fmt::format("::std::decay_t<decltype({})>", loop_.name);
    }
    return true;
  }

  bool clauses(CXCursor counter) {
    bool good = true;
    for (const Clause& clause : placed_.pragma->clauses) {
      if (clause.kind == Kind::GrainSize) loop_.grain_size = clause.value;
      if (clause.kind == Kind::NumTasks) loop_.task_count = clause.value;
      if (clause.kind == Kind::NoGroup) loop_.waits = placed_.pragma->has(Leaf::Parallel);
      for (const Item& item : clause.items) {
        if (item.counter) continue;
        for (const Token& token : scan(source_, item.span, false)) {
          const bool named = source_.text(token.span) == loop_.name &&
                             clause.kind != Kind::Private && clause.kind != Kind::Shared;
          if (!named || clang::is_null(counter)) continue;
          context_.diagnostics.error(
              item.span, fmt::format("'{}' counts the iterations, but the clause is evaluated once "
                                     "for all of them: write a loop around #pragma omp task",
                                     loop_.name));
          good = false;
        }
      }
    }
    return good;
  }

  // Only the outermost of collapsed loops is cut into tasks; the variables of the others must be
  // the task's own.
  bool collapse(CXCursor body) {
    const bool asks =
        std::any_of(placed_.pragma->clauses.begin(), placed_.pragma->clauses.end(),
                    [&](const Clause& clause) { return source_.text(clause.name) == "collapse"; });
    if (!asks) return true;
    while (body.kind == CXCursor_CompoundStmt && !clang::children(body).empty()) {
      body = clang::children(body).front();
    }
    const CXCursor inner = loop_variable(body);
    const auto declared = clang::offset(inner);
    const auto extent = clang::extent(body);
    if (declared && placed_.extent.contains(*declared)) return !takes_address(body);
    context_.diagnostics.error(
        extent ? context_.edits.to_source(*extent) : placed_.pragma->name,
        "expected an inner loop that declares its variable: for (int j = 0; j < n; j++)");
    return false;
  }

  // The heads of inner loops run in the task, whose copies of variables have other addresses.
  bool takes_address(CXCursor inner) {
    const std::vector<CXCursor> below = clang::children(inner);
    const auto loop = clang::extent(inner);
    const auto statement = below.empty() ? std::nullopt : clang::extent(below.back());
    if (!loop || !statement) return false;
    const Span head{context_.edits.to_source(loop->begin),
                    context_.edits.to_source(statement->begin)};
    std::string_view before = "=";
    for (const Token& token : scan(source_, head, false)) {
      const std::string_view text = source_.text(token.span);
      const bool follows_operator = std::string_view("=(,<>+-?:;!").find(before) != before.npos;
      if (text == "&" && follows_operator) {
        context_.diagnostics.error(
            token.span,
            "the tasks run this loop, with variables of their own: take the address "
            "before the pragma");
        return true;
      }
      before = text;
    }
    return false;
  }

  const Placed& placed_;
  const BlockContext& context_;
  const Source& source_;
  Span span_{0, 0};
  std::array<std::vector<Token>, 3> parts_;
  Loop loop_;
};

}  // namespace

std::optional<Loop> bind_loop(const Placed& placed, const BlockContext& context) {
  return LoopBinder(placed, context).run();
}

}  // namespace myr::translate
