// SPDX-License-Identifier: Apache-2.0
#include "check/certificate.hpp"

#include <doctest/doctest.h>

using myr::check::Certificate;
using myr::check::Doubt;

TEST_CASE("what is undeclared or in any order takes from a certificate") {
  Certificate certificate;
  CHECK(certificate.text() ==
        "; with this input every schedule on every machine gives this result");
  certificate.note_undeclared();
  CHECK(certificate.is_given());
  CHECK(certificate.text() ==
        "; with this input every schedule gives this result where tasks share memory");
  certificate.doubt(Doubt::Clocks, "b.cpp:2");
  certificate.doubt(Doubt::Locks, "a.cpp:1");
  certificate.doubt(Doubt::Locks, "a.cpp:3");
  CHECK(!certificate.is_given());
  CHECK(certificate.text() ==
        "; whether every schedule gives this result is not known, because of locks (a.cpp:1), "
        "clocks or random numbers (b.cpp:2)");
}
