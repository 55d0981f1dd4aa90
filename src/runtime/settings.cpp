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

// Where the settings come from.
class Source {
 public:
  explicit Source(const Wishes& wishes) noexcept : wishes_(wishes) {}

  // Empty: it is not set, and nobody has a wish.
  [[nodiscard]] std::string operator()(const char* name) const {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return value;
    const auto wish = wishes_.find(name);
    return wish == wishes_.end() ? "" : wish->second;
  }

 private:
  const Wishes& wishes_;
};

// A number of the environment, if it is there.
base::Result<bool> read_number(const Source& variable, const char* name, double most,
                               double& number) {
  const std::string text = variable(name);
  if (text.empty()) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = error == std::errc{} && end == text.data() + text.size();
  if (is_number && number >= 0 && number <= most) return true;
  return base::Error{base::format("{}: '{}' is not a number from 0 to {}", name, text,
                                  static_cast<std::uint64_t>(most))};
}

base::Result<bool> read_placement(const Source& variable,
                                  transport::sim::scc::Placement& placement) {
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

base::Result<bool> read_master_options(const Source& variable, cluster::Options& options) {
  constexpr double kBlockMax = std::uint64_t{1} << 40;
  auto block_bytes = static_cast<double>(options.block_bytes);
  double core = options.master_core;
  if (auto read = read_number(variable, "MYR_BLOCK_BYTES", kBlockMax, block_bytes); !read)
    return read;
  options.block_bytes = static_cast<std::uint64_t>(block_bytes);
  if (!deps::is_block_size(options.block_bytes)) {
    return base::Error{base::format("MYR_BLOCK_BYTES: '{}' is not a power of two of at least {}",
                                    variable("MYR_BLOCK_BYTES"), deps::BlockedArray::kBlockMin)};
  }
  if (auto read = read_number(variable, "MYR_MASTER", transport::sim::scc::kCores - 1, core);
      !read) {
    return read;
  }
  options.master_core = static_cast<unsigned>(core);
  const std::string order = variable("MYR_WORKERS");
  options.gives_near = order == "near";
  if (!order.empty() && order != "near" && order != "turns") {
    return base::Error{base::format("MYR_WORKERS: '{}' is unknown; expected turns or near", order)};
  }
  return read_placement(variable, options.placement);
}

base::Result<cluster::Options> read_agent_options(const Source& variable) {
  cluster::Options options;
  double load_percent = options.load_percent;
  constexpr double kCyclesPerNsMax = 1000;
  if (auto read = read_number(variable, "MYR_LOAD_PERCENT", 100, load_percent); !read)
    return read.error();
  if (auto read =
          read_number(variable, "MYR_CYCLES_PER_NS", kCyclesPerNsMax, options.cycles_per_ns);
      !read) {
    return read.error();
  }
  options.load_percent = static_cast<unsigned>(load_percent);
  constexpr double kNsPerSecond = 1e9;
  constexpr double kSilenceMax = 86'400;
  double silence = static_cast<double>(options.silence_ns) / kNsPerSecond;
  if (auto read = read_number(variable, "MYR_SILENCE", kSilenceMax, silence); !read)
    return read.error();
  options.silence_ns = static_cast<std::uint64_t>(silence * kNsPerSecond);
  if (auto read = read_master_options(variable, options); !read) return read.error();
  return options;
}

base::Result<std::uint64_t> read_spin_ns(const Source& variable) {
  constexpr double kNsPerUs = 1000;
  constexpr double kSpinMaxUs = 100'000;
  double us = engine::kSpinNs / kNsPerUs;
  if (auto read = read_number(variable, "MYR_SPIN", kSpinMaxUs, us); !read) return read.error();
  return static_cast<std::uint64_t>(us * kNsPerUs);
}

base::Result<std::size_t> read_stack_mib(const Source& variable) {
  double mib = plat::kTaskStackMib;
  if (auto read = read_number(variable, "MYR_STACK", plat::kTaskStackMibMax, mib); !read)
    return read.error();
  return std::max(std::size_t{1}, static_cast<std::size_t>(mib));
}

base::Result<bool> read_pins(const Source& variable) {
  const std::string text = variable("MYR_PIN");
  if (text.empty() || text == "none") return false;
  if (text == "cores") return true;
  return base::Error{base::format("MYR_PIN: '{}' is unknown; expected cores or none", text)};
}

base::Result<std::optional<std::uint64_t>> read_chaos(const Source& variable) {
  const std::string text = variable("MYR_CHAOS");
  if (text.empty()) return std::optional<std::uint64_t>();
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (error == std::errc{} && end == text.data() + text.size()) return std::optional(seed);
  return base::Error{base::format("MYR_CHAOS: '{}' is not a seed; expected a whole number", text)};
}

base::Result<Settings::Stats> read_stats(const Source& variable) {
  const std::string text = variable("MYR_STATS");
  if (text.empty() || text == "0") return Settings::Stats::None;
  if (text == "1") return Settings::Stats::Table;
  if (text == "json") return Settings::Stats::Json;
  return base::Error{
      base::format("MYR_STATS: '{}' is unknown; expected 1, for a table, or json", text)};
}

// Only the first of several processes warns.
void warn_of_unknown_variables() {
  const auto launched = transport::mpi::launched();
  if (launched && launched->rank != 0) return;
  for (const std::string& text : base::take_unknown_variables()) {
    base::print(stderr, "myrmidon: warning: {}\n", text);
  }
}

}  // namespace

