// SPDX-License-Identifier: Apache-2.0
//
// Splits C and C++ text into tokens without preprocessing it. It serves to find the pragmas and
// what they consist of; Clang understands everything else.
#pragma once

#include <vector>

#include "translate/lex/source.hpp"

namespace myr::translate {

enum class TokenKind {
  Identifier,  // also keywords
  Number,
  Literal,     // a string or a character
  Punctuator,  // one character, or :: or ->
  Directive,   // from # to the end of the line, with continued lines, without the newline
};

struct Token {
  TokenKind kind;
  Span span;
};

// All tokens of `source` within `span`, without comments. With `directives`, a # that starts a line
// makes one Directive token; without, line ends and continuations are blanks: the inside of one.
[[nodiscard]] std::vector<Token> scan(const Source& source, Span span, bool directives = true);

// The word after the # of a directive; empty if there is none.
[[nodiscard]] std::string directive_name(const Source& source, Span directive);

// What a string literal stands for, except for escapes other than \\ and \".
[[nodiscard]] std::string unquoted(std::string_view literal);

// The text of `span` on one line: line ends, continuations and comments become blanks, and every
// other byte keeps its place.
[[nodiscard]] std::string one_line(const Source& source, Span span);

}  // namespace myr::translate
