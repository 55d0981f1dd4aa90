// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>

#include "engine/engine.hpp"
#include "plat/thread.hpp"

namespace myr::runtime {

namespace {

base::Error unknown_machine(std::string_view text) {
  return {
      fmt::format("'{}' is no machine; expected serial, smp, or smp:N with N from 1 to {} threads, "
                  "for example MYR_ON=smp:4",
                  text, engine::Engine::kWorkersMax)};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

base::Result<Machine> parse_machine(std::string_view text) {
  if (text == "serial") return Machine{.serial = true, .worker_count = 1};
  if (text == "smp") return Machine{.worker_count = plat::usable_cpu_count()};
  constexpr std::string_view kPrefix = "smp:";
  if (!text.starts_with(kPrefix)) return unknown_machine(text);
  const std::string_view digits = text.substr(kPrefix.size());
  unsigned count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  if (error == std::errc::result_out_of_range ||
      (is_number && count > engine::Engine::kWorkersMax)) {
    return base::Error{fmt::format("'{}' asks for too many threads; at most {} are possible", text,
                                   engine::Engine::kWorkersMax)};
  }
  if (!is_number) return unknown_machine(text);
  if (count == 0) {
    return base::Error{fmt::format("'{}' asks for no threads at all; at least 1 is needed", text)};
  }
  return Machine{.worker_count = count};
}

base::Result<Settings> read_settings() {
  const std::string on = variable("MYR_ON");
  const std::string name = on.empty() ? "smp" : on;
  base::Result<Machine> machine = parse_machine(name);
  if (!machine) return base::Error{"MYR_ON: " + machine.error().text};
  const std::string graph = variable("MYR_GRAPH");
  if (machine->serial && !graph.empty()) {
    return base::Error{"MYR_GRAPH: the serial machine does not look for dependences; smp:1 does"};
  }
  return Settings{.machine = *machine,
                  .machine_name = name,
                  .stats = variable("MYR_STATS") == "1",
                  .files = {.timeline = variable("MYR_TRACE"), .graph = graph}};
}

}  // namespace myr::runtime
