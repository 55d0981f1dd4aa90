// SPDX-License-Identifier: Apache-2.0
#include "check/omp_report.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "check/report.hpp"
#include "check/watch.hpp"

namespace myr::check::omp {

namespace {

std::string line_of(const void* place) { return symbols_of_program().line_of({place}); }

std::string in(const Construct& construct) {
  if (construct.name == nullptr) return "outside of parallel regions";
  return base::format("in {} at {}", construct.name, line_of(construct.place));
}

std::string does(const Touch& touch) {
  return base::format("{}{}", touch.is_atomic ? "atomically " : "",
                      touch.writes ? "writes" : "reads");
}

// Does it go on apart from its maker?
bool is_task(const Construct& construct) {
  if (construct.name == nullptr) return false;
  const std::string_view name = construct.name;
  return name.find("task") != name.npos || name.find("target") != name.npos;
}

const char* cure(const Race& race, bool is_one_line) {
  if (is_task(race.construct) || is_task(race.earlier_construct)) {
    return "depend clauses, or a taskwait between them";
  }
  if (race.touch.is_atomic || race.earlier.is_atomic) return "atomic for both";
  return is_one_line ? "a private copy, a reduction, atomic or critical for both"
                     : "a barrier between them, or critical for both";
}

std::string where(const Race& race) {
  const Variable variable = symbols_of_program().variable_at(race.first);
  if (!variable.name.empty()) return describe(variable, race.touch.bytes);
  return Watch::instance().describe_allocated(race.first);
}

}  // namespace

void report(const Race& race) {
  static auto& seen = *new std::set<std::pair<const void*, const void*>>;
  const auto places = std::minmax(race.touch.place, race.earlier.place);
  if (!seen.insert(places).second) return;
  static auto& lines = *new std::set<std::pair<std::string, std::string>>;
  const std::string line = line_of(race.touch.place);
  const std::string earlier = line_of(race.earlier.place);
  if (!lines.insert(std::minmax(line, earlier)).second) return;
  Said said{.kind = "race",
            .place = line,
            .task = in(race.construct),
            .other = in(race.earlier_construct),
            .other_place = earlier,
            .writes = race.touch.writes,
            .bytes = race.touch.bytes,
            .memory = where(race),
            .clause = cure(race, line == earlier),
            .text = ""};
  said.text =
      base::format("{} {} byte{} {}, {}; {} {} it {}, in no order with this; order them by {}",
                   does(race.touch), said.bytes, said.bytes == 1 ? "" : "s", said.memory, said.task,
                   earlier, does(race.earlier), said.other, said.clause);
  Watch::instance().add_race(said);
}

}  // namespace myr::check::omp
