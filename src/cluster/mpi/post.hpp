// SPDX-License-Identifier: Apache-2.0
//
// Post: what one agent of a job says to others and hears from them: messages of `proto` to its
// neighbours, and what processes tell each other beside these.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/ring.hpp"
#include "cluster/mpi/bytes.hpp"
#include "proto/messages.hpp"
#include "sched/host.hpp"
#include "sched/topology.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

using proto::AgentId;
using transport::mpi::Range;
using transport::mpi::Rank;

// Main's worker has the rank 0, as main's output, input and exit status are those of the job.
[[nodiscard]] unsigned rank_of(const sched::Topology& topology, AgentId agent);
[[nodiscard]] AgentId agent_at(const sched::Topology& topology, unsigned rank);

// What a message between processes is about: its first byte.
enum class Kind : std::uint8_t {
  Hello,     // to rank 0: a Greeting
  Welcome,   // from there: all have come, and are as they should be
  Start,     // from there: the machine starts
  Message,   // of `proto`, to a neighbour
  Fetch,     // to a worker: the ranges of its memory that it is to send
  Cancel,    // to a worker: a region's tasks need not run any more
  Return,    // to a worker: what a task has written to memory that it was lent
  Share,     // to a worker: what a variable of the program holds
  Changed,   // to a worker, in tests: which variables of the program main has changed
  Happened,  // to a worker: an event that it has made
  Taken,     // to a worker: its Return has been taken
  Shared,    // to a worker: its Share, Changed or Cancel has been
  Sample,    // to main's worker: for how long one of main's tasks was where it ran
  Wanting,   // to a worker: its sender has nothing to do, or has again
  Alive,     // to rank 0, and from there: its sender goes on
  Data,      // between workers of SPMD: which regions and objects follow, and where they are
  Barrier,   // between them: its sender has come that far
  Stop,      // from rank 0: nothing is left to do
  Time,      // from rank 0: what time is it there? And the answer
  Usage,     // to rank 0: what the agent has done
  Timeline,  // to rank 0: the same of one of its threads, and when
  Farewell,  // nothing comes after this
  Leave,     // from rank 0: the program ends
};

[[nodiscard]] Bytes make_bytes(Kind kind, std::span<const std::byte> content = {});

class Post {
 public:
  Post(Rank& rank, const sched::Topology& topology) : rank_(rank), topology_(topology) {}

  [[nodiscard]] Rank& rank() noexcept { return rank_; }
  void send(AgentId neighbour, const proto::Message& message);
  void send(unsigned rank, Kind kind, std::span<const std::byte> content = {}) {
    rank_.send(rank, make_bytes(kind, content));
  }

  // Takes what has come. False: nothing, or all of this machine's.
  bool look();
  [[nodiscard]] std::optional<sched::Incoming> take_message();
  struct Notice {
    Kind kind;
    unsigned from;
    Bytes bytes;  // with the kind
    [[nodiscard]] std::span<const std::byte> content() const { return std::span(bytes).subspan(1); }
  };
  [[nodiscard]] std::optional<Notice> take_notice();

  // What has been taken, for usage.
  [[nodiscard]] std::uint64_t message_count() const noexcept { return message_count_; }
  [[nodiscard]] std::uint64_t message_bytes() const noexcept { return message_bytes_; }

 private:
  Rank& rank_;
  const sched::Topology& topology_;
  base::Ring<sched::Incoming> messages_;
  base::Ring<Notice> notices_;
  std::deque<transport::mpi::Received> ahead_;  // what drain() is to have
  bool is_over_ = false;                        // what comes now is not for this machine's agents
  std::uint64_t message_count_ = 0;
  std::uint64_t message_bytes_ = 0;
};

// What all ranks do between two parts of the job's life: returns when nothing of the part before is
// on its way to any of them. `silence_ns`: see Alarm. `heard`: what comes of it meanwhile.
void drain(Rank& rank, std::uint64_t silence_ns,
           const std::function<void(const Post::Notice&)>& heard);

}  // namespace myr::cluster::mpi
