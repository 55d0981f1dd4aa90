// SPDX-License-Identifier: Apache-2.0
//
// QueuedTree: the schedulers of a tree, in one thread, for tests and benchmarks. Whatever is under
// way lies in one queue and is delivered in the order in which it was sent. Workers are played by
// the owner.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "sched/host.hpp"

namespace myr::sched {

class QueuedTree {
 public:
  using MakeStore = std::function<std::unique_ptr<Store>()>;
  // Takes what has come to a worker. May send.
  using TakeForWorker = std::function<void(AgentId worker, proto::Message&& message)>;

  // The topology outlives the tree.
  QueuedTree(const Topology& topology, const Options& options, const MakeStore& make_store,
             TakeForWorker take)
      : topology_(topology), take_(std::move(take)), agents_(topology.agent_count()) {
    for (const AgentId agent : topology.schedulers()) {
      agents_[agent] = std::make_unique<Agent>(*this, agent, options, make_store());
    }
  }

  // From a worker.
  void send(AgentId worker, proto::Message&& message) {
    put(worker, topology_.next_hop(worker, message.to), std::move(message));
  }
  // Until nothing is under way.
  void deliver() {
    while (!under_way_.empty()) {
      const AgentId at = under_way_.front().at;
      if (topology_.is_worker(at)) {
        proto::Message message = std::move(under_way_.front().incoming.message);
        under_way_.pop_front();
        take_(at, std::move(message));
      } else {
        handled_ += 1;
        auto& host = agents_[at]->host;
        do static_cast<void>(host.serve());
        while (host.scheduler().has_more());
      }
    }
  }
  // Messages that schedulers have handled or passed on.
  [[nodiscard]] std::uint64_t handled() const noexcept { return handled_; }

 private:
  struct AgentWire {
    QueuedTree& tree;
    AgentId self;

    void send(AgentId next_hop, proto::Message&& message) {
      tree.put(self, next_hop, std::move(message));
    }
    std::optional<Incoming> receive() {
      if (tree.under_way_.empty() || tree.under_way_.front().at != self) return {};
      std::optional<Incoming> front(std::move(tree.under_way_.front().incoming));
      tree.under_way_.pop_front();
      return front;
    }
    void misuse(Misuse, std::uint64_t, const proto::Access&) {
      MYR_ASSERT(false);  // the owner plays no such programs
    }
  };
  struct Agent {
    Agent(QueuedTree& tree, AgentId self, const Options& options, std::unique_ptr<Store> store)
        : wire{tree, self}, host(tree.topology_, self, options, wire, std::move(store)) {}
    AgentWire wire;
    Host<AgentWire> host;
  };
  struct UnderWay {
    AgentId at;  // where it comes to next
    Incoming incoming;
  };

  void put(AgentId from, AgentId at, proto::Message&& message) {
    under_way_.push_back({.at = at, .incoming = {.from = from, .message = std::move(message)}});
  }

  const Topology& topology_;
  TakeForWorker take_;
  std::vector<std::unique_ptr<Agent>> agents_;  // none for workers
  std::deque<UnderWay> under_way_;
  std::uint64_t handled_ = 0;
};

}  // namespace myr::sched
