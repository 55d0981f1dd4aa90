// SPDX-License-Identifier: Apache-2.0
//
// What things cost on a simulated chip with a tree of schedulers: a table of the Formic family, one
// of the SCC, and what of it each message costs the agent that handles it (see proto::Effort). Each
// number says its source:
//
//   [paper]       stated in paper 1, in the section named
//   [calibrated]  follows from the three numbers of fig. 7a, see docs/design/simulated-chips.md
//   [guide]       follows from the programmer's guide of the SCC, see scc/chip.hpp
//   [scaled]      as on Formic, times what a step takes here: docs/adr/0044-tree-on-the-scc.md
//   [measured]    by what our code takes, against a step of it
//   [assumed]     stated nowhere
#pragma once

#include <cstdint>

#include "proto/messages.hpp"
#include "transport/sim/event_queue.hpp"

namespace myr::transport::sim {

// What messages travel in: [paper] V-B, a cache line.
inline constexpr std::uint64_t kUnitBytes = 64;

// In cycles of a weak core.
struct Costs {
  // ---- the network
  Cycles round_trip_nearest;      // of a message, on one board
  Cycles round_trip_mesh;         // what crossing the whole mesh of 64 boards adds
  unsigned mesh_hops;             // in that mesh, from corner to corner
  std::uint64_t bytes_per_cycle;  // of a transfer, once it flows
  Cycles dma_start;               // what starting a transfer takes the core
  // ---- strong cores
  unsigned strong_speed_tenths;  // how many times as fast as a weak one
  // ---- messages, by unit of 64 bytes
  unsigned parts_per_unit;  // arguments or ranges
  Cycles send;
  Cycles receive;
  // ---- schedulers
  Cycles step;  // one step of dependence analysis or placement; see steps_to_handle()
  // ---- workers
  Cycles spawn_task;    // a spawn, except for its message
  Cycles spawn_access;  // the same, for each access
  // Instead, where a step is compared with its record: a spawn, for each access, and for each
  // object of a loop.
  Cycles compare_task, compare_access, compare_object;
  Cycles task_start;
  Cycles task_end;
  // ---- programs of ranks (MPI)
  std::uint64_t push_bytes;  // at most, of a message that needs no transfer
  Cycles push;               // what such a message takes the core that sends it
  Cycles combine;            // one number of a reduction
  Cycles combine_double;     // the same, in double precision
  std::uint64_t hertz;       // for programs that measure seconds
};

inline constexpr Costs kFormic{
    .round_trip_nearest = 38,     // [paper] III
    .round_trip_mesh = 131 - 38,  // [paper] III: the farthest core
    .mesh_hops = 9,               // 4 x 4 x 4 boards: 512 cores, eight on a board ([paper] III)
    .bytes_per_cycle = 4,         // [assumed] a word a cycle
    .dma_start = 24,              // [paper] III
    .strong_speed_tenths = 75,    // [paper] VI-A: 7 to 8
    .parts_per_unit = 8,          // of the published code: arguments in a message of 64 bytes
    .send = 300,                  // [paper] V-B: 450 to 750 for sending and taking a message;
    .receive = 300,               //         [assumed] that both are half of the middle
    .step = 8'053,                // [calibrated]
    .spawn_task = 6'300,          // [calibrated] the sum with spawn_access; [assumed] a half each
    .spawn_access = 6'295,
    .compare_task = 3'000,  // [assumed] these three: a call, a lookup, a word
    .compare_access = 1'000,
    .compare_object = 50,
    .task_start = 4'680,  // [calibrated] the sum with task_end; [assumed] a half each
    .task_end = 4'675,
    .push_bytes = 64,       // [paper] V-B: a message is a cache line
    .push = 10,             // [assumed] in round_trip_nearest, which has two of them
    .combine = 10,          // [assumed] two loads, an operation, a store
    .combine_double = 160,  // [assumed] in software: these cores have no unit for it
    .hertz = 10'000'000,    // of the published code: its timer of cycles
};

// A message is two lines of a message buffer of the SCC. Data are not sent.
inline constexpr Costs kScc{
    .round_trip_nearest = 5,    // [guide] the way out of the mesh and into it
    .round_trip_mesh = 42,      // [guide] eight hops there and back
    .mesh_hops = 8,             // from corner to corner
    .bytes_per_cycle = 1,       // not used: no transfers
    .dma_start = 0,             // the same
    .strong_speed_tenths = 10,  // not used: no strong cores
    .parts_per_unit = 8,        // as on Formic
    .send = 250,                // [guide] two lines three hops away; and 117 [scaled]
    .receive = 220,             // [guide] two lines of its own buffer; and 117 [scaled]
    .step = 3'140,  // [scaled] 915 instructions, of which the master's 350 for a block take 1,200
    .spawn_task = 2'460,  // [scaled]
    .spawn_access = 2'450,
    .compare_task = 1'200,  // [assumed] as above
    .compare_access = 400,
    .compare_object = 20,
    .task_start = 1'820,
    .task_end = 1'820,
    .push_bytes = 64,  // for programs of ranks: there are none on this chip
    .push = 0,
    .combine = 0,
    .combine_double = 0,
    .hertz = 533'000'000,
};

// In hundredths of a step, on any chip. [measured] in instructions, of which the six steps of a
// task with one access take 7,000, and those of the recorded steps against what it took when they
// were written: docs/design/sched.md, docs/adr/0088-steps-on-the-tree.md, 0093-ways-together.md.
struct StepShares {
  // For each further access that goes with a first one, which takes a step: to find the way in the
  // same region; to ask its owner for ways; from reaching the target to being placed; to leave.
  std::uint32_t one_more_way = 58, one_more_asked = 36, one_more_reached = 105, one_more_left = 28;
  // A part of a loop: what entering and leaving its accesses takes.
  std::uint32_t enter_part = 45, enter_part_access = 132;
  std::uint32_t leave_part = 15, leave_part_access = 27;
  // A recorded step: for each access, to find out which tasks its task waits for; for each task,
  // what proto::Effort names; and for one that is replayed, to send it to its worker, and its end.
  std::uint32_t put_off = 16, note_task = 26, record_access = 25, share_task = 50, keep_task = 58;
  std::uint32_t replay_begin = 25, replay_end = 50;
};
inline constexpr StepShares kShares;

// Hundredths of the steps that a scheduler takes when it handles a message, from others or from
// itself; when it looks for the ways of a spawn; and before it sends a message that it makes.
[[nodiscard]] std::uint32_t steps_to_handle(const proto::Body& body);
[[nodiscard]] std::uint32_t steps_to_find_ways(std::uint32_t regions, std::uint32_t more);
[[nodiscard]] std::uint32_t steps_to_send(const proto::Body& body);

}  // namespace myr::transport::sim
