// SPDX-License-Identifier: Apache-2.0
#include "translate/pragma/grammar.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace myr::translate;
using Kind = Clause::Kind;

namespace {

struct Parsed {
  explicit Parsed(const std::string& text) : source("a.c", text), diagnostics(source) {
    pragma = parse_pragma(source, {0, text.size()}, diagnostics);
  }
  [[nodiscard]] std::string text(Span span) const { return std::string(source.text(span)); }
  Source source;
  Diagnostics diagnostics;
  std::optional<Pragma> pragma;
};

}  // namespace

TEST_CASE("other pragmas, and other directives, are nobody's business") {
  for (const char* text : {"#pragma once", "#pragma omp simd", "#pragma omp declare simd",
                           "#pragma", "#include <myrmics.h>", "#", "# 1 \"myrmics\""}) {
    const Parsed parsed(text);
    CHECK_FALSE(parsed.pragma);
    CHECK_FALSE(parsed.diagnostics.has_errors());
  }
}

TEST_CASE("the Myrmics form: region binds to the clause after it, or to one item") {
  const Parsed parsed("#pragma myrmics task in(a, b) region inout(r) safe(a), in(region s, t)");
  REQUIRE(parsed.pragma);
  CHECK(parsed.pragma->form == Form::Myrmics);
  CHECK(parsed.pragma->kind == PragmaKind::Task);
  REQUIRE(parsed.pragma->clauses.size() == 4);
  CHECK(parsed.pragma->clauses[0].items.size() == 2);
  CHECK_FALSE(parsed.pragma->clauses[0].items[1].region);
  CHECK(parsed.pragma->clauses[1].items[0].region);
  CHECK(parsed.pragma->clauses[1].mode == Mode::InOut);
  CHECK(parsed.pragma->clauses[2].kind == Kind::Safe);
  CHECK(parsed.pragma->clauses[3].items[0].region);
  CHECK_FALSE(parsed.pragma->clauses[3].items[1].region);
}

TEST_CASE("the word task may be missing, as in the paper, and a variable may be called region") {
  const Parsed figure("#pragma myrmics region inout(n->lreg)");
  REQUIRE(figure.pragma);
  CHECK(figure.pragma->clauses[0].items[0].region);
  CHECK(figure.text(figure.pragma->clauses[0].items[0].base) == "n->lreg");
  const Parsed variable("#pragma myrmics wait on(region, region region)");
  REQUIRE(variable.pragma);
  CHECK(variable.pragma->kind == PragmaKind::Wait);
  CHECK_FALSE(variable.pragma->clauses[0].items[0].region);
  CHECK(variable.pragma->clauses[0].items[1].region);
}

TEST_CASE("sections: count, bounds, index, and shapes before the name") {
  const Parsed parsed("#pragma omp task in(a[i][j;n], b[0:m-1][k], [x][y]p, c[:]) out(d)");
  REQUIRE(parsed.pragma);
  const std::vector<Item>& items = parsed.pragma->clauses[0].items;
  REQUIRE(items.size() == 4);
  CHECK(parsed.text(items[0].base) == "a[i]");
  REQUIRE(items[0].sections.size() == 1);
  CHECK(items[0].sections[0].kind == Brackets::Kind::Count);
  CHECK(parsed.text(*items[0].sections[0].second) == "n");
  REQUIRE(items[1].sections.size() == 2);
  CHECK(items[1].sections[0].kind == Brackets::Kind::Bounds);
  CHECK(parsed.text(*items[1].sections[0].second) == "m-1");
  CHECK(items[1].sections[1].kind == Brackets::Kind::Index);
  CHECK(items[2].shape.size() == 2);
  CHECK(parsed.text(items[2].base) == "p");
  CHECK_FALSE(items[3].sections[0].first);
  CHECK_FALSE(items[3].sections[0].second);
}

TEST_CASE("a colon of ?: is none of a section, and depend() counts lengths") {
  const Parsed parsed("#pragma omp task depend(inout : a[c ? 1 : 2 : n]) in(b[c ? x : y])");
  REQUIRE(parsed.pragma);
  const Item& item = parsed.pragma->clauses[0].items[0];
  REQUIRE(item.sections.size() == 1);
  CHECK(item.sections[0].kind == Brackets::Kind::Length);
  CHECK(parsed.text(*item.sections[0].first) == "c ? 1 : 2");
  CHECK(parsed.pragma->clauses[1].items[0].sections.empty());
}

TEST_CASE("commas inside parentheses belong to the expression") {
  const Parsed parsed("#pragma omp task in(*f(a, b), (c, d)) if(x, y)");
  REQUIRE(parsed.pragma);
  CHECK(parsed.pragma->clauses[0].items.size() == 2);
  CHECK(parsed.text(parsed.pragma->clauses[1].value) == "x, y");
}

