// SPDX-License-Identifier: Apache-2.0
//
// A recursive descent parser over the tokens of one directive. An error ends the pragma: its
// finding says what was expected, and the pragma is not translated at all.

#include "translate/pragma/grammar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "translate/pragma/clause_rules.hpp"
#include "translate/pragma/directive.hpp"

namespace myr::translate {
namespace {

using Kind = Clause::Kind;
using Takes = ClauseRule::Takes;

class PragmaParser {
 public:
  PragmaParser(const Source& source, Span directive, Diagnostics& diagnostics)
      : source_(source), directive_(directive), diagnostics_(diagnostics) {
    tokens_ = scan(source, {directive.begin + 1, directive.end}, false);
  }

  std::optional<Pragma> run() {
    if (!head()) return std::nullopt;
    const bool unread = pragma_.kind == PragmaKind::Foreign ||
                        pragma_.kind == PragmaKind::Unknown || pragma_.has(Leaf::Lint);
    if (unread) return std::move(pragma_);
    if (pragma_.has(Leaf::Critical)) label();
    while (at_ < tokens_.size() && !failed_) {
      if (!take(",")) clause();
    }
    if (failed_) return std::nullopt;
    return std::move(pragma_);
  }

  [[nodiscard]] const Pragma& pragma() const noexcept { return pragma_; }

