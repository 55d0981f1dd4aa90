// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent_report.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "base/format.hpp"

namespace myr::runtime {

namespace {

using cluster::AgentUsage;

// More would not fit beside each other.
constexpr std::size_t kShownApart = 8;

struct Row {
  const char* name;
  std::uint64_t AgentUsage::* value;
  bool is_time;
};

constexpr Row kWorkerRows[] = {
    {"in tasks", &AgentUsage::task_ticks, true},
    {"in the runtime", &AgentUsage::runtime_ticks, true},
    {"waiting", &AgentUsage::wait_ticks, true},
    {"idle", &AgentUsage::idle_ticks, true},
    {"tasks run", &AgentUsage::tasks, false},
    {"messages taken", &AgentUsage::messages, false},
    {"bytes of these", &AgentUsage::message_bytes, false},
    {"bytes fetched", &AgentUsage::fetched_bytes, false},
};
constexpr Row kSchedulerRows[] = {
    {"scheduling", &AgentUsage::runtime_ticks, true},
    {"memory", &AgentUsage::memory_ticks, true},
    {"idle", &AgentUsage::idle_ticks, true},
    {"messages taken", &AgentUsage::messages, false},
    {"bytes of these", &AgentUsage::message_bytes, false},
};

double ns_per_tick(const trace::Clock& clock) {
  const std::uint64_t ticks = std::max<std::uint64_t>(1, clock.end_ticks - clock.start_ticks);
  return static_cast<double>(clock.elapsed_ns) / static_cast<double>(ticks);
}

// Cycles in thousands, other times in milliseconds.
double scale_of(const AgentReport& report, bool is_time) {
  if (!is_time) return 1;
  return report.unit == AgentReport::Unit::Cycles ? 1e-3 : ns_per_tick(report.clock) * 1e-6;
}
const char* unit_of(const AgentReport& report) {
  return report.unit == AgentReport::Unit::Cycles ? "K cycles" : "ms";
}

void print_row(const AgentReport& report, const std::vector<sched::AgentId>& agents,
               const Row& row) {
  std::vector<double> values;
  double sum = 0;
  for (const sched::AgentId agent : agents) {
    values.push_back(static_cast<double>(report.usage[agent].*row.value) *
                     scale_of(report, row.is_time));
    sum += values.back();
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const int digits = row.is_time ? 3 : 0;
  std::string line = base::format(
      "  {:<24}", row.is_time ? base::format("{}, {}", row.name, unit_of(report)) : row.name);
  for (const double value : {*least, sum / static_cast<double>(values.size()), *most, sum}) {
    line += base::format("{:>14.{}f}", value, digits);
  }
  if (agents.size() <= kShownApart) {
    for (const double value : values) line += base::format("{:>14.{}f}", value, digits);
  }
  base::print(stderr, "{}\n", line);
}

template <std::size_t kRows>
void print_group(const AgentReport& report, const char* title, char letter,
                 const std::vector<sched::AgentId>& agents, const Row (&rows)[kRows]) {
  std::string head =
      base::format(" {:<25}{:>14}{:>14}{:>14}{:>14}", title, "min", "mean", "max", "sum");
  if (agents.size() <= kShownApart) {
    for (std::size_t i = 0; i < agents.size(); ++i) {
      head += base::format("{:>14}", base::format("{}{}", letter, i));
    }
  }
  base::print(stderr, "{}\n", head);
  for (const Row& row : rows) print_row(report, agents, row);
}

}  // namespace

void print(const AgentReport& report) {
  const sched::Topology& topology = report.topology;
  const std::string total =
      report.unit == AgentReport::Unit::Cycles
          ? base::format("{} cycles", report.clock.end_ticks)
          : base::format("{:.3f} ms", static_cast<double>(report.clock.elapsed_ns) * 1e-6);
  base::print(stderr,
              "myrmidon: {} with {} scheduler(s) and {} worker(s), {} from start to finish\n",
              report.machine, topology.schedulers().size(), topology.workers().size(), total);
  print_group(report, "workers", 'w', topology.workers(), kWorkerRows);
  print_group(report, "schedulers", 's', topology.schedulers(), kSchedulerRows);
}

void print_as_json(const AgentReport& report) {
  const bool is_cycles = report.unit == AgentReport::Unit::Cycles;
  const char* unit = is_cycles ? "cycles" : "ns";
  const double scale = is_cycles ? 1 : ns_per_tick(report.clock);
  base::print(stderr, R"({{"machine": "{}", "{}": {}, "agents": [)", report.machine, unit,
              report.clock.elapsed_ns);
  unsigned workers = 0;
  unsigned schedulers = 0;
  for (sched::AgentId agent = 0; agent < report.usage.size(); ++agent) {
    const bool is_worker = report.topology.is_worker(agent);
    const AgentUsage& usage = report.usage[agent];
    base::print(stderr, R"({}{{"kind": "{}", "index": {}, "level": {})", agent == 0 ? "" : ", ",
                is_worker ? "worker" : "scheduler", is_worker ? workers++ : schedulers++,
                report.topology.level(agent));
    for (const Row& time :
         {Row{"task", &AgentUsage::task_ticks, true},
          Row{"runtime", &AgentUsage::runtime_ticks, true},
          Row{"memory", &AgentUsage::memory_ticks, true},
          Row{"wait", &AgentUsage::wait_ticks, true}, Row{"idle", &AgentUsage::idle_ticks, true}}) {
      base::print(stderr, R"(, "{}_{}": {:.0f})", time.name, unit,
                  static_cast<double>(usage.*time.value) * scale);
    }
    base::print(stderr, R"(, "tasks": {}, "messages": {}, "message_bytes": {}, "dma_bytes": {}}})",
                usage.tasks, usage.messages, usage.message_bytes, usage.fetched_bytes);
  }
  base::print(stderr, "]}}\n");
}

}  // namespace myr::runtime
