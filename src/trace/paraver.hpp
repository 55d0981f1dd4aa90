// SPDX-License-Identifier: Apache-2.0
//
// Writes timelines for Paraver: a .prv file with the states of each worker and an event at each
// begin and end of a task body; the .pcf beside it names states, event types and values, the .row
// the workers.
#pragma once

#include <cstdio>
#include <ctime>
#include <span>

#include "trace/clock.hpp"
#include "trace/timeline.hpp"

namespace myr::trace {

// The event "a task begins": its value is the number, from 1, of the place where the task was
// spawned, or 0 when none runs any more; when a task inside another ends, that of the outer one. "A
// steal": the number of tasks.
inline constexpr unsigned kTaskEventType = 9'000'001;
inline constexpr unsigned kStealEventType = 9'000'002;

struct ParaverFiles {
  std::FILE* prv;
  std::FILE* pcf;
  std::FILE* row;
};

// `timelines`: by worker, with Detail::AllStates. `date`: in local time, for the header. Errors:
// those of the files.
void write_paraver(const ParaverFiles& out, std::span<const Timeline> timelines, const Clock& clock,
                   const std::tm& date);

}  // namespace myr::trace
