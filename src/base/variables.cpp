// SPDX-License-Identifier: Apache-2.0
#include "base/variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/format.hpp"

namespace myr::base {

namespace {

constexpr std::string_view kVariablePrefix = "MYR_";
constexpr auto kVariables = std::to_array<std::string_view>({
    // of programs
    "MYR_ON",
    "MYR_STATS",
    "MYR_TRACE",
    "MYR_GRAPH",
    "MYR_CHAOS",
    "MYR_CHECK_JSON",
    "MYR_CHECK_SUPPRESSIONS",
    "MYR_CHECK_WASTED",
    "MYR_POISON",
    "MYR_MPI",
    "MYR_SILENCE",
    "MYR_SPIN",
    "MYR_PIN",
    "MYR_STACK",
    "MYR_LOAD_PERCENT",
    "MYR_CYCLES_PER_NS",
    "MYR_BLOCK_BYTES",
    "MYR_PLACEMENT",
    "MYR_WORKERS",
    "MYR_MASTER",
    // of myrcc
    "MYR_CC",
    // of tests and scripts
    "MYR_TEST_SEED",
    "MYR_TEST_KILLS",
    "MYR_REPLAY",
    "MYR_SITES",
    "MYR_WEAKEN",
    "MYR_BIN",
    "MYR_OUT",
});

// How many letters have to be added, taken away or changed to get from one to the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string_view nearest_variable(std::string_view name) {
  return *std::min_element(kVariables.begin(), kVariables.end(), [name](auto one, auto other) {
    return edit_distance(name, one) < edit_distance(name, other);
  });
}

}  // namespace

std::vector<std::string> unknown_variables(const std::vector<std::string>& names) {
  std::vector<std::string> said;
  for (const std::string& name : names) {
    if (!name.starts_with(kVariablePrefix)) continue;
    if (std::find(kVariables.begin(), kVariables.end(), name) != kVariables.end()) continue;
    said.push_back(
        format("{} is unknown and has no effect; did you mean {}?", name, nearest_variable(name)));
  }
  return said;
}

std::vector<std::string> take_unknown_variables() {
  static bool taken = false;
  if (__atomic_exchange_n(&taken, true, __ATOMIC_RELAXED)) return {};
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    names.emplace_back(text.substr(0, text.find('=')));
  }
  return unknown_variables(names);
}

}  // namespace myr::base
