// SPDX-License-Identifier: Apache-2.0
//
// Network: the way of data between the processes of a job, all of them in this one: what MPI leaves
// open happens when chance wants. Each range of a transfer is read at some time after it was given,
// written at some time after that, and each side is told at some time after it was its last one.
// What one process asks of another arrives in order, and the first that it gives comes where the
// other has awaited its first, and so on: see DataWire.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/byte_map.hpp"
#include "cluster/mpi/data_wire.hpp"
#include "versions.hpp"

namespace myr::sim_test {

class Machine;

class Network {
 public:
  using Fetch = proto::Fetch;
  using Range = cluster::mpi::DataWire::Range;
  using Request = cluster::mpi::DataWire::Request;

  explicit Network(Machine& machine) noexcept : machine_(machine) {}

  // What a process is told, between two of its handlings.
  class Ears {
   public:
    virtual void asked(const Fetch& wanted, proto::AgentId by) = 0;
    virtual void look() = 0;  // a request may be over

   protected:
    ~Ears() = default;
  };
  class End final : public cluster::mpi::DataWire {
   public:
    End(Network& network, proto::AgentId self, Ears& ears) : network_(network), self_(self) {
      network.ears_[self] = &ears;
    }
    void ask(proto::AgentId worker, Fetch wanted) override;
    Request fetch(std::span<const Range> here, proto::AgentId from) override;
    Request give(std::span<const Range> ranges, proto::AgentId to) override;
    bool is_over(Request request) override;
    void overwrite(const Range& range) override;

   private:
    void assert_untouched(const Range& range) const;

    Network& network_;
    proto::AgentId self_;
    base::ByteMap<Request> awaited_;  // MPI forbids to touch it
  };

  [[nodiscard]] bool is_idle() const noexcept { return waiting_ == 0; }
  [[nodiscard]] std::uint64_t transfer_count() const noexcept { return next_request_ / 2; }

 private:
  using Way = std::pair<proto::AgentId, proto::AgentId>;  // from, to
  // One side of a transfer.
  struct Side {
    Request request;
    std::vector<Range> ranges;
  };
  struct Transfer {
    Way way;
    Side sent;
    Side awaited;
    std::size_t unread;
    std::size_t unwritten;
  };

  [[nodiscard]] Side new_side(std::span<const Range> ranges);
  void match(const Way& way);
  void move(const std::shared_ptr<Transfer>& transfer, const Range& range);
  void tell_over(proto::AgentId agent, Request request);

  Machine& machine_;
  std::map<proto::AgentId, Ears*> ears_;
  std::map<Way, std::deque<Fetch>> asked_;
  std::map<Way, std::deque<Side>> sent_;
  std::map<Way, std::deque<Side>> awaited_;
  std::set<Request> over_;
  std::uintptr_t next_request_ = 0;
  std::size_t waiting_ = 0;  // sides without the other one
};

}  // namespace myr::sim_test
