// SPDX-License-Identifier: Apache-2.0
//
// A recursive descent parser over the tokens of one directive. An error ends the pragma: its finding
// says what was expected, and the pragma is not translated at all.

#include "translate/pragma/grammar.hpp"

#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

namespace myr::translate {
namespace {

using Kind = Clause::Kind;

struct ClauseRule {
  enum class Takes { Items, Expression, Nothing };
  Kind kind;
  Takes takes;
  Mode mode = Mode::InOut;
};
using Rules = std::map<std::string_view, ClauseRule>;
constexpr auto kItems = ClauseRule::Takes::Items;
constexpr auto kExpression = ClauseRule::Takes::Expression;
constexpr auto kNothing = ClauseRule::Takes::Nothing;

const Rules& rules_of(Form form, PragmaKind kind) {
  static const Rules myrmics_task = {
      {"in", {Kind::Access, kItems, Mode::In}},       {"out", {Kind::Access, kItems, Mode::Out}},
      {"inout", {Kind::Access, kItems, Mode::InOut}}, {"safe", {Kind::Safe, kItems}},
      {"notransfer", {Kind::NoTransfer, kItems}},
  };
  static const Rules omp_task = {
      {"in", {Kind::Access, kItems, Mode::In}},
      {"input", {Kind::Access, kItems, Mode::In}},
      {"out", {Kind::Access, kItems, Mode::Out}},
      {"output", {Kind::Access, kItems, Mode::Out}},
      {"inout", {Kind::Access, kItems, Mode::InOut}},
      {"concurrent", {Kind::Access, kItems, Mode::InOut}},
      {"commutative", {Kind::Access, kItems, Mode::InOut}},
      {"priority", {Kind::Priority, kExpression}},
      {"final", {Kind::Final, kExpression}},
      {"if", {Kind::If, kExpression}},
      {"firstprivate", {Kind::FirstPrivate, kItems}},
      {"shared", {Kind::Shared, kItems}},
      {"private", {Kind::Private, kItems}},
      {"untied", {Kind::Ignored, kNothing}},
      {"mergeable", {Kind::Ignored, kNothing}},
      {"label", {Kind::Ignored, kExpression}},
      {"cost", {Kind::Ignored, kExpression}},
  };
  static const Rules wait = {
      {"on", {Kind::Access, kItems, Mode::InOut}},
      {"in", {Kind::Access, kItems, Mode::In}},
      {"out", {Kind::Access, kItems, Mode::Out}},
      {"inout", {Kind::Access, kItems, Mode::InOut}},
  };
  if (kind == PragmaKind::Wait) return wait;
  return form == Form::Myrmics ? myrmics_task : omp_task;
}

class PragmaParser {
 public:
  PragmaParser(const Source& source, Span directive, Diagnostics& diagnostics)
      : source_(source), directive_(directive), diagnostics_(diagnostics) {
    tokens_ = scan(source, {directive.begin + 1, directive.end}, false);
  }

  std::optional<Pragma> run() {
    if (!head()) return std::nullopt;
    while (at_ < tokens_.size() && !failed_) {
      if (!take(",")) clause();
    }
    if (failed_) return std::nullopt;
    return std::move(pragma_);
  }

  // Reads "pragma myrmics task" and the like; false: it is none of ours.
  bool head() {
    if (!take("pragma") || at_ >= tokens_.size()) return false;
    const std::size_t begin = tokens_[at_].span.begin;
    if (take("myrmics")) {
      pragma_.form = Form::Myrmics;
      if (take("wait")) {
        pragma_.kind = PragmaKind::Wait;
      } else {
        take("task");  // may be left out, as in paper 1 fig. 1
      }
    } else if (take("omp")) {
      pragma_.form = Form::Omp;
      if (take("taskwait")) {
        pragma_.kind = PragmaKind::Wait;
      } else if (!take("task")) {
        return false;
      }
    } else {
      return false;
    }
    pragma_.span = directive_;
    pragma_.name = {begin, tokens_[at_ - 1].span.end};
    return true;
  }

