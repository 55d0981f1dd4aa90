// SPDX-License-Identifier: Apache-2.0
//
// What is chosen outside the program: the machine (MYR_ON) and what to report (MYR_STATS,
// MYR_TRACE, MYR_GRAPH).
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "trace/output.hpp"

namespace myr::runtime {

struct Machine {
  bool serial = false;
  unsigned worker_count = 1;  // smp; 1 for serial
};

// Reads `serial`, `smp` (one worker a usable processor) or `smp:N`; the error says what was
// expected.
[[nodiscard]] base::Result<Machine> parse_machine(std::string_view text);

struct Settings {
  Machine machine;
  std::string machine_name;  // as given, or the default
  bool stats = false;        // print a table of the workers' counts and times when the program ends
  trace::Names files;        // to write then
};

// From the environment.
[[nodiscard]] base::Result<Settings> read_settings();

}  // namespace myr::runtime
