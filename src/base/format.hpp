// SPDX-License-Identifier: Apache-2.0
//
// Text from a pattern and values, in the notation of std::format. GCC 12 has no std::format yet,
// and libmyrmidon is to need nothing but a compiler and threads (ADR 17).
//
// Understood are `{}`, `{N}` (the N-th value), `{{` and `}}`, and after a colon what is used here:
// an alignment (`<` or `>`), `#`, `0`, a width, `.` and a precision, each of the two a number or
// `{}`, and one of x, f, g. The pattern is checked when it is compiled: each value must be named,
// and no other.
//
// Threads: any.
#pragma once

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace myr::base {

// One value to be written. Text is kept by reference.
class FormatValue {
 public:
  enum class Kind : std::uint8_t { Signed, Unsigned, Address, Real, Text };

  template <std::integral T>
    requires(!std::same_as<T, bool>)
  FormatValue(T value) noexcept
      : kind_(std::is_signed_v<T> ? Kind::Signed : Kind::Unsigned),
        bits_(static_cast<std::uint64_t>(value)) {}
  template <std::same_as<bool> T>  // and nothing that converts to it
  FormatValue(T value) noexcept : FormatValue(std::string_view(value ? "true" : "false")) {}
  FormatValue(const char& letter) noexcept : FormatValue(std::string_view(&letter, 1)) {}
  FormatValue(double value) noexcept : kind_(Kind::Real), real_(value) {}
  FormatValue(std::string_view text) noexcept : kind_(Kind::Text), text_(text) {}
  FormatValue(const std::string& text) noexcept : FormatValue(std::string_view(text)) {}
  FormatValue(const char* text) noexcept : FormatValue(std::string_view(text)) {}
  FormatValue(const void* address) noexcept
      : kind_(Kind::Address), bits_(reinterpret_cast<std::uintptr_t>(address)) {}

  [[nodiscard]] Kind kind() const noexcept { return kind_; }
  // The two's complement, with Kind::Signed.
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }
  [[nodiscard]] double real() const noexcept { return real_; }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  Kind kind_;
  union {
    std::uint64_t bits_;
    double real_;
    std::string_view text_;
  };
};

// How many values the pattern names; a negative number if it is none.
constexpr int count_format_values(std::string_view pattern) {
  int next = 0, most = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c != '{' && c != '}') continue;
    if (i + 1 < pattern.size() && pattern[i + 1] == c) {
      i += 1;
      continue;
    }
    if (c == '}') return -1;
    i += 1;
    const bool numbered = i < pattern.size() && pattern[i] >= '0' && pattern[i] <= '9';
    const int index = numbered ? pattern[i] - '0' : next++;
    if (index + 1 > most) most = index + 1;
    for (; i < pattern.size() && pattern[i] != '}'; ++i) {
      if (pattern[i] != '{') continue;
      if (i + 1 >= pattern.size() || pattern[i + 1] != '}') return -1;
      next += 1;
      i += 1;
    }
    if (i == pattern.size()) return -1;
    if (next > most) most = next;
  }
  return most;
}

// A pattern for so many values.
template <std::size_t ValueCount>
class FormatPattern {
 public:
  consteval FormatPattern(const char* text) : text_(text) {
    if (count_format_values(text_) != static_cast<int>(ValueCount)) {
      throw "the pattern does not name as many values as are given";
    }
  }
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

// REQUIRES: the pattern names `values` and no more. For format() and print().
[[nodiscard]] std::string format_values(std::string_view pattern,
                                        std::initializer_list<FormatValue> values);

// Throws std::system_error with errno.
[[noreturn]] void throw_errno(const char* what);

template <class... Values>
[[nodiscard]] std::string format(FormatPattern<sizeof...(Values)> pattern,
                                 const Values&... values) {
  return format_values(pattern.text(), {FormatValue(values)...});
}

// Errors: std::system_error if not all of it could be written.
template <class... Values>
void print(std::FILE* out, FormatPattern<sizeof...(Values)> pattern, const Values&... values) {
  const std::string text = format_values(pattern.text(), {FormatValue(values)...});
  if (std::fwrite(text.data(), 1, text.size(), out) != text.size()) throw_errno("write");
}

}  // namespace myr::base
