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
  CHECK(certificate.text() ==
        "; with this input every schedule on every machine that shares memory gives this result");
  certificate.note_workers();
  CHECK(certificate.text() ==
        "; with this input every schedule on every machine with as many workers that shares memory "
        "gives this result");
  CHECK(certificate.has_none());
  certificate.doubt(Doubt::Clocks, "b.cpp:2");
  certificate.doubt(Doubt::Locks, "a.cpp:1");
  certificate.doubt(Doubt::Locks, "a.cpp:3");
  CHECK(certificate.text() ==
        "; the result may depend on the schedule, because of locks (a.cpp:1), clocks or random "
        "numbers (b.cpp:2)");
  certificate.note_call("puts", "c.cpp:1");
  certificate.note_call("rand", "d.cpp:1");
  CHECK(certificate.doubts().back() == "calls of puts (c.cpp:1) rand (d.cpp:1)");
}
