// SPDX-License-Identifier: Apache-2.0
#include "check/certificate.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using myr::check::Certificate;
using myr::check::Doubt;

TEST_CASE("what is undeclared or in any order takes from a certificate") {
  Certificate certificate;
  constexpr std::string_view kNothing =
      "; nothing that was seen makes the result depend on the schedule";
  CHECK(certificate.text() == std::string(kNothing) + ", or on the machine");
  certificate.note_undeclared();
  CHECK(certificate.text() == std::string(kNothing) + " where tasks share memory");
  certificate.doubt(Doubt::Clocks, "b.cpp:2");
  certificate.doubt(Doubt::Locks, "a.cpp:1");
  certificate.doubt(Doubt::Locks, "a.cpp:3");
  CHECK(certificate.text() ==
        "; the result may depend on the schedule, because of locks (a.cpp:1), clocks or random "
        "numbers (b.cpp:2)");
}
