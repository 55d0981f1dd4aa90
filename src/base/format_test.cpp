// SPDX-License-Identifier: Apache-2.0
#include "base/format.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

using myr::base::count_format_values;
using myr::base::format;

TEST_CASE("values take the places of the braces, in order or by number") {
  CHECK(format("no value") == "no value");
  CHECK(format("{} and {}{}", 1, 't', "wo") == "1 and two");
  CHECK(format("{1}{0}{1}", std::string("a"), std::string_view("b")) == "bab");
  CHECK(format("{{}} {{{}}}", true) == "{} {true}");
}

TEST_CASE("numbers of all sizes and signs") {
  CHECK(format("{} {}", std::numeric_limits<std::int64_t>::min(), std::uint64_t{0} - 1) ==
        "-9223372036854775808 18446744073709551615");
  CHECK(format("{} {}", std::int8_t{-1}, std::uint16_t{65535}) == "-1 65535");
  CHECK(format("{:#x} {:04x} {:03}", 255U, 10U, 7) == "0xff 000a 007");
  CHECK(format("{:.3f} {:.0f} {:.4g} {}", 1.0, 2.5e6, 0.125, 0.1) == "1.000 2500000 0.125 0.1");
  CHECK(format("{:.1f}", std::numeric_limits<double>::max()).size() == 311);
}

TEST_CASE("an address is a hexadecimal number, not a truth value") {
  int x = 0;
  const void* const address = &x;
  char expected[32];
  std::snprintf(expected, sizeof expected, "%p", address);
  CHECK(format("{} {}", address, &x) == std::string(expected) + ' ' + expected);
  CHECK(format("{}", static_cast<void*>(nullptr)) == "0x0");
  static_assert(!std::is_convertible_v<void (*)(), myr::base::FormatValue>);
}

TEST_CASE("a width pads to the left or to the right; it and the precision may be values") {
  CHECK(format("{:<6}|{:>6}|{:6}|{:6}", "ab", "ab", "ab", 12) == "ab    |    ab|ab    |    12");
  CHECK(format("{:>9.{}f}|{:>{}}", 2.0 / 3, 2, "x", 3) == "     0.67|  x");
  CHECK(format("{:2}", "longer") == "longer");
}

TEST_CASE("a pattern is checked against the number of values when it is compiled") {
  CHECK(count_format_values("{} {:>{}} {{}}") == 3);
  CHECK(count_format_values("{0} {1} {0}") == 2);
  CHECK(count_format_values("{") == -1);
  CHECK(count_format_values("}") == -1);
  CHECK(count_format_values("{:{x}}") == -1);
}
