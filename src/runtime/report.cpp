// SPDX-License-Identifier: Apache-2.0
#include "runtime/report.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>

#include "base/format.hpp"

namespace myr::runtime {

namespace {

using Group = Report::Group;
using Row = Report::Row;

// More would not fit beside each other.
constexpr std::size_t kShownApart = 8;

bool is_in_cycles(const Report& report) { return report.unit == Report::Unit::Cycles; }

void print_row(const Report& report, const Row& row) {
  // Cycles in thousands, other times in milliseconds.
  const double time_scale = is_in_cycles(report) ? 1e-3 : ns_per_tick(report.clock) * 1e-6;
  std::vector<double> values;
  double sum = 0;
  for (const std::uint64_t value : row.values) {
    values.push_back(static_cast<double>(value) * (row.is_time ? time_scale : 1));
    sum += values.back();
  }
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const int digits = row.is_time ? 3 : 0;
  const char* unit = is_in_cycles(report) ? "K cycles" : "ms";
  std::string line =
      base::format("  {:<24}", row.is_time ? base::format("{}, {}", row.title, unit) : row.title);
  for (const double value : {*least, sum / static_cast<double>(values.size()), *most, sum}) {
    line += base::format("{:>14.{}f}", value, digits);
  }
  if (values.size() <= kShownApart) {
    for (const double value : values) line += base::format("{:>14.{}f}", value, digits);
  }
  base::print(stderr, "{}\n", line);
}

void print_group(const Report& report, const Group& group) {
  std::string head = base::format(" {:<25}{:>14}{:>14}{:>14}{:>14}",
                                  base::format("{}s", group.kind), "min", "mean", "max", "sum");
  if (group.levels.size() <= kShownApart) {
    for (std::size_t i = 0; i < group.levels.size(); ++i) {
      head += base::format("{:>14}", base::format("{}{}", *group.kind, i));
    }
  }
  base::print(stderr, "{}\n", head);
  for (const Row& row : group.rows) {
    if (row.title != nullptr) print_row(report, row);
  }
}

}  // namespace

double ns_per_tick(const trace::Clock& clock) {
  const std::uint64_t ticks = std::max<std::uint64_t>(1, clock.end_ticks - clock.start_ticks);
  return static_cast<double>(clock.elapsed_ns) / static_cast<double>(ticks);
}

void print(const Report& report, std::string_view machine) {
  std::string agents;
  for (const Group& group : report.groups) {
    agents +=
        base::format("{}{} {}(s)", agents.empty() ? "" : " and ", group.levels.size(), group.kind);
  }
  const std::string total =
      is_in_cycles(report)
          ? base::format("{} cycles", report.clock.end_ticks)
          : base::format("{:.3f} ms", static_cast<double>(report.clock.elapsed_ns) * 1e-6);
  base::print(stderr, "myrmidon: {} with {}, {} from start to finish\n", machine, agents, total);
  for (const Group& group : report.groups) print_group(report, group);
  if (report.lines) print(*report.lines);
}

void print_as_json(const Report& report, std::string_view machine) {
  const char* unit = is_in_cycles(report) ? "cycles" : "ns";
  const double time_scale = is_in_cycles(report) ? 1 : ns_per_tick(report.clock);
  base::print(stderr, R"({{"machine": "{}", "{}": {}, "agents": [)", machine, unit,
              report.clock.elapsed_ns);
  const char* separator = "";
  for (const Group& group : report.groups) {
    for (std::size_t i = 0; i < group.levels.size(); ++i) {
      base::print(stderr, R"({}{{"kind": "{}", "index": {}, "level": {})",
                  std::exchange(separator, ", "), group.kind, i, group.levels[i]);
      for (const Row& row : group.rows) {
        if (row.key == nullptr) continue;
        const double scale = row.is_time ? time_scale : 1;
        base::print(stderr, R"(, "{}{}{}": {:.0f})", row.key, row.is_time ? "_" : "",
                    row.is_time ? unit : "", static_cast<double>(row.values[i]) * scale);
      }
      base::print(stderr, "}}");
    }
  }
  base::print(stderr, "]");
  if (report.lines) print_as_json(*report.lines);
  base::print(stderr, "}}\n");
}

}  // namespace myr::runtime
