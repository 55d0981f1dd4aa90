// SPDX-License-Identifier: Apache-2.0
//
// The mistakes that the misuse program can make, by name. Each case_*.cpp defines one table.
#pragma once

#include <span>

namespace myr::misuse_test {

struct Case {
  const char* name;
  void (*run)();
};

extern const std::span<const Case> kFootprintCases;
extern const std::span<const Case> kMemoryCases;
extern const std::span<const Case> kTaskCases;

}  // namespace myr::misuse_test
