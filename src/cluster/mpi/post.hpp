// SPDX-License-Identifier: Apache-2.0
//
// Post: what one agent of a job says to others and hears from them: messages to its neighbours, and
// notices, the frames that are no messages, from process to process.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/ring.hpp"
#include "cluster/mpi/data_wire.hpp"
#include "proto/frames.hpp"
#include "sched/host.hpp"
#include "sched/topology.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

using proto::AgentId;
using transport::mpi::Bytes;
using transport::mpi::Range;
using transport::mpi::Rank;

// Main's worker has the rank 0, as main's output, input and exit status are those of the job.
[[nodiscard]] unsigned rank_of(const sched::Topology& topology, AgentId agent);
[[nodiscard]] AgentId agent_at(const sched::Topology& topology, unsigned rank);

[[nodiscard]] Bytes make_bytes(const proto::Frame& frame);

class Post final : public DataWire {
 public:
  Post(Rank& rank, const sched::Topology& topology) : rank_(rank), topology_(topology) {}

  [[nodiscard]] Rank& rank() noexcept { return rank_; }
  void send(AgentId neighbour, proto::Message&& message);
  void send(unsigned rank, const proto::Frame& notice) { rank_.send(rank, make_bytes(notice)); }

  // ---- DataWire
  void ask(AgentId worker, proto::Fetch wanted) override {
    send(rank_of(topology_, worker), std::move(wanted));
  }
  [[nodiscard]] Request fetch(std::span<const Range> here, AgentId from) override {
    return rank_.fetch(here, rank_of(topology_, from));
  }
  [[nodiscard]] Request give(std::span<const Range> ranges, AgentId to) override {
    return rank_.give(ranges, rank_of(topology_, to));
  }
  [[nodiscard]] bool is_over(Request request) override { return rank_.is_over(request); }
  void overwrite(const Range& range) override;

  // Takes what has come. False: nothing, or only of this machine.
  bool look();
  [[nodiscard]] std::optional<sched::Incoming> take_message();
  struct Notice {
    proto::Frame frame;
    unsigned from;
    Bytes bytes;  // in which the frame's views lie
  };
  [[nodiscard]] static Notice read(transport::mpi::Received received);
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
