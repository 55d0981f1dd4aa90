// SPDX-License-Identifier: Apache-2.0
//
// What --stats prints: where the time of a machine's workers and schedulers went, and what they
// did.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

  // A row with a value of each agent's account.
  template <class Account>
  static Row row(const char* title, const char* key, bool is_time,
                 const std::vector<Account>& accounts, std::uint64_t Account::* value) {
    Row row{.title = title, .key = key, .is_time = is_time, .values = {}};
    for (const Account& account : accounts) row.values.push_back(account.*value);
    return row;
  }

  Unit unit = Unit::Ns;
  trace::Clock clock{};
  std::vector<Group> groups;
};

// A table for people, on stderr.
void print(const Report& report, std::string_view machine);
// One object, on one line of stderr: {"machine", "cycles" or "ns", "agents": [{"kind", "index",
// "level", the rows}]}.
void print_as_json(const Report& report, std::string_view machine);

}  // namespace myr::runtime
