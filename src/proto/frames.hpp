// SPDX-License-Identifier: Apache-2.0
//
// Frames: what one process of a job sends to another: a message from agent to agent, or something
// about processes, of which agents know nothing: memory that is to be sent, the job's beginning and
// end, what has been measured. Described by their structs, as messages are.
//
// Addresses mean something to the process whose memory it is; a place is one in the program, which
// all processes have. `asker`: something of the sender's, which comes back with the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "proto/messages.hpp"

namespace myr::proto {

// Bytes that lie in the sender's memory; when they have come, in the frame's own bytes.
using BytesView = std::span<const std::byte>;

// ---- the life of the job ------------------------------------------------------------------------

// From rank 0: all have come, and are as they should be.
struct Welcome {};
// To rank 0, before anything else.
struct Hello {
  std::string program;      // the build
  std::string environment;  // what the ranks must have in common, a line for each variable
  std::string error;        // of what this rank has been told; mostly none
  std::string processors;   // to which, of which computer, the launcher has bound it; mostly none
  bool is_of_job = false;   // false: a program by itself, which may differ from others
  std::uint64_t processor_count = 0;  // of its processors
  std::uint64_t threads = 0;          // that run tasks there
};
// From rank 0: the machine starts, and what rank 0 wants to be told of it in the end.
struct Start {
  bool times = false;
  bool timelines = false;
  std::uint8_t detail = 0;  // of these: a trace::Detail
  [[nodiscard]] bool any() const noexcept { return times || timelines; }
};
// From there: nothing is left to do.
struct Stop {};
// Nothing comes after this that is about the same machine.
struct Farewell {};
// From rank 0: the program ends.
struct Leave {};
// To rank 0, and from there: its sender goes on.
struct Alive {};
// From rank 0: what time is it there? And the answer.
struct AskTime {
  bool has_enough = false;  // none is wanted any more
};
struct TellTime {
  std::uint64_t ticks = 0;
};

// ---- memory of workers --------------------------------------------------------------------------

// What the receiver is to send of its memory.
struct Asked {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool is_written = false;    // by the asker: it is of no use here then
  std::uint64_t version = 0;  // 0: nobody knows
};
struct Fetch {
  std::vector<Asked> ranges;
};
// What a task has written to memory that it was lent; and it has been taken.
struct LentBytes {
  std::uint64_t address = 0;
  BytesView bytes = {};
};
struct Return {
  TaskId task = 0;
  std::vector<LentBytes> memory;
};
struct Taken {
  TaskId task = 0;
};

// ---- what all workers are to know: each answers with Shared -------------------------------------

// What a variable of the program holds.
struct Share {
  std::uint64_t asker = 0;
  std::uint64_t place = 0;
  BytesView bytes = {};
};
// In tests: which variables of the program main has changed.
struct ChangedVariable {
  std::uint64_t place = 0;
  std::uint64_t bytes = 0;
  std::string name;
};
struct Changed {
  std::uint64_t asker = 0;
  std::vector<ChangedVariable> variables;
};
// The region's tasks need not run any more.
struct Cancel {
  std::uint64_t asker = 0;
  std::uint64_t region = 0;
};
struct Shared {
  std::uint64_t asker = 0;
};

// ---- from worker to worker ----------------------------------------------------------------------

// An event that the receiver has made has happened.
struct Happened {
  std::uint64_t event = 0;
  std::uint64_t place = 0;         // of the call
  std::vector<std::byte> failure;  // as in Failure; none: it has not failed
};
// To main's: for how long one of main's tasks was where it ran.
struct Sample {
  std::uint64_t ticks = 0;
};
// Its sender has nothing to do, or has again.
struct Wanting {
  bool wants = false;
};
// For SPMD: its sender has come that far.
struct Barrier {};
// For SPMD: these regions and objects are the receiver's, and these ranges follow.
struct Stretch {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};
struct Offer {
  std::vector<std::uint64_t> regions;
  std::vector<std::uint64_t> objects;
  std::vector<Stretch> ranges;
};

// ---- to rank 0: what an agent has done ----------------------------------------------------------

struct Usage {
  std::uint64_t task_ticks = 0;  // in tasks, or in main
  std::uint64_t runtime_ticks =
      0;  // a worker's in calls and between tasks; a scheduler's scheduling
  std::uint64_t memory_ticks = 0;  // of a scheduler: allocating, freeing, trading pages
  std::uint64_t wait_ticks = 0;    // of a worker: for answers, and for the data of the next task
  std::uint64_t idle_ticks = 0;
  std::uint64_t tasks = 0;           // run
  std::uint64_t messages = 0;        // taken
  std::uint64_t message_bytes = 0;   // of these
  std::uint64_t fetched_bytes = 0;   // from other workers, where memory is not shared
  std::uint64_t kept_tasks = 0;      // that no other process could run
  std::uint64_t replayed_tasks = 0;  // of recorded steps that were not analysed
  // For a master: pairs of a task and a block that it waits for, and those of them where it has no
  // byte in common with the task that it waits for.
  std::uint64_t conflicts = 0;
  std::uint64_t false_conflicts = 0;
};
// One of its threads, and when: what a trace::Timeline holds.
struct TimelineRun {
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;
  std::uint64_t task = 0;
  std::uint64_t place = 0;
};
struct TimelineSpan {
  std::uint64_t begin_ticks = 0;
  std::uint64_t end_ticks = 0;
  std::uint32_t state = 0;
};
struct TimelineSteal {
  std::uint64_t ticks = 0;
  std::uint32_t victim = 0;
  std::uint32_t task_count = 0;
};
struct Timeline {
  std::uint64_t track = 0;
  std::uint64_t dropped = 0;
  std::uint64_t full_ticks = 0;
  std::vector<TimelineRun> runs;
  std::vector<TimelineSpan> spans;
  std::vector<TimelineSteal> steals;
};

using Frame = std::variant<Welcome, Hello, Message, Start, Stop, Farewell, Leave, Alive, AskTime,
                           TellTime, Fetch, Return, Taken, Share, Changed, Cancel, Shared, Happened,
                           Sample, Wanting, Barrier, Offer, Usage, Timeline>;

}  // namespace myr::proto
