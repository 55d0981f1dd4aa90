// SPDX-License-Identifier: Apache-2.0
//
// The names of machines, as in MYR_ON.

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/master/scc_machine.hpp"
#include "cluster/master/thread_machine.hpp"
#include "cluster/sim/core_map.hpp"
#include "engine/engine.hpp"
#include "plat/cpu_quota.hpp"
#include "runtime/settings.hpp"

namespace myr::runtime {

namespace {

using sched::Topology;
using transport::sim::Chip;

constexpr unsigned kThreadsMax = engine::Engine::kWorkersMax;

base::Error unknown_machine(std::string_view text) {
  return {base::format(
      "'{}' is not a machine; expected serial, smp, smp:N with N from 1 to {} threads, "
      "tree:S+W or tree:S+WxT with S schedulers and W workers of T threads, mpi:S+W or mpi:S+WxT "
      "with S + W processes, spmd:S+W for a program that each worker runs, master:1+W, or "
      "sim:CHIP, "
      "for example MYR_ON=smp:4",
      text, kThreadsMax)};
}

enum class Reading : std::uint8_t { Number, TooLarge, None };
Reading read_number(std::string_view digits, unsigned& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error == std::errc::result_out_of_range) return Reading::TooLarge;
  const bool is_number = error == std::errc{} && end == digits.data() + digits.size();
  return is_number ? Reading::Number : Reading::None;
}

}  // namespace

MachineChoice serial() { return {.start = start_engine, .is_serial = true, .has_guests = true}; }