 private:
  [[nodiscard]] std::string_view word(std::size_t index) const {
    return index < tokens_.size() ? source_.text(tokens_[index].span) : std::string_view();
  }
  bool take(std::string_view text) {
    if (word(at_) != text) return false;
    ++at_;
    return true;
  }
  // The next token, or the end of the directive.
  [[nodiscard]] Span here() const {
    if (at_ < tokens_.size()) return tokens_[at_].span;
    const std::size_t end = tokens_.empty() ? directive_.end : tokens_.back().span.end;
    return {end, end};
  }
  void fail(Span where, std::string text) {
    if (!failed_) diagnostics_.error(where, std::move(text));
    failed_ = true;
  }
  bool expect(std::string_view text, std::string_view where) {
    if (take(text)) return true;
    fail(here(), fmt::format("expected '{}' {}", text, where));
    return false;
  }

  [[nodiscard]] std::string known_clauses() const {
    std::string all;
    for (const auto& [name, rule] : rules_of(pragma_.form, pragma_.kind)) {
      all += all.empty() ? "" : ", ";
      all += name;
    }
    if (pragma_.form == Form::Omp) all += ", depend";
    if (pragma_.form == Form::Omp && pragma_.kind == PragmaKind::Task) all += ", default";
    return all;
  }

  void clause() {
    const bool region = pragma_.form == Form::Myrmics && take("region");
    const Span name = here();
    const std::string_view text = word(at_);
    const Rules& rules = rules_of(pragma_.form, pragma_.kind);
    const auto rule = rules.find(text);
    if (rule != rules.end()) {
      ++at_;
      return known_clause(name, rule->second, region);
    }
    if (pragma_.form == Form::Omp && take("depend")) return depend_clause(name);
    if (pragma_.form == Form::Omp && take("default")) return default_clause(name);
    if (at_ >= tokens_.size()) return fail(name, "expected in, out or inout after 'region'");
    fail(name, fmt::format("unknown clause '{}' of '#pragma {}'; there are: {}", text,
                           source_.text(pragma_.name), known_clauses()));
  }

  void known_clause(Span name, const ClauseRule& rule, bool region) {
    Clause clause{.kind = rule.kind, .name = name, .mode = rule.mode, .items = {}, .value = {}};
    if (rule.takes == kItems) {
      if (!expect("(", "after the name of the clause")) return;
      list(clause, Brackets::Kind::Bounds, region);
    } else if (rule.takes == kExpression) {
      if (!expect("(", "after the name of the clause")) return;
      const std::size_t first = at_;
      skip_to(")");
      if (at_ == first) return fail(here(), "expected an expression");
      clause.value = {tokens_[first].span.begin, tokens_[at_ - 1].span.end};
      if (!expect(")", "after the expression")) return;
    }
    pragma_.clauses.push_back(std::move(clause));
  }

  // depend(in: a[0:n], b): OpenMP's, where the second number of a section is a length.
  void depend_clause(Span name) {
    static const std::map<std::string_view, Mode> modes = {
        {"in", Mode::In},          {"out", Mode::Out},
        {"inout", Mode::InOut},    {"mutexinoutset", Mode::InOut},
        {"inoutset", Mode::InOut},
    };
    if (!expect("(", "after 'depend'")) return;
    const auto mode = modes.find(word(at_));
    if (mode == modes.end()) return fail(here(), "expected in, out or inout: depend(in: x)");
    ++at_;
    if (!expect(":", "after the type of the dependence")) return;
    Clause clause{
        .kind = Kind::Access, .name = name, .mode = mode->second, .items = {}, .value = {}};
    list(clause, Brackets::Kind::Length, false);
    pragma_.clauses.push_back(std::move(clause));
  }

  void default_clause(Span name) {
    if (!expect("(", "after 'default'")) return;
    Clause clause{.kind = Kind::Ignored, .name = name, .mode = {}, .items = {}, .value = {}};
    if (take("shared")) {
      clause.kind = Kind::DefaultShared;
    } else if (take("none")) {
      clause.kind = Kind::DefaultNone;
    } else if (!take("firstprivate")) {
      return fail(here(), "expected shared, none or firstprivate");
    }
    expect(")", "after the default");
    pragma_.clauses.push_back(std::move(clause));
  }

  // Reads the items up to and with the closing parenthesis.
  void list(Clause& clause, Brackets::Kind colon, bool region) {
    do {
      clause.items.push_back(item(colon));
      clause.items.back().region = clause.items.back().region || region;
    } while (!failed_ && take(","));
    if (!failed_) expect(")", "or ',' after an item of the list");
  }