TEST_CASE("an error ends the pragma and says what was expected") {
  const Parsed parsed("#pragma omp task in(a b)");
  CHECK(parsed.pragma);  // what `a b` means is up to the compiler
  const Parsed missing("#pragma omp task in(a) out");
  CHECK_FALSE(missing.pragma);
  REQUIRE(missing.diagnostics.findings().size() == 1);
  CHECK(missing.diagnostics.findings()[0].text == "expected '(' after the name of the clause");
}

TEST_CASE("combined directives of OpenMP's are taken apart") {
  const Parsed parsed(
      "#pragma omp parallel master taskloop simd if(parallel : a) if(taskloop : b)");
  REQUIRE(parsed.pragma);
  CHECK(parsed.pragma->kind == PragmaKind::Loop);
  CHECK(parsed.pragma->has(Leaf::Parallel));
  CHECK(parsed.pragma->has(Leaf::Simd));
  CHECK(parsed.pragma->clauses[0].kind == Kind::Ignored);
  CHECK(parsed.pragma->clauses[1].kind == Kind::If);
  const Parsed ordered("#pragma omp parallel for ordered schedule(static, 1) reduction(max : a)");
  REQUIRE(ordered.pragma);
  CHECK(ordered.pragma->leaves == std::vector{Leaf::Parallel, Leaf::For});
  CHECK(ordered.text(ordered.pragma->clauses[2].op) == "max");
}

TEST_CASE("iterators of both kinds") {
  const Parsed parsed(
      "#pragma omp task depend(iterator(i = 0 : n, long j = i : 9 : 3), in : a[i][j]) "
      "in({b[k], k = 0;c ? 1 : 2}, d) inout({{e[l][m], l = 0;m}, m = 1 : 7})");
  REQUIRE(parsed.pragma);
  const Item& depend = parsed.pragma->clauses[0].items[0];
  REQUIRE(depend.iterators.size() == 2);
  CHECK(parsed.text(depend.iterators[1].type) == "long");
  CHECK(parsed.text(*depend.iterators[1].step) == "3");
  const Item& counted = parsed.pragma->clauses[1].items[0];
  REQUIRE(counted.iterators.size() == 1);
  CHECK(counted.iterators[0].kind == Brackets::Kind::Count);
  CHECK(parsed.text(counted.iterators[0].second) == "c ? 1 : 2");
  CHECK(parsed.pragma->clauses[1].items[1].iterators.empty());
  const Item& nested = parsed.pragma->clauses[2].items[0];
  REQUIRE(nested.iterators.size() == 2);
  CHECK(parsed.text(nested.iterators[0].name) == "m");
  CHECK(nested.iterators[0].kind == Brackets::Kind::Bounds);
}

TEST_CASE("OmpSs-2: a list of values is an access each, and loops do not wait") {
  const Parsed parsed(
      "#pragma oss task for in({{a[i][j], i = {1, n + 1}}, j = {0, 2}}, b) onready(f(x))");
  REQUIRE(parsed.pragma);
  CHECK(parsed.pragma->form == Form::OmpSs2);
  CHECK(parsed.pragma->kind == PragmaKind::Loop);
  CHECK(parsed.pragma->has(Kind::NoGroup));
  const std::vector<Item>& items = parsed.pragma->clauses[1].items;
  REQUIRE(items.size() == 5);
  CHECK(parsed.text(items[1].iterators[1].first) == "n + 1");
  CHECK(parsed.text(items[1].iterators[1].second) == "n + 1");
  CHECK(items[4].iterators.empty());
  CHECK(parsed.text(parsed.pragma->clauses[2].value) == "f(x)");
}

TEST_CASE("OmpSs-2: a sum is also an access, in any order") {
  const Parsed parsed("#pragma oss task reduction(+ : a) weakreduction(max : b)");
  REQUIRE(parsed.pragma);
  REQUIRE(parsed.pragma->clauses.size() == 3);
  CHECK(parsed.pragma->clauses[0].kind == Kind::Access);
  CHECK(parsed.pragma->clauses[0].mode == Mode::Concurrent);
  CHECK(parsed.pragma->clauses[1].kind == Kind::InReduction);
  CHECK(parsed.pragma->clauses[2].weak);
}

TEST_CASE("what a directive asks of myrcc") {
  const auto interest = [](const std::string& text) {
    return interest_of(Source("a.c", text), {0, text.size()});
  };
  CHECK(interest("#pragma omp taskgroup") == Interest::Task);
  CHECK(interest("#pragma omp critical(a)") == Interest::Always);
  CHECK(interest("#pragma omp parallel for") == Interest::WithoutOpenMP);
  CHECK(interest("#pragma omp threadprivate(a)") == Interest::None);
  CHECK(interest("#pragma oss critical") == Interest::Task);
  CHECK(interest("#pragma omp taks") == Interest::Task);  // to be refused
  CHECK(interest("#pragma omp titles sizes(4)") == Interest::None);
}
