// SPDX-License-Identifier: Apache-2.0
#include "base/format.hpp"

#include <cerrno>
#include <charconv>
#include <system_error>
#include <utility>

namespace myr::base {

namespace {

constexpr std::size_t kNumberMax =
    512;  // characters of a number: the largest double has 309 before its point

// What stands behind the colon.
struct Style {
  char alignment = '\0';  // none given: numbers to the right, text to the left
  bool with_prefix = false;
  bool with_zeros = false;
  std::size_t width = 0;
  int precision = -1;
  char type = '\0';
};

class Formatter {
 public:
  Formatter(std::string_view pattern, std::initializer_list<FormatValue> values)
      : rest_(pattern), values_(values) {}

  std::string run() {
    while (!rest_.empty()) {
      const char c = take();
      const bool is_brace = c == '{' || c == '}';
      if (!is_brace || rest_.starts_with(c)) {
        result_ += c;
        if (is_brace) take();
      } else {
        replace_field();
      }
    }
    return std::move(result_);
  }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool take_if(char c) {
    if (!rest_.starts_with(c)) return false;
    take();
    return true;
  }
  bool at_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }

  std::size_t take_number() {
    std::size_t number = 0;
    while (at_digit()) number = 10 * number + static_cast<std::size_t>(take() - '0');
    return number;
  }
  // A number, or `{}` for the next value.
  std::size_t take_size() {
    if (!take_if('{')) return take_number();
    take();
    return static_cast<std::size_t>(next_value().bits());
  }
  const FormatValue& next_value() { return values_.begin()[next_++]; }

  void replace_field() {
    const FormatValue& value = at_digit() ? values_.begin()[take_number()] : next_value();
    const Style style = take_if(':') ? take_style() : Style{};
    take();  // the closing brace
    append(value, style);
  }

  Style take_style() {
    Style style;
    if (rest_.starts_with('<') || rest_.starts_with('>')) style.alignment = take();
    style.with_prefix = take_if('#');
    style.with_zeros = take_if('0');
    style.width = take_size();
    if (take_if('.')) style.precision = static_cast<int>(take_size());
    if (!rest_.starts_with('}')) style.type = take();
    return style;
  }

  void append(const FormatValue& value, const Style& style) {
    if (value.kind() == FormatValue::Kind::Text) {
      pad(value.text(), style, style.alignment == '>');
      return;
    }
    char digits[kNumberMax];
    const std::size_t length = write_number(value, style, digits);
    pad({digits, length}, style, style.alignment != '<');
  }

  static std::size_t write_number(const FormatValue& value, const Style& style, char* digits) {
    if (value.kind() == FormatValue::Kind::Real) return write_real(value.real(), style, digits);
    char* out = digits;
    const bool is_address = value.kind() == FormatValue::Kind::Address;
    if (style.with_prefix || is_address) {
      *out++ = '0';
      *out++ = 'x';
    }
    const int base = style.type == 'x' || is_address ? 16 : 10;
    const auto result =
        value.kind() == FormatValue::Kind::Signed
            ? std::to_chars(out, digits + kNumberMax, static_cast<std::int64_t>(value.bits()), base)
            : std::to_chars(out, digits + kNumberMax, value.bits(), base);
    return static_cast<std::size_t>(result.ptr - digits);
  }

  static std::size_t write_real(double value, const Style& style, char* digits) {
    char* end = digits + kNumberMax;
    if (style.type == '\0')
      return static_cast<std::size_t>(std::to_chars(digits, end, value).ptr - digits);
    const auto notation = style.type == 'f' ? std::chars_format::fixed : std::chars_format::general;
    const int precision = style.precision < 0 ? 6 : style.precision;
    return static_cast<std::size_t>(std::to_chars(digits, end, value, notation, precision).ptr -
                                    digits);
  }

  void pad(std::string_view text, const Style& style, bool to_the_right) {
    const std::size_t missing = style.width > text.size() ? style.width - text.size() : 0;
    if (to_the_right) result_.append(missing, style.with_zeros ? '0' : ' ');
    result_ += text;
    if (!to_the_right) result_.append(missing, ' ');
  }

  std::string_view rest_;
  std::initializer_list<FormatValue> values_;
  std::size_t next_ = 0;
  std::string result_;
};

}  // namespace

void throw_errno(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

std::string format_values(std::string_view pattern, std::initializer_list<FormatValue> values) {
  return Formatter(pattern, values).run();
}

}  // namespace myr::base
