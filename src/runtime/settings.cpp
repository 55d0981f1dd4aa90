// SPDX-License-Identifier: Apache-2.0
#include "runtime/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "base/format.hpp"
#include "base/variables.hpp"
#include "deps/blocks.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::runtime {

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// A number of the environment, if it is there.
base::Result<bool> read_number(const char* name, double most, double& number) {
  const std::string text = variable(name);
  if (text.empty()) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (is_number && number >= 0 && number <= most) return true;
  return base::Error{base::format("{}: '{}' is not a number from 0 to {}", name, text,
                                  static_cast<std::uint64_t>(most))};
}

base::Result<bool> read_placement(transport::sim::scc::Placement& placement) {
  using transport::sim::scc::Placement;
  const std::string text = variable("MYR_PLACEMENT");
  if (text.empty()) return true;
  if (text == "none") {
    placement = Placement::None;
  } else if (text == "striped") {
    placement = Placement::Striped;
  } else if (text == "padded") {
    placement = Placement::Padded;
  } else {
    return base::Error{
        base::format("MYR_PLACEMENT: '{}' is unknown; expected none, striped or padded", text)};
  }
  return true;
}

base::Result<bool> read_master_options(cluster::Options& options) {
  constexpr double kBlockMax = std::uint64_t{1} << 40;
  auto block_bytes = static_cast<double>(options.block_bytes);
  double core = options.master_core;
  if (auto read = read_number("MYR_BLOCK_BYTES", kBlockMax, block_bytes); !read) return read;
  options.block_bytes = static_cast<std::uint64_t>(block_bytes);
  if (!deps::is_block_size(options.block_bytes)) {
    return base::Error{base::format("MYR_BLOCK_BYTES: '{}' is not a power of two of at least {}",
                                    variable("MYR_BLOCK_BYTES"), deps::BlockedArray::kBlockMin)};
  }
  if (auto read = read_number("MYR_MASTER", transport::sim::scc::kCores - 1, core); !read) {
    return read;
  }
  options.master_core = static_cast<unsigned>(core);
  const std::string order = variable("MYR_WORKERS");
  options.gives_near = order == "near";
  if (!order.empty() && order != "near" && order != "turns") {
    return base::Error{base::format("MYR_WORKERS: '{}' is unknown; expected turns or near", order)};
  }
  return read_placement(options.placement);
}

base::Result<cluster::Options> read_agent_options() {
  cluster::Options options;
  double load_percent = options.load_percent;
  constexpr double kCyclesPerNsMax = 1000;
  if (auto read = read_number("MYR_LOAD_PERCENT", 100, load_percent); !read) return read.error();
  if (auto read = read_number("MYR_CYCLES_PER_NS", kCyclesPerNsMax, options.cycles_per_ns); !read) {
    return read.error();
  }
  options.load_percent = static_cast<unsigned>(load_percent);
  constexpr double kNsPerSecond = 1e9;
  constexpr double kSilenceMax = 86'400;
  double silence = static_cast<double>(options.silence_ns) / kNsPerSecond;
  if (auto read = read_number("MYR_SILENCE", kSilenceMax, silence); !read) return read.error();
  options.silence_ns = static_cast<std::uint64_t>(silence * kNsPerSecond);
  if (auto read = read_master_options(options); !read) return read.error();
  return options;
}

base::Result<std::uint64_t> read_spin_ns() {
  constexpr double kNsPerUs = 1000;
  constexpr double kSpinMaxUs = 100'000;
  double us = engine::kSpinNs / kNsPerUs;
  if (auto read = read_number("MYR_SPIN", kSpinMaxUs, us); !read) return read.error();
  return static_cast<std::uint64_t>(us * kNsPerUs);
}

base::Result<std::size_t> read_stack_mib() {
  double mib = plat::kTaskStackMib;
  if (auto read = read_number("MYR_STACK", plat::kTaskStackMibMax, mib); !read) return read.error();
  return std::max(std::size_t{1}, static_cast<std::size_t>(mib));
}

base::Result<bool> read_pins() {
  const std::string text = variable("MYR_PIN");
  if (text.empty() || text == "none") return false;
  if (text == "cores") return true;
  return base::Error{base::format("MYR_PIN: '{}' is unknown; expected cores or none", text)};
}

base::Result<std::optional<std::uint64_t>> read_chaos() {
  const std::string text = variable("MYR_CHAOS");
  if (text.empty()) return std::optional<std::uint64_t>();
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc{} && end == text.data() + text.size()) return std::optional(seed);
  return base::Error{base::format("MYR_CHAOS: '{}' is not a seed; expected a whole number", text)};
}

base::Result<Settings::Stats> read_stats() {
  const std::string text = variable("MYR_STATS");
  if (text.empty() || text == "0") return Settings::Stats::None;
  if (text == "1") return Settings::Stats::Table;
  if (text == "json") return Settings::Stats::Json;
  return base::Error{
      base::format("MYR_STATS: '{}' is unknown; expected 1, for a table, or json", text)};
}

// Of several processes, the first.
void warn_of_unknown_variables() {
  const auto launched = transport::mpi::launched();
  if (launched && launched->rank != 0) return;
  for (const std::string& text : base::take_unknown_variables()) {
    base::print(stderr, "myrmidon: warning: {}\n", text);
  }
}

}  // namespace

base::Result<Settings> read_settings() {
  warn_of_unknown_variables();
  const std::string on = variable("MYR_ON");
  const std::string name = on.empty() ? "smp" : on;
  base::Result<MachineChoice> machine = parse_machine(name);
  if (!machine) return base::Error{"MYR_ON: " + machine.error().text};
  const std::string graph = variable("MYR_GRAPH");
  if (!machine->keeps_graph && !graph.empty()) {
    return base::Error{
        base::format("MYR_GRAPH: the machine '{}' cannot record the task graph; use smp, for "
                     "example MYR_ON=smp:1",
                     name)};
  }
  if (machine->is_spmd && !variable("MYR_TRACE").empty()) {
    return base::Error{base::format(
        "MYR_TRACE: the machine '{}' has no tasks, and so no timeline; MYR_STATS tells what each "
        "worker waits for",
        name)};
  }
  const auto stats = read_stats();
  if (!stats) return stats.error();
  base::Result<cluster::Options> agents = read_agent_options();
  if (!agents) return agents.error();
  const auto chaos = read_chaos();
  if (!chaos) return chaos.error();
  agents->chaos = *chaos;
  const auto spin_ns = read_spin_ns();
  if (!spin_ns) return spin_ns.error();
  agents->spin_ns = *spin_ns;
  const auto pins = read_pins();
  if (!pins) return pins.error();
  const auto stack_mib = read_stack_mib();
  if (!stack_mib) return stack_mib.error();
  agents->is_spmd = machine->is_spmd;
  if (agents->is_spmd) agents->silence_ns = 0;  // its main serves MPI only when it calls
  agents->poisons = !variable("MYR_POISON").empty();
  return Settings{.machine = *machine,
                  .machine_name = name,
                  .stats = *stats,
                  .files = {.timeline = variable("MYR_TRACE"), .graph = graph},
                  .agents = *agents,
                  .chaos = *chaos,
                  .spin_ns = *spin_ns,
                  .pins = *pins,
                  .stack_mib = *stack_mib};
}

}  // namespace myr::runtime
