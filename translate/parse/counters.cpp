// SPDX-License-Identifier: Apache-2.0
//
// find_counters(): see counters.hpp.

#include "translate/parse/counters.hpp"

#include <algorithm>
#include <optional>

#include "translate/parse/outline.hpp"

namespace myr::translate {
namespace {

// The variable of the `for` behind the pragma, by what its head says before the first semicolon.
std::optional<Counter> counter_of(const Source& source, const std::vector<Token>& tokens,
                                  const Pragma& pragma) {
  std::size_t at = token_from(tokens, pragma.span.end);
  while (at < tokens.size() && tokens[at].kind == TokenKind::Directive) ++at;
  if (at >= tokens.size() || source.text(tokens[at].span) != "for") return std::nullopt;
  const auto head = inside_parentheses(source, tokens, at + 1);
  if (!head) return std::nullopt;
  const std::vector<Token> words = scan(source, *head);
  const auto find = [&](std::string_view text) {
    return std::find_if(words.begin(), words.end(),
                        [&](const Token& token) { return source.text(token.span) == text; });
  };
  const auto equals = find("=");
  const auto end = find(";");
  if (equals == words.begin() || equals >= end) return std::nullopt;
  Counter counter{.name = std::prev(equals)->span, .declaration = {}};
  const bool declares = std::prev(equals) != words.begin();
  if (declares) counter.declaration = {words.front().span.begin, std::prev(end)->span.end};
  return counter;
}

class CounterName {
 public:
  CounterName(const Source& source, std::string_view name) : source_(source), name_(name) {}

  // Does the text name the variable, rather than a member with that name?
  [[nodiscard]] bool in(Span span) const {
    std::string_view before;
    for (const Token& token : scan(source_, span, false)) {
      const std::string_view text = source_.text(token.span);
      if (text == name_ && before != "." && before != "->") return true;
      before = text;
    }
    return false;
  }

  // Do the items of all iterations lie in what one expression names? They do if the variable is
  // named only in sections or in the last brackets: a[i], m[k][i], but not m[i][k], where each row
  // may be memory of its own.
  [[nodiscard]] bool join(const Item& item) const {
    if (!in(item.base)) return true;
    const std::vector<Token> tokens = scan(source_, item.base, false);
    if (!item.sections.empty() || source_.text(tokens.back().span) != "]") return false;
    std::size_t depth = 0;
    for (std::size_t i = tokens.size(); i-- > 0;) {
      const std::string_view text = source_.text(tokens[i].span);
      if (text == "]") ++depth;
      if (text == "[" && --depth == 0) return !in({item.base.begin, tokens[i].span.begin});
    }
    return false;
  }

 private:
  const Source& source_;
  std::string_view name_;
};

}  // namespace

void find_counters(const Source& source, const std::vector<Token>& tokens,
                   std::vector<Pragma>& pragmas) {
  for (Pragma& pragma : pragmas) {
    if (pragma.kind != PragmaKind::Loop) continue;
    const auto counter = counter_of(source, tokens, pragma);
    if (!counter) continue;
    const CounterName name(source, source.text(counter->name));
    for (Clause& clause : pragma.clauses) {
      if (clause.kind != Clause::Kind::Access) continue;
      for (Item& item : clause.items) {
        if (!name.in(item.span)) continue;
        item.counter = counter;
        item.counter->joins = name.join(item);
      }
    }
  }
}

}  // namespace myr::translate
