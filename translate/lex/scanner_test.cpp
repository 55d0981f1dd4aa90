// SPDX-License-Identifier: Apache-2.0
#include "translate/lex/scanner.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace myr::translate;

namespace {

std::vector<std::string> tokens_of(const std::string& text) {
  const Source source("a.c", text);
  std::vector<std::string> tokens;
  for (const Token& token : scan(source, {0, text.size()})) {
    tokens.emplace_back(source.text(token.span));
  }
  return tokens;
}

using Tokens = std::vector<std::string>;

}  // namespace

TEST_CASE("offsets become files, lines and columns, and the end of the text is a place too") {
  const Source source("a.c", "one\ntwo\r\n\nlast");
  CHECK(source.position(0).line == 1);
  CHECK(source.position(5).line == 2);
  CHECK(source.position(5).column == 2);
  CHECK(source.position(100).line == 4);
  CHECK(source.position(100).column == 5);
  CHECK(source.line_at(6) == "two");
  CHECK(source.line_at(9) == "");
  CHECK(source.line_at(100) == "last");
}

TEST_CASE("a text made of several files names each of them") {
  const Source source({{0, "a.c", 1}, {4, "b.h", 1}, {12, "a.c", 2}}, "one\nx\ny\nz\n\ntwo\n");
  CHECK(source.position(0).path == "a.c");
  CHECK(source.position(6).path == "b.h");
  CHECK(source.position(6).line == 2);
  CHECK(source.position(12).path == "a.c");
  CHECK(source.position(12).line == 2);
}

TEST_CASE("text is split into words, numbers, literals and punctuation") {
  CHECK(tokens_of("int a=b->c+1.5e-3;") ==
        Tokens{"int", "a", "=", "b", "->", "c", "+", "1.5e-3", ";"});
  CHECK(tokens_of("x::y 0x1'000u .5f") == Tokens{"x", "::", "y", "0x1'000u", ".5f"});
  CHECK(tokens_of("\"a\\\"b//\" 'c' u8\"d\" R\"x(\")\"x)x\" L'e'") ==
        Tokens{"\"a\\\"b//\"", "'c'", "u8\"d\"", "R\"x(\")\"x)x\"", "L'e'"});
}

TEST_CASE("comments are blanks, wherever they stand") {
  CHECK(tokens_of("a/*b*/c//d\ne /* \n#pragma no */ f // g \\\n h\ni") ==
        Tokens{"a", "c", "e", "f", "i"});
}

TEST_CASE("a directive is one token to the end of its last line") {
  CHECK(tokens_of("a\n # pragma x \\\n y /* z\n w */ v // u\nb # c") ==
        Tokens{"a", "# pragma x \\\n y /* z\n w */ v // u", "b", "#", "c"});
}

TEST_CASE("what is not closed ends with the line or the text") {
  CHECK(tokens_of("\"abc\nd") == Tokens{"\"abc", "d"});
  CHECK(tokens_of("a /* b") == Tokens{"a"});
  CHECK(tokens_of("R\"x(abc") == Tokens{"R\"x(abc"});
  CHECK(tokens_of("\\").size() == 1);
  CHECK(tokens_of("").empty());
}

TEST_CASE("one line keeps every byte in its place") {
  const Source source("a.c", "in(a, /* b */ \\\n  c) // d");
  CHECK(one_line(source, {0, source.text().size()}) == "in(a,             c)     ");
}
