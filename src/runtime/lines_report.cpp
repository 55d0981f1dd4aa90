// SPDX-License-Identifier: Apache-2.0
#include "runtime/lines_report.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "base/json_text.hpp"
#include "trace/site_names.hpp"

namespace myr::runtime {

namespace {

using engine::LineTimes;
using engine::MainPlace;
using Idle = LinesReport::Idle;
using Tasks = LinesReport::Tasks;

constexpr std::size_t kShown = 20;     // lines of a table
constexpr double kMuchIdle = 0.2;      // of the workers' time
constexpr double kMuchOverhead = 0.1;  // of the time with something to run
constexpr double kLarger = 8;          // times: tasks that a verdict proposes
constexpr const char* kOwnCode = "ran its own code";
constexpr const char* kOthers = "was at other lines";  // than the first 510 at which it was
constexpr const char* kWaited = "waited at ";
constexpr const char* kRanTasks = "ran tasks spawned at ";

std::string text_of(const myr_site* site) {
  const bool has_name_only = site != nullptr && site->file == nullptr && site->function != nullptr;
  return has_name_only ? site->function : trace::describe(site).text();
}
std::string text_of(const engine::Place& place) {
  switch (place.kind) {
    case engine::Place::Kind::OwnCode:
      break;
    case engine::Place::Kind::Wait:
      return kWaited + text_of(place.site);
    case engine::Place::Kind::Task:
      return kRanTasks + text_of(place.site);
    case engine::Place::Kind::Others:
      return kOthers;
  }
  return kOwnCode;
}

// Several sites may be on one line.
template <class Row>
std::vector<Row> sorted(std::map<std::string, Row> by_place) {
  std::vector<Row> rows;
  for (auto& [place, row] : by_place) {
    row.place = place;
    rows.push_back(std::move(row));
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.ns > b.ns; });
  return rows;
}

template <class Row>
double sum_ns(const std::vector<Row>& rows) {
  double sum = 0;
  for (const Row& row : rows) sum += row.ns;
  return sum;
}

double us(double ns) { return ns * 1e-3; }
double ms(double ns) { return ns * 1e-6; }
double percent(double part, double whole) { return whole == 0 ? 0 : 100 * part / whole; }

std::string idle_verdict(const LinesReport& report) {
  const bool names_none = report.idle.front().place == kOthers && report.idle.size() > 1;
  const Idle& most = report.idle[names_none ? 1 : 0];
  const bool is_own_code = most.place == kOwnCode;
  return base::format(
      "{:.0f} % of the workers' time is idle, {:.0f} % of that while main {}: {}",
      percent(report.idle_ns(), report.total_ns()), percent(most.ns, report.idle_ns()), most.place,
      is_own_code ? "it spawns too slowly, or computes by itself; let tasks spawn tasks, or a loop "
                    "spawn its parts"
                  : "the tasks that are there then are too few, of unequal length, or wait for "
                    "each other");
}

// Says what larger tasks would gain in the place of the most numerous ones. All cost the same, as
// far as is known.
std::string overhead_verdict(const LinesReport& report) {
  const auto most =
      std::max_element(report.tasks.begin(), report.tasks.end(),
                       [](const Tasks& a, const Tasks& b) { return a.count < b.count; });
  std::uint64_t count = 0;
  for (const Tasks& tasks : report.tasks) count += tasks.count;
  const double cost = report.runtime_ns / static_cast<double>(count);
  const double mean = most->ns / static_cast<double>(most->count);
  return base::format(
      "tasks spawned at {} take {:.2f} us, and a task costs {:.2f} us in the runtime, {:.0f} % of "
      "the "
      "two: {:.0f} times larger ones would run up to {:.1f} times as fast",
      most->place, us(mean), us(cost), percent(cost, mean + cost), kLarger,
      (mean + cost) / (mean + cost / kLarger));
}

std::vector<std::string> verdicts_of(const LinesReport& report, bool has_schedulers) {
  std::vector<std::string> verdicts;
  const double busy_ns = report.total_ns() - report.idle_ns();
  if (report.tasks.empty()) return verdicts;
  if (report.idle_ns() > kMuchIdle * report.total_ns()) verdicts.push_back(idle_verdict(report));
  if (!has_schedulers && report.runtime_ns > kMuchOverhead * busy_ns) {
    verdicts.push_back(overhead_verdict(report));
  }
  if (verdicts.empty()) {
    verdicts.push_back(
        base::format("the workers are in tasks and main for {:.0f} % of the time: what would help "
                     "is faster tasks, "
                     "or more workers",
                     percent(report.tasks_ns() + report.main_ns, report.total_ns())));
  }
  return verdicts;
}

std::string quoted(const std::string& text) { return base::json_string(text); }

}  // namespace

