// SPDX-License-Identifier: Apache-2.0
//
// For model tests: a check, in the test framework's words, that no interleaving breaks a scenario.
#pragma once

#include <doctest/doctest.h>

#include <functional>

#include "explore/explore.hpp"

namespace myr::explore {

// Explores all interleavings of `body` within `options`; none may fail and none may be left out.
inline void must_hold(const Options& options, const std::function<void(Threads&)>& body) {
  const Report report = search(options, body);
  CHECK_MESSAGE(!report.failed, report.text);
  CHECK_MESSAGE(report.exhausted, report.text);
  MESSAGE(report.text);
}

inline void must_hold(const std::function<void(Threads&)>& body) {
  must_hold({.preemptions_max = 3}, body);
}

}  // namespace myr::explore
