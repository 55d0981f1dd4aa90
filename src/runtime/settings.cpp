// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace myr::runtime {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

base::Result<Settings> read_settings() {
  const std::string on = variable("MYR_ON");
  const std::string name = on.empty() ? "smp" : on;
  base::Result<Machine> machine = parse_machine(name);
  if (!machine) return base::Error{"MYR_ON: " + machine.error().text};
  const std::string graph = variable("MYR_GRAPH");
  if (machine->kind != Machine::Kind::Smp && !graph.empty()) {
    return base::Error{fmt::format(
        "MYR_GRAPH: '{}' does not keep the graph of tasks in one place; smp:1 does", name)};
  }
  return Settings{.machine = *machine,
                  .machine_name = name,
                  .stats = variable("MYR_STATS") == "1",
                  .files = {.timeline = variable("MYR_TRACE"), .graph = graph}};
}

}  // namespace myr::runtime