  // Reads "pragma myrmics task" and the like; false: it is none of ours.
  bool head() {
    if (!take("pragma") || at_ >= tokens_.size()) return false;
    const std::size_t begin = tokens_[at_].span.begin;
    if (take("myrmics")) {
      pragma_.form = Form::Myrmics;
      if (take("wait")) {
        pragma_.kind = PragmaKind::Wait;
      } else if (take("loop")) {
        pragma_.form = Form::Omp;
        pragma_.kind = PragmaKind::Loop;
        pragma_.leaves = {Leaf::TaskLoop};
        pragma_.clauses.push_back({.kind = Kind::NoGroup, .name = tokens_[at_ - 1].span});
      } else {
        take("task");  // may be left out, as in paper 1 fig. 1
      }
    } else if (take("oss")) {
      pragma_.form = Form::OmpSs2;
      set(ompss2_directive(names()));
    } else if (take("omp")) {
      pragma_.form = Form::Omp;
      const auto directive = openmp_directive(names());
      if (!directive) return false;
      set(*directive);
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

  // The names that follow, up to something else.
  [[nodiscard]] std::vector<std::string_view> names() const {
    std::vector<std::string_view> words;
    for (std::size_t i = at_; i < tokens_.size(); ++i) {
      if (tokens_[i].kind != TokenKind::Identifier) break;
      words.push_back(word(i));
    }
    return words;
  }

  void set(const Directive& directive) {
    at_ += directive.word_count;
    pragma_.kind = directive.kind;
    pragma_.leaves = directive.leaves;
    // OmpSs-2 has no wait behind its loops.
    const bool loop = pragma_.form == Form::OmpSs2 && pragma_.kind == PragmaKind::Loop;
    if (loop) pragma_.clauses.push_back({.kind = Kind::NoGroup, .name = tokens_[at_ - 1].span});
  }

  // critical(label)
  void label() {
    if (!take("(")) return;
    pragma_.label = here();
    ++at_;
    expect(")", "after the name of the critical region");
  }

  void clause() {
    const bool region = pragma_.form == Form::Myrmics && take("region");
    const Span name = here();
    const std::string_view text = word(at_);
    const ClauseRules& rules = clause_rules(pragma_);
    const auto rule = rules.find(text);
    if (rule != rules.end()) {
      ++at_;
      return known_clause(name, rule->second, region);
    }
    if (at_ >= tokens_.size()) return fail(name, "expected in, out or inout after 'region'");
    fail(name, fmt::format("unknown clause '{}' of '#pragma {}'; there are: {}", text,
                           source_.text(pragma_.name), known_clauses(pragma_)));
  }

  void known_clause(Span name, const ClauseRule& rule, bool region) {
    Clause clause;
    clause.kind = rule.kind;
    clause.name = name;
    clause.mode = rule.mode;
    clause.weak = rule.weak;
    if (rule.takes == Takes::Refused) {
      return fail(name, fmt::format("'{}' is not translated: {}", source_.text(name), rule.why));
    }
    if (rule.takes == Takes::Anything && word(at_) != "(") {
      pragma_.clauses.push_back(std::move(clause));
      return;
    }
    const bool opens = rule.takes != Takes::Nothing;
    if (opens && !expect("(", "after the name of the clause")) return;
    switch (rule.takes) {
      case Takes::Items:
        list(clause, Brackets::Kind::Bounds, region);
        break;
      case Takes::Expression:
        expression(clause);
        break;
      case Takes::Anything:
        skip_to(")");
        if (!failed_) expect(")", "after the clause");
        break;
      case Takes::Dependence:
        dependence(clause);
        break;
      case Takes::Default:
        default_sharing(clause);
        break;
      case Takes::Reduction:
        reduction(clause);
        break;
      case Takes::Condition:
        condition(clause);
        break;
      case Takes::Strict:
        if (word(at_) == "strict" && word(at_ + 1) == ":") {
          if (clause.kind == Kind::GrainSize) {
            return fail(here(),
                        "'strict' is not translated for grainsize: write num_tasks(), or a "
                        "loop of tasks");
          }
          at_ += 2;
        }
        expression(clause);
        break;
      case Takes::Device:
        if (!take("smp")) {
          return fail(here(), "tasks run on this machine's processors only: expected device(smp)");
        }
        expect(")", "after the device");
        break;
      case Takes::Nothing:
      case Takes::Refused:
        break;
    }
    if (failed_) return;
    const bool also_orders = clause.kind == Kind::InReduction && pragma_.form == Form::OmpSs2;
    if (also_orders) pragma_.clauses.push_back(access_of(clause));
    pragma_.clauses.push_back(std::move(clause));
  }

  // In OmpSs-2 a task that reads the sum waits for the tasks that add to it, and these do not wait
  // for each other.
  static Clause access_of(Clause reduction) {
    reduction.kind = Kind::Access;
    reduction.mode = Mode::Concurrent;
    return reduction;
  }

  void expression(Clause& clause) {
    const std::size_t first = at_;
    skip_to(")");
    if (at_ == first) return fail(here(), "expected an expression");
    clause.value = {tokens_[first].span.begin, tokens_[at_ - 1].span.end};
    expect(")", "after the expression");
  }

  // if(e), if(task : e); a condition for other parts of a combined directive has no effect.
  void condition(Clause& clause) {
    if (word(at_ + 1) == ":" && word(at_ + 2) != ":") {
      const bool ours = word(at_) == "task" || word(at_) == "taskloop";
      if (!ours) clause.kind = Kind::Ignored;
      at_ += 2;
    }
    expression(clause);
  }

  // depend(in: a[0:n], b): OpenMP's, where the second number of a section is a length. What it
  // calls out may keep what was there.
  void dependence(Clause& clause) {
    static const std::map<std::string_view, Mode> modes = {
        {"in", Mode::In},
        {"out", Mode::InOut},
        {"inout", Mode::InOut},
        {"mutexinoutset", Mode::Commutative},
        {"inoutset", Mode::Concurrent},
        {"weakin", Mode::In},
        {"weakout", Mode::InOut},
        {"weakinout", Mode::InOut},
    };
    std::vector<Iterator> iterators;
    if (take("iterator")) {
      if (!expect("(", "after 'iterator'")) return;
      do {
        iterators.push_back(omp_iterator());
      } while (!failed_ && take(","));
      if (failed_ || !expect(")", "after the iterators")) return;
      if (!expect(",", "after the iterators")) return;
    }
    const auto mode = modes.find(word(at_));
    if (mode == modes.end()) {
      return fail(here(),
                  fmt::format("{}expected in, out, inout, mutexinoutset or inoutset: "
                              "depend(in: x)",
                              word(at_) == "depobj" || word(at_) == "source" || word(at_) == "sink"
                                  ? fmt::format("'{}' is not translated; ", word(at_))
                                  : ""));
    }
    clause.depend = true;
    clause.mode = mode->second;
    clause.weak = word(at_).starts_with("weak");
    ++at_;
    if (!expect(":", "after the type of the dependence")) return;
    if (word(at_) == "omp_all_memory") {
      return fail(here(), "'omp_all_memory' is not translated: write #pragma omp taskwait");
    }
    list(clause, Brackets::Kind::Length, false);
    for (Item& item : clause.items) {
      item.iterators.insert(item.iterators.begin(), iterators.begin(), iterators.end());
    }
  }

  // i = first : last, or unsigned i = first : last : step; the last is not included.
  Iterator omp_iterator() {
    Iterator iterator;
    iterator.kind = Brackets::Kind::Length;
    std::size_t equals = at_;
    while (equals < tokens_.size() && word(equals) != "=" && word(equals) != ")") ++equals;
    if (word(equals) != "=" || equals == at_) {
      fail(here(), "expected a variable and its range: i = 0 : n");
      return iterator;
    }
    iterator.name = tokens_[equals - 1].span;
    if (equals - 1 > at_) iterator.type = {tokens_[at_].span.begin, tokens_[equals - 2].span.end};
    at_ = equals + 1;
    iterator.first = number();
    if (!expect(":", "and the end of the range")) return iterator;
    iterator.second = number();
    if (take(":")) iterator.step = number();
    return iterator;
  }

  // i = first;count, or i = first : last, which is included; i = {first, second, ...}: one for
  // each.
  std::vector<Iterator> multi_iterator() {
    Iterator iterator;
    iterator.name = here();
    ++at_;
    if (!expect("=", "after the variable, as in {a[i], i=0;n}")) return {iterator};
    if (take("{")) return values(iterator);
    iterator.first = number();
    iterator.kind = word(at_) == ";" ? Brackets::Kind::Count : Brackets::Kind::Bounds;
    if (!take(";") && !expect(":", "and the number of accesses, as in {a[i], i=0;n}")) {
      return {iterator};
    }
    iterator.second = number();
    if (take(":")) iterator.step = number();
    return {iterator};
  }

  std::vector<Iterator> values(Iterator iterator) {
    std::vector<Iterator> all;
    iterator.kind = Brackets::Kind::Bounds;
    do {
      iterator.first = iterator.second = number();
      all.push_back(iterator);
    } while (!failed_ && take(","));
    if (!failed_) expect("}", "after the values");
    return all;
  }

  // An expression up to a ; : , or closing bracket of its own depth.
  Span number() {
    const std::size_t first = at_;
    std::size_t depth = 0;
    std::size_t questions = 0;
    for (; at_ < tokens_.size(); ++at_) {
      const std::string_view text = word(at_);
      const bool closes = text == ")" || text == "]" || text == "}";
      const bool colon = text == ":" && questions == 0;
      if (depth == 0 && (closes || text == ";" || text == "," || colon)) break;
      if (depth == 0 && text == "?") ++questions;
      if (depth == 0 && text == ":") --questions;
      depth += text == "(" || text == "[" || text == "{" ? 1 : 0;
      depth -= closes ? 1 : 0;
    }
    if (at_ == first) {
      fail(here(), "expected a number");
      return {};
    }
    return {tokens_[first].span.begin, tokens_[at_ - 1].span.end};
  }

  void default_sharing(Clause& clause) {
    if (take("shared")) {
      clause.kind = Kind::DefaultShared;
    } else if (take("none")) {
      clause.kind = Kind::DefaultNone;
    } else if (take("firstprivate")) {
      clause.kind = Kind::DefaultFirstPrivate;
    } else {
      return fail(here(), "expected shared, none or firstprivate");
    }
    expect(")", "after the default");
  }

  // reduction(+ : a, b), reduction(task, max : a)
  void reduction(Clause& clause) {
    if (word(at_ + 1) == ",") {
      if (word(at_) != "task" && word(at_) != "default") {
        return fail(here(), "expected task or default, or the operator: reduction(+ : x)");
      }
      at_ += 2;
    }
    const std::size_t first = at_;
    while (at_ < tokens_.size() && word(at_) != ":" && word(at_) != ")") ++at_;
    if (at_ == first) return fail(here(), "expected an operator: reduction(+ : x)");
    clause.op = {tokens_[first].span.begin, tokens_[at_ - 1].span.end};
    static const std::string_view known[] = {"+", "-",  "*",  "&",   "|",
                                             "^", "&&", "||", "min", "max"};
    if (std::find(std::begin(known), std::end(known), source_.text(clause.op)) == std::end(known)) {
      return fail(clause.op,
                  "expected one of + - * & | ^ && || min max: other reductions are not translated; "
                  "let the tasks change the variable in critical");
    }
    if (expect(":", "after the operator")) list(clause, Brackets::Kind::Length, false);
  }

  // Reads the items up to and with the closing parenthesis.
  void list(Clause& clause, Brackets::Kind colon, bool region) {
    do {
      const std::size_t first = clause.items.size();
      items(clause.items, colon);
      for (std::size_t i = first; i < clause.items.size(); ++i) clause.items[i].region |= region;
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

  // An item, or {a[i], i=0;n}, which may stand for several.
  void items(std::vector<Item>& all, Brackets::Kind colon) {
    if (word(at_) != "{" || pragma_.form == Form::Myrmics) return all.push_back(item(colon));
    const std::size_t begin = here().begin;
    ++at_;
    std::vector<Item> inside;
    items(inside, colon);
    std::vector<std::vector<Iterator>> ways{{}};
    while (!failed_ && take(",")) ways = combined(ways, multi_iterator());
    if (failed_) return;
    if (ways.front().empty()) fail(here(), "expected a variable, as in {a[i], i=0;n}");
    if (!expect("}", "after the accesses")) return;
    for (const std::vector<Iterator>& way : ways) {
      for (Item one : inside) {
        one.iterators.insert(one.iterators.begin(), way.begin(), way.end());
        one.span = {begin, tokens_[at_ - 1].span.end};
        all.push_back(std::move(one));
      }
    }
  }

  // Each of the ways, with each of the iterators behind it.
  static std::vector<std::vector<Iterator>> combined(const std::vector<std::vector<Iterator>>& ways,
                                                     const std::vector<Iterator>& iterators) {
    std::vector<std::vector<Iterator>> all;
    for (const std::vector<Iterator>& way : ways) {
      for (const Iterator& iterator : iterators) {
        all.push_back(way);
        all.back().push_back(iterator);
      }
    }
    return all;
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
      if (text == "," || text == ")" || text == ";" || text == ":" || text == "}") return;
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

Interest interest_of(const Source& source, Span directive) {
  Diagnostics unheard(source);
  PragmaParser parser(source, directive, unheard);
  if (!parser.head()) return Interest::None;
  const Pragma& pragma = parser.pragma();
  const bool task = pragma.kind == PragmaKind::Task || pragma.kind == PragmaKind::Loop ||
                    pragma.form != Form::Omp || pragma.kind == PragmaKind::Unknown ||
                    pragma.has(Leaf::TaskWait) || pragma.has(Leaf::TaskGroup) ||
                    pragma.has(Leaf::TaskGraph);
  const bool alone = pragma.has(Leaf::Critical) || pragma.has(Leaf::Single) ||
                     pragma.has(Leaf::Master) || pragma.has(Leaf::TaskYield);
  return task                                 ? Interest::Task
         : alone                              ? Interest::Always
         : pragma.kind == PragmaKind::Foreign ? Interest::None
                                              : Interest::WithoutOpenMP;
}

Interest interest_of(const std::string& text) {
  const std::string directive = "#pragma " + text;
  return interest_of(Source("", directive), {0, directive.size()});
}

bool is_our_pragma(const Source& source, Span directive) {
  return interest_of(source, directive) != Interest::None;
}

}  // namespace myr::translate