double LinesReport::tasks_ns() const { return sum_ns(tasks); }
double LinesReport::idle_ns() const { return sum_ns(idle); }

LinesReport report_lines(const std::vector<const LineTimes*>& workers, double ns_per_tick,
                         bool has_schedulers) {
  LinesReport report;
  const auto ns = [&](std::uint64_t ticks) { return static_cast<double>(ticks) * ns_per_tick; };
  std::map<std::string, Tasks> tasks;
  std::map<std::string, Idle> idle;
  for (const LineTimes* const worker : workers) {
    report.main_ns += ns(worker->main_ticks());
    report.runtime_ns += ns(worker->runtime_ticks());
    for (const auto& [site, line] : worker->lines()) {
      Tasks& sum = tasks[text_of(site)];
      sum.count += line.tasks;
      sum.ns += ns(line.ticks);
      sum.longest_ns = std::max(sum.longest_ns, ns(line.longest_ticks));
    }
    for (std::size_t i = 0; i < worker->idle().size(); ++i) {
      const double ticks = worker->idle()[i];
      if (ticks != 0) idle[text_of(MainPlace::place(i))].ns += ticks * ns_per_tick;
    }
  }
  report.tasks = sorted(std::move(tasks));
  report.idle = sorted(std::move(idle));
  report.verdicts = verdicts_of(report, has_schedulers);
  return report;
}

void print(const LinesReport& report) {
  base::print(stderr, " {:<42}{:>10}{:>14}{:>9}{:>12}{:>13}\n", "tasks spawned at", "tasks",
              "total, ms", "share", "mean, us", "longest, us");
  const double total = report.total_ns();
  for (std::size_t i = 0; i < std::min(kShown, report.tasks.size()); ++i) {
    const Tasks& row = report.tasks[i];
    base::print(stderr, "  {:<41}{:>10}{:>14.3f}{:>7.1f} %{:>12.2f}{:>13.2f}\n", row.place,
                row.count, ms(row.ns), percent(row.ns, total),
                us(row.ns / static_cast<double>(row.count)), us(row.longest_ns));
  }
  if (report.tasks.size() > kShown) {
    base::print(stderr, "  ... and {} more places\n", report.tasks.size() - kShown);
  }
  base::print(stderr, "  {:<51}{:>14.3f}{:>7.1f} %\n", "(main itself)", ms(report.main_ns),
              percent(report.main_ns, total));
  base::print(stderr, " {:<52}{:>14}{:>9}\n", "idle while main", "total, ms", "share");
  for (std::size_t i = 0; i < std::min(kShown, report.idle.size()); ++i) {
    const Idle& row = report.idle[i];
    base::print(stderr, "  {:<51}{:>14.3f}{:>7.1f} %\n", row.place, ms(row.ns),
                percent(row.ns, total));
  }
  for (const std::string& verdict : report.verdicts) base::print(stderr, " {}.\n", verdict);
}

void print_as_json(const LinesReport& report) {
  const char* separator = "";
  base::print(stderr, ", \"main_ns\": {:.0f}, \"lines\": [", report.main_ns);
  for (const Tasks& row : report.tasks) {
    base::print(stderr, R"({}{{"place": {}, "tasks": {}, "ns": {:.0f}, "longest_ns": {:.0f}}})",
                std::exchange(separator, ", "), quoted(row.place), row.count, row.ns,
                row.longest_ns);
  }
  separator = "";
  base::print(stderr, "], \"idle\": [");
  for (const Idle& row : report.idle) {
    base::print(stderr, R"({}{{"place": {}, "ns": {:.0f}}})", std::exchange(separator, ", "),
                quoted(row.place), row.ns);
  }
  separator = "";
  base::print(stderr, "], \"verdicts\": [");
  for (const std::string& verdict : report.verdicts) {
    base::print(stderr, "{}{}", std::exchange(separator, ", "), quoted(verdict));
  }
  base::print(stderr, "]");
}

}  // namespace myr::runtime
