// SPDX-License-Identifier: Apache-2.0
#include "runtime/report.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/format.hpp"

namespace myr::runtime {

namespace {

using engine::WorkerStats;

struct WorkerRow {
  const char* name;
  std::uint64_t WorkerStats::* value;
};

void print_worker_row(const std::vector<WorkerStats>& workers, const WorkerRow& row, double scale,
                      int digits) {
  std::vector<double> values;
  double sum = 0;
  for (const WorkerStats& stats : workers) {
    values.push_back(static_cast<double>(stats.*row.value) * scale);
    sum += values.back();
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  std::string line = base::format("  {:<22}", row.name);
  for (const double value : {*least, sum / static_cast<double>(values.size()), *most, sum}) {
    line += base::format("{:>12.{}f}", value, digits);
  }
  for (const double value : values) line += base::format("{:>12.{}f}", value, digits);
  base::print(stderr, "{}\n", line);
}

}  // namespace

void print_stats(engine::Engine& engine, std::string_view machine, const trace::Clock& clock) {
  std::vector<WorkerStats> workers;
  for (unsigned i = 0; i < engine.worker_count(); ++i) workers.push_back(engine.worker(i).stats());
  const double milliseconds = static_cast<double>(clock.elapsed_ns) / 1e6;
  base::print(stderr, "myrmidon: {} with {} worker(s), {:.3f} ms from start to finish\n", machine,
              workers.size(), milliseconds);
  std::string head =
      base::format("  {:<22}{:>12}{:>12}{:>12}{:>12}", "", "min", "mean", "max", "sum");
  for (std::size_t i = 0; i < workers.size(); ++i)
    head += base::format("{:>12}", base::format("w{}", i));
  base::print(stderr, "{}\n", head);
  const std::uint64_t ticks = std::max<std::uint64_t>(1, clock.end_ticks - clock.start_ticks);
  const double ms_per_tick = milliseconds / static_cast<double>(ticks);
  for (const WorkerRow& row : {WorkerRow{"in tasks, ms", &WorkerStats::task_ticks},
                               WorkerRow{"in the runtime, ms", &WorkerStats::runtime_ticks},
                               WorkerRow{"idle, ms", &WorkerStats::idle_ticks}}) {
    print_worker_row(workers, row, ms_per_tick, 3);
  }
  for (const WorkerRow& row :
       {WorkerRow{"tasks spawned", &WorkerStats::spawned},
        WorkerRow{"tasks run", &WorkerStats::ran},
        WorkerRow{"dependences linked", &WorkerStats::linked},
        WorkerRow{"steals", &WorkerStats::steals}, WorkerRow{"tasks stolen", &WorkerStats::stolen},
        WorkerRow{"times asleep", &WorkerStats::parks}}) {
    print_worker_row(workers, row, 1.0, 0);
  }
}

void print_stats_as_json(engine::Engine& engine, std::string_view machine,
                         const trace::Clock& clock) {
  const std::uint64_t ticks = std::max<std::uint64_t>(1, clock.end_ticks - clock.start_ticks);
  const double ns_per_tick = static_cast<double>(clock.elapsed_ns) / static_cast<double>(ticks);
  const auto ns = [&](std::uint64_t span) { return static_cast<double>(span) * ns_per_tick; };
  base::print(stderr, R"({{"machine": "{}", "ns": {}, "agents": [)", machine, clock.elapsed_ns);
  for (unsigned i = 0; i < engine.worker_count(); ++i) {
    const WorkerStats& stats = engine.worker(i).stats();
    base::print(stderr,
                R"({}{{"kind": "worker", "index": {}, "level": 0, "task_ns": {:.0f}, )"
                R"("runtime_ns": {:.0f}, "idle_ns": {:.0f}, "tasks": {}, "spawned": {}, )"
                R"("linked": {}, "steals": {}, "stolen": {}, "parks": {}}})",
                i == 0 ? "" : ", ", i, ns(stats.task_ticks), ns(stats.runtime_ticks),
                ns(stats.idle_ticks), stats.ran, stats.spawned, stats.linked, stats.steals,
                stats.stolen, stats.parks);
  }
  base::print(stderr, "]}}\n");
}

}  // namespace myr::runtime
