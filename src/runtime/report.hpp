// SPDX-License-Identifier: Apache-2.0
//
// What --stats prints: where the time of a machine's workers and schedulers went, and what they
// did.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/lines_report.hpp"
#include "trace/clock.hpp"

namespace myr::runtime {

struct Report {
  enum class Unit : std::uint8_t { Ns, Cycles };  // of times: this computer's, or a chip's
  struct Row {
    const char* title;  // in the table; nullptr: not there
    const char* key;    // in JSON; times: without the unit; nullptr: not there
    bool is_time;
    std::vector<std::uint64_t> values;  // by agent of the group; times in ticks of the clock
  };
  struct Group {
    const char* kind;              // "worker" or "scheduler"
    std::vector<unsigned> levels;  // of each agent: of schedulers below it
    std::vector<Row> rows;
  };

  // What a row has of each agent's account.
  template <class Account, class Count>
  struct Column {
    const char* title;
    const char* key;
    Count Account::* value;
    bool is_time = false;
  };
  static constexpr bool kTime = true;
  template <class Account, class Count>
  static Group group(const char* kind, std::vector<unsigned> levels,
                     const std::vector<Account>& accounts,
                     std::initializer_list<Column<Account, Count>> columns) {
    Group group{.kind = kind, .levels = std::move(levels), .rows = {}};
    for (const auto& [title, key, value, is_time] : columns) {
      Row& row = group.rows.emplace_back(Row{title, key, is_time, {}});
      for (const Account& account : accounts) row.values.push_back(account.*value);
    }
    return group;
  }

  Unit unit = Unit::Ns;
  trace::Clock clock{};
  std::vector<Group> groups;
  std::optional<LinesReport> lines;  // if anything is known by lines
};

// For the times of this computer.
[[nodiscard]] double ns_per_tick(const trace::Clock& clock);

// A table for people, on stderr.
void print(const Report& report, std::string_view machine);
// One object, on one line of stderr: {"machine", "cycles" or "ns", "agents": [{"kind", "index",
// "level", the rows}], and what is known by lines}.
void print_as_json(const Report& report, std::string_view machine);

}  // namespace myr::runtime
