// SPDX-License-Identifier: Apache-2.0
//
// Transfers: the data of a process on its way to others, and that of others on its way here. What
// tasks only read is remembered with its version, so that the next reader need not fetch it again,
// and waits for what another one has asked for.
//
// Invariant: no two transfers bring the same bytes at a time.
//
// Threads: one at a time.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <unordered_map>
#include <vector>

#include "cluster/mpi/copies.hpp"
#include "cluster/mpi/data_wire.hpp"
#include "cluster/mpi/parcel.hpp"

namespace myr::cluster::mpi {

class Transfers {
 public:
  using Range = DataWire::Range;

  // `poisons`: what this process has no valid copy of any more is overwritten.
  Transfers(DataWire& wire, AgentId self, bool poisons)
      : wire_(wire), self_(self), poisons_(poisons) {}

  // Brings what a task or a wait needs, one transfer from each process that has some of it; then
  // settle() calls `then`. `lender`: who has the loans.
  void fetch(const proto::Pieces& pieces, AgentId lender, std::span<const Loan> loans,
             std::function<void()> then);
  // Brings what was not brought with these pieces, as it was to be written; it has not been.
  void fetch_unread(const proto::Pieces& pieces, std::function<void()> then);
  // Another process asks for what is here.
  void give(const proto::Fetch& wanted, AgentId by);
  // Takes note of what is over.
  void settle();

  // Is some data on its way? MPI may need many looks to bring it.
  [[nodiscard]] bool are_under_way() const noexcept {
    return !arriving_.empty() || !leaving_.empty();
  }
  [[nodiscard]] std::uint64_t fetched_bytes() const noexcept { return fetched_bytes_; }

 private:
  // Something that is complete when all transfers of it are over.
  struct Group {
    unsigned missing;
    std::function<void()> then;
  };
  using GroupId = std::uint64_t;
  // Data on its way here.
  struct Arriving {
    Copies::Arrival number;
    DataWire::Request request;
    std::vector<GroupId> groups;  // which wait for it
  };
  // Data on its way to somebody.
  struct Leaving {
    DataWire::Request request;
    std::vector<Range> given_up;  // of which this process has no valid copy then
  };

  // What is to be asked of one process.
  struct Wanted {
    Copies::Arrival number;
    proto::Fetch fetch = {};
    std::vector<Range> here = {};
  };

  void fetch_loans(GroupId group, AgentId lender, std::span<const Loan> loans);
  void want(const proto::Piece& piece, GroupId group, std::map<AgentId, Wanted>& wanted);
  void ask(AgentId producer, GroupId group, Wanted wanted);
  void keep(const proto::Piece& piece);
  void note(const Range& range, std::uint64_t version, Copies::Arrival number);
  void wait_for(Copies::Arrival number, GroupId group);
  void one_is_here(GroupId group);

  DataWire& wire_;
  const AgentId self_;
  const bool poisons_;
  std::vector<Arriving> arriving_;  // by number
  std::vector<Leaving> leaving_;
  Copies copies_;
  Copies::Arrival next_arrival_ = 0;
  std::unordered_map<GroupId, Group> groups_;
  GroupId next_group_ = 0;
  std::vector<std::function<void()>> complete_;
  std::uint64_t fetched_bytes_ = 0;
};

}  // namespace myr::cluster::mpi