  Item item(Brackets::Kind colon) {
    Item item;
    item.region = pragma_.form == Form::Myrmics && word(at_) == "region" && word(at_ + 1) != "," &&
                  word(at_ + 1) != ")" && take("region");
    const std::size_t begin = here().begin;
    while (word(at_) == "[" && !failed_) item.shape.push_back(shape());
    const std::size_t first = at_;
    base();
    if (at_ == first) {
      fail(here(), "expected a variable or another place in memory");
      return item;
    }
    item.base = {tokens_[first].span.begin, tokens_[at_ - 1].span.end};
    while (word(at_) == "[" && !failed_) item.sections.push_back(section(colon));
    item.span = {begin, tokens_[at_ - 1].span.end};
    return item;
  }

  Span shape() {
    ++at_;  // [
    const std::size_t first = at_;
    skip_to("]");
    if (at_ == first) {
      fail(here(), "expected the number of elements, as in [n]a");
      return {};
    }
    const Span span{tokens_[first].span.begin, tokens_[at_ - 1].span.end};
    expect("]", "after the number of elements");
    return span;
  }

  // Moves over an expression, up to a comma or parenthesis that ends the item, or to the first pair
  // of brackets that holds a section.
  void base() {
    while (at_ < tokens_.size() && !failed_) {
      const std::string_view text = word(at_);
      if (text == "," || text == ")" || text == ";" || text == ":") return;
      if (text == "[") {
        if (is_section()) return;
        ++at_;
        if (word(at_) == "]") return fail(here(), "expected an index or a section, as in a[0;n]");
        skip_to("]");
        expect("]", "after the index");
      } else if (text == "(" || text == "{") {
        ++at_;
        skip_to(text == "(" ? ")" : "}");
        expect(text == "(" ? ")" : "}", "to close what was opened");
      } else {
        ++at_;
      }
    }
  }

  // Whether the brackets that open here hold a ; or a : that belongs to no ?.
  [[nodiscard]] bool is_section() {
    const std::size_t begin = at_++;
    skip_to("]", true);
    const bool section = word(at_) == ";" || word(at_) == ":";
    at_ = begin;
    return section;
  }

  // Moves to the closing bracket `close` of what is open here, or to the end; with
  // `stop_at_section` also to the first ; or : at this depth.
  void skip_to(std::string_view close, bool stop_at_section = false) {
    std::size_t questions = 0;
    std::size_t depth = 0;
    for (; at_ < tokens_.size(); ++at_) {
      const std::string_view text = word(at_);
      const bool opens = text == "(" || text == "[" || text == "{";
      const bool closes = text == ")" || text == "]" || text == "}";
      if (depth == 0) {
        if (closes) return check_close(text, close);
        if (text == "?") ++questions;
        if (stop_at_section && (text == ";" || (text == ":" && questions == 0))) return;
        if (text == ":" && questions > 0) --questions;
      }
      depth = opens ? depth + 1 : closes ? depth - 1 : depth;
    }
  }
  void check_close(std::string_view text, std::string_view close) {
    if (text != close) fail(here(), fmt::format("expected '{}' before '{}'", close, text));
  }

  Brackets section(Brackets::Kind colon) {
    ++at_;  // [
    Brackets brackets;
    const std::size_t begin = here().begin;
    brackets.first = part();
    if (take(";")) {
      brackets.kind = Brackets::Kind::Count;
      brackets.second = part();
      if (!brackets.second) fail(here(), "expected the number of elements, as in a[first;count]");
    } else if (take(":")) {
      brackets.kind = colon;
      brackets.second = part();
    } else if (!brackets.first) {
      fail(here(), "expected an index or a section, as in a[first;count]");
    }
    brackets.span = {begin, here().begin};
    expect("]", "after the section");
    return brackets;
  }

  std::optional<Span> part() {
    const std::size_t first = at_;
    skip_to("]", true);
    if (at_ == first) return std::nullopt;
    return Span{tokens_[first].span.begin, tokens_[at_ - 1].span.end};
  }

  const Source& source_;
  Span directive_;
  Diagnostics& diagnostics_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  bool failed_ = false;
  Pragma pragma_;
};

}  // namespace

std::optional<Pragma> parse_pragma(const Source& source, Span directive, Diagnostics& diagnostics) {
  return PragmaParser(source, directive, diagnostics).run();
}

bool is_our_pragma(const Source& source, Span directive) {
  Diagnostics unheard(source);
  return PragmaParser(source, directive, unheard).head();
}

}  // namespace myr::translate