base::Result<Wishes> wishes_of(const myr_config& config) {
  if (config.size < sizeof(myr_config)) {
    return base::Error{"myr_start: the configuration has no size: set size = sizeof(myr_config)"};
  }
  const auto* const more = reinterpret_cast<const unsigned char*>(&config);
  if (std::any_of(more + sizeof(myr_config), more + config.size,
                  [](auto byte) { return byte != 0; })) {
    return base::Error{"myr_start: the configuration has members that this version does not know"};
  }
  if (config.observer != nullptr && config.observer->size < sizeof(myr_observer)) {
    return base::Error{"myr_start: the observer has no size: set size = sizeof(myr_observer)"};
  }
  if (config.stack_mib > plat::kTaskStackMibMax) {
    return base::Error{base::format("myr_start: stack_mib is {}; a task's stack has at most {} MiB",
                                    config.stack_mib, plat::kTaskStackMibMax)};
  }
  Wishes wishes;
  const std::string_view machine = config.machine == nullptr ? "smp" : config.machine;
  if (auto known = parse_machine(machine); known && known->is_job) {
    return base::Error{base::format(
        "myr_start: the machine '{0}' has several processes, which a launcher starts: write myr "
        "run --on {0} PROGRAM, or MYR_ON={0}",
        machine)};
  }
  if (config.workers != 0 && machine != "smp") {
    return base::Error{base::format(
        "myr_start: workers are for smp; the machine '{}' says itself how many it has", machine)};
  }
  wishes["MYR_ON"] =
      config.workers == 0 ? std::string(machine) : base::format("smp:{}", config.workers);
  if (config.pin != 0) wishes["MYR_PIN"] = "cores";
  if (config.stack_mib != 0) wishes["MYR_STACK"] = base::format("{}", config.stack_mib);
  if (config.chaos != 0) wishes["MYR_CHAOS"] = base::format("{}", config.chaos);
  return wishes;
}

base::Result<Settings> read_settings(const Wishes& wishes) {
  warn_of_unknown_variables();
  const Source variable(wishes);
  const std::string on = variable("MYR_ON");
  const std::string name = on.empty() ? "smp" : on;
  base::Result<MachineChoice> machine = parse_machine(name);
  if (!machine) {
    const char* const set = std::getenv("MYR_ON");
    const bool is_wish = !wishes.empty() && (set == nullptr || *set == '\0');
    return base::Error{(is_wish ? "myr_start: " : "MYR_ON: ") + machine.error().text};
  }
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
  const auto stats = read_stats(variable);
  if (!stats) return stats.error();
  base::Result<cluster::Options> agents = read_agent_options(variable);
  if (!agents) return agents.error();
  const auto chaos = read_chaos(variable);
  if (!chaos) return chaos.error();
  agents->chaos = *chaos;
  const auto spin_ns = read_spin_ns(variable);
  if (!spin_ns) return spin_ns.error();
  agents->spin_ns = *spin_ns;
  const auto pins = read_pins(variable);
  if (!pins) return pins.error();
  const auto stack_mib = read_stack_mib(variable);
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