namespace {

MachineChoice smp(unsigned workers) {
  return {.start = start_engine, .keeps_graph = true, .has_guests = true, .worker_count = workers};
}

base::Result<MachineChoice> parse_smp(std::string_view text, std::string_view digits) {
  unsigned count = 0;
  const Reading reading = read_number(digits, count);
  if (reading == Reading::TooLarge || (reading == Reading::Number && count > kThreadsMax)) {
    return base::Error{
        base::format("'{}' asks for too many threads; at most {} are possible", text, kThreadsMax)};
  }
  if (reading == Reading::None) return unknown_machine(text);
  if (count == 0) {
    return base::Error{base::format("'{}' asks for 0 threads; at least 1 is needed", text)};
  }
  return smp(count);
}

// The numbers between the separators; empty: something else is there, or a zero.
std::vector<unsigned> split(std::string_view text, char separator) {
  std::vector<unsigned> numbers;
  for (;;) {
    const std::size_t end = text.find(separator);
    unsigned number = 0;
    if (read_number(text.substr(0, end), number) != Reading::Number || number == 0) return {};
    numbers.push_back(number);
    if (end == std::string_view::npos) return numbers;
    text.remove_prefix(end + 1);
  }
}

// How many agents a tree of these fan-outs has, counted up to some more than `most`.
std::uint64_t agents_of(const std::vector<unsigned>& fan_outs, std::uint64_t most) {
  std::uint64_t level = 1;
  std::uint64_t sum = 1;
  for (const unsigned fan_out : fan_outs) {
    level *= fan_out;
    sum += level;
    if (sum > most) break;
  }
  return sum;
}

// S+W, or fan-outs like 4x8; at most so many agents.
base::Result<Topology> parse_shape(std::string_view text, std::string_view shape,
                                   std::uint64_t agents_max) {
  const auto too_many = [&] {
    return base::Error{
        base::format("'{}' asks for too many schedulers and workers; at most {} in all "
                     "are possible",
                     text, agents_max)};
  };
  if (const std::vector<unsigned> counts = split(shape, '+'); counts.size() == 2) {
    if (std::uint64_t{counts[0]} + counts[1] > agents_max) return too_many();
    if (counts[0] <= counts[1]) return Topology::of_counts(counts[0], counts[1]);
    return base::Error{
        base::format("'{}' has more schedulers than workers; each of the lowest "
                     "schedulers needs a worker of its own",
                     text)};
  }
  const std::vector<unsigned> fan_outs = split(shape, 'x');
  if (fan_outs.empty()) {
    return base::Error{
        base::format("'{}': '{}' is not a tree; expected schedulers and workers, like 3+6, "
                     "or fan-outs from the top down, like 2x3",
                     text, shape)};
  }
  if (agents_of(fan_outs, agents_max) > agents_max) return too_many();
  return Topology::of_fan_outs(fan_outs);
}

// What stands behind an x behind a +, as in 1+3x2: the threads of each worker; else 1. 0: none.
unsigned take_threads(std::string_view& shape) {
  const std::size_t plus = shape.find('+');
  const std::size_t times = plus == std::string_view::npos ? plus : shape.find('x', plus);
  if (times == std::string_view::npos) return 1;
  unsigned threads = 0;
  if (read_number(shape.substr(times + 1), threads) != Reading::Number) return 0;
  shape = shape.substr(0, times);
  return threads;
}

// Of `tree` and `mpi`.
base::Result<MachineChoice> parse_agents(std::string_view text, std::string_view shape) {
  const std::string_view whole = shape;
  const unsigned threads = take_threads(shape);
  base::Result<Topology> topology = parse_shape(text, threads == 0 ? whole : shape, kThreadsMax);
  if (!topology) return topology.error();
  const std::size_t workers = topology->workers().size();
  if (workers * threads + topology->schedulers().size() > kThreadsMax) {
    return base::Error{
        base::format("'{}' asks for too many threads; at most {} are possible", text, kThreadsMax)};
  }
  return MachineChoice{.start = start_tree,
                       .has_guests = true,
                       .worker_count = threads,
                       .topology = std::move(*topology)};
}

base::Result<MachineChoice> parse_job(std::string_view text, std::string_view shape) {
  base::Result<MachineChoice> job = parse_agents(text, shape);
  if (!job) return job;
  job->start = start_job;
  job->is_job = true;
  job->has_guests = false;
  return job;
}

base::Result<MachineChoice> parse_spmd(std::string_view text, std::string_view shape) {
  base::Result<MachineChoice> job = parse_job(text, shape);
  if (!job) return job;
  job->is_spmd = true;
  return job;
}

// All cores: the strong ones are schedulers; without them, one core in 64 is. On the SCC there is
// one for each quarter, and one above them.
Topology whole_chip(const Chip& chip) {
  constexpr unsigned kWorkersEach = 64;
  constexpr unsigned kQuarters = 4;
  if (chip.shares_memory()) {
    return Topology::of_counts(kQuarters + 1, chip.core_count() - kQuarters - 1);
  }
  const unsigned strong = std::min(chip.cores().strong, chip.cores().weak);
  if (strong != 0) return Topology::of_counts(strong, chip.cores().weak);
  const unsigned schedulers = (chip.cores().weak + kWorkersEach - 1) / kWorkersEach;
  return Topology::of_counts(schedulers, std::max(chip.cores().weak - schedulers, schedulers));
}

// How many workers 1+W names; none: it is something else, or there are more.
std::optional<unsigned> workers_of_master(std::string_view shape, unsigned most) {
  constexpr std::string_view kMaster = "1+";
  unsigned workers = 0;
  if (!shape.starts_with(kMaster)) return {};
  if (read_number(shape.substr(kMaster.size()), workers) != Reading::Number) return {};
  if (workers > most) return {};
  return workers;
}

base::Result<MachineChoice> parse_master(std::string_view text, std::string_view shape) {
  constexpr unsigned kWorkersMax = cluster::master::ThreadMachine::kWorkersMax;
  const unsigned workers = workers_of_master(shape, kWorkersMax).value_or(0);
  if (workers != 0) {
    return MachineChoice{.start = start_master, .has_guests = true, .worker_count = workers};
  }
  return base::Error{
      base::format("'{}' is no master with workers; expected master:1+W with W from 1 to {}", text,
                   kWorkersMax)};
}

// Behind scc-48: nothing, or :1+W. The same chip with a tree is named like other chips.
base::Result<MachineChoice> parse_scc(std::string_view text, std::string_view shape) {
  constexpr unsigned kWorkersMax = cluster::master::SccMachine::kWorkersMax;
  std::optional<unsigned> workers;
  if (shape.empty()) workers = kWorkersMax;
  if (shape.starts_with(':')) workers = workers_of_master(shape.substr(1), kWorkersMax);
  if (workers) return MachineChoice{.start = start_scc, .worker_count = *workers};
  return base::Error{
      base::format("'{}' is no machine of this chip; expected sim:scc-48, or sim:scc-48:1+W with "
                   "a master and W workers from 0 to {}",
                   text, kWorkersMax)};
}

base::Result<MachineChoice> parse_sim(std::string_view text, std::string_view rest) {
  constexpr std::string_view kScc = "scc-48";
  if (rest.starts_with(kScc) && !rest.starts_with("scc-48-tree")) {
    return parse_scc(text, rest.substr(kScc.size()));
  }
  const std::size_t colon = rest.find(':');
  std::optional<Chip> chip = Chip::named(rest.substr(0, colon));
  if (!chip) {
    return base::Error{base::format(
        "'{}' does not name a chip; expected scc-48, scc-48-tree, formic-520, formic-512, "
        "or formic-S+W with S strong and W weak cores, for example MYR_ON=sim:formic-520",
        text)};
  }
  std::optional<Topology> topology;
  if (colon == std::string_view::npos) {
    topology = whole_chip(*chip);
  } else {
    base::Result<Topology> parsed = parse_shape(text, rest.substr(colon + 1), chip->core_count());
    if (!parsed) return parsed.error();
    topology = std::move(*parsed);
  }
  constexpr std::size_t kSchedulersMax = cluster::HeapStore::kCountMax;
  if (topology->schedulers().size() > kSchedulersMax) {
    return base::Error{
        base::format("'{}' has {} schedulers, but at most {} are possible; name fewer, for example "
                     "MYR_ON=sim:formic-520:8+512",
                     text, topology->schedulers().size(), kSchedulersMax)};
  }
  if (!cluster::sim::map_to_cores(*topology, *chip)) {
    return base::Error{
        base::format("'{}' does not fit on the chip, which has {} weak cores; name fewer workers",
                     text, chip->cores().weak)};
  }
  return MachineChoice{
      .start = start_chip, .topology = std::move(topology), .chip = std::move(chip)};
}

// The text behind the prefix.
std::optional<std::string_view> behind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return {};
  return text.substr(prefix.size());
}

}  // namespace

base::Result<MachineChoice> parse_machine(std::string_view text) {
  if (text == "serial") return serial();
  if (text == "smp") return smp(plat::usable_cpu_count());
  if (const auto count = behind(text, "smp:")) return parse_smp(text, *count);
  if (const auto shape = behind(text, "tree:")) return parse_agents(text, *shape);
  if (const auto shape = behind(text, "master:")) return parse_master(text, *shape);
  if (const auto shape = behind(text, "mpi:")) return parse_job(text, *shape);
  if (const auto shape = behind(text, "spmd:")) return parse_spmd(text, *shape);
  if (const auto chip = behind(text, "sim:")) return parse_sim(text, *chip);
  return unknown_machine(text);
}

}  // namespace myr::runtime
