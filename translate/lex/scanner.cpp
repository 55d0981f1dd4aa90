// SPDX-License-Identifier: Apache-2.0
//
// scan(): see scanner.hpp.

#include "translate/lex/scanner.hpp"

#include <string_view>

namespace myr::translate {
namespace {

bool starts_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Scanner {
 public:
  Scanner(const Source& source, Span span, bool directives)
      : text_(source.text()), at_(span.begin), end_(span.end), directives_(directives) {}

  std::vector<Token> run() {
    while (skip_blanks()) {
      const std::size_t begin = at_;
      const TokenKind kind = one();
      tokens_.push_back({kind, {begin, at_}});
      line_start_ = false;
    }
    return std::move(tokens_);
  }

 private:
  [[nodiscard]] char peek(std::size_t ahead = 0) const {
    return at_ + ahead < end_ ? text_[at_ + ahead] : '\0';
  }
  [[nodiscard]] bool sees(std::string_view word) const {
    return at_ + word.size() <= end_ && text_.substr(at_, word.size()) == word;
  }

  // Moves to `until` and past it, or to the end if there is none.
  void skip_past(std::string_view until) {
    const std::size_t found = text_.substr(0, end_).find(until, at_);
    at_ = found == std::string_view::npos ? end_ : found + until.size();
  }

  // The length of a backslash and line end at this place, or 0.
  [[nodiscard]] std::size_t continuation() const {
    if (peek() != '\\') return 0;
    if (peek(1) == '\n') return 2;
    return peek(1) == '\r' && peek(2) == '\n' ? 3 : 0;
  }

  void skip_line_comment() {
    while (at_ < end_ && peek() != '\n') {
      const std::size_t continued = continuation();
      at_ += continued > 0 ? continued : 1;
    }
  }

  // Returns whether a token follows.
  bool skip_blanks() {
    while (at_ < end_) {
      const char c = peek();
      if (sees("/*")) {
        at_ += 2;
        skip_past("*/");
      } else if (sees("//")) {
        skip_line_comment();
      } else if (const std::size_t continued = continuation(); continued > 0) {
        at_ += continued;
      } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
        line_start_ = line_start_ || c == '\n';
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  TokenKind one() {
    const char c = peek();
    if (directives_ && line_start_ && (c == '#' || sees("%:"))) return directive();
    if (starts_word(c)) return word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return number();
    if (c == '"' || c == '\'') return quoted(c);
    at_ += sees("::") || sees("->") ? 2 : 1;
    return TokenKind::Punctuator;
  }

  TokenKind directive() {
    while (at_ < end_ && peek() != '\n') {
      if (const std::size_t continued = continuation(); continued > 0) {
        at_ += continued;
      } else if (sees("/*")) {
        at_ += 2;
        skip_past("*/");
      } else if (sees("//")) {
        skip_line_comment();
      } else if (peek() == '"' || peek() == '\'') {
        quoted(peek());
      } else {
        ++at_;
      }
    }
    return TokenKind::Directive;
  }

  TokenKind word() {
    const std::size_t begin = at_;
    while (at_ < end_ && (starts_word(peek()) || is_digit(peek()))) ++at_;
    if (peek() == '"' || peek() == '\'') return prefixed(text_.substr(begin, at_ - begin));
    return TokenKind::Identifier;
  }

  // A word right before a quote: an encoding prefix, or a word by itself.
  TokenKind prefixed(std::string_view prefix) {
    const bool raw =
        prefix == "R" || prefix == "LR" || prefix == "uR" || prefix == "UR" || prefix == "u8R";
    if (raw && peek() == '"') return raw_string();
    const bool encoded = prefix == "L" || prefix == "u" || prefix == "U" || prefix == "u8";
    return encoded ? quoted(peek()) : TokenKind::Identifier;
  }

  TokenKind raw_string() {
    const std::size_t open = text_.find('(', at_);
    if (open == std::string_view::npos || open >= end_) return quoted('"');
    std::string close = ")";
    close += text_.substr(at_ + 1, open - at_ - 1);
    close += '"';
    at_ = open;
    skip_past(close);
    return TokenKind::Literal;
  }

  // Ends at the closing quote, or at the end of the line if it is missing.
  TokenKind quoted(char quote) {
    ++at_;
    while (at_ < end_ && peek() != quote && peek() != '\n') {
      const std::size_t continued = continuation();
      at_ += continued > 0 ? continued : peek() == '\\' && at_ + 1 < end_ ? 2 : 1;
    }
    if (peek() == quote && at_ < end_) ++at_;
    return TokenKind::Literal;
  }

  TokenKind number() {
    while (at_ < end_) {
      const char c = peek();
      const bool sign = c == '+' || c == '-';
      const char before = text_[at_ - (at_ > 0 ? 1 : 0)];
      const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      const bool separator = c == '\'' && (starts_word(peek(1)) || is_digit(peek(1)));
      if (!starts_word(c) && !is_digit(c) && c != '.' && !separator && !(sign && exponent)) break;
      ++at_;
    }
    return TokenKind::Number;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
  bool directives_;
  bool line_start_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> scan(const Source& source, Span span, bool directives) {
  return Scanner(source, span, directives).run();
}

std::string directive_name(const Source& source, Span directive) {
  const std::vector<Token> words = scan(source, {directive.begin + 1, directive.end}, false);
  return words.empty() ? "" : std::string(source.text(words.front().span));
}

std::string unquoted(std::string_view literal) {
  std::string text;
  const std::size_t open = literal.find('"');
  for (std::size_t i = open + 1; i + 1 < literal.size(); ++i) {
    if (literal[i] == '\\' && i + 2 < literal.size()) ++i;
    text += literal[i];
  }
  return text;
}

std::string one_line(const Source& source, Span span) {
  std::string text(span.end - span.begin, ' ');
  for (const Token& token : scan(source, span, false)) {
    const std::string_view word = source.text(token.span);
    word.copy(text.data() + (token.span.begin - span.begin), word.size());
  }
  return text;
}

}  // namespace myr::translate
