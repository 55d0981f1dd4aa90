// SPDX-License-Identifier: Apache-2.0
//
// Scheduler: one scheduler of a tree machine (paper 1): an event handler without threads, clock or
// wires. A message comes in, messages go out.
//
//   Scheduler            takes messages, passes on those for others
//     -> TaskTable        tasks at home here: spawn, grant, place, end
//     -> QueueTree       dependences on the regions and objects here (layer deps)
//     -> RegionTable      regions here: tree, producers, packing
//     -> PageDirectory        memory here and below, traded with other schedulers
//     -> Placer          scores and loads of the children
//     -> StepKeeper       steps that main marks; StepPortions: what of them runs on workers here
//     -> TakeBack        tasks that wait below, for workers that have nothing to do
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deps/queue_tree.hpp"
#include "sched/environment.hpp"
#include "sched/link.hpp"
#include "sched/page_directory.hpp"
#include "sched/placer.hpp"
#include "sched/region_table.hpp"
#include "sched/take_back.hpp"
#include "sched/task_table.hpp"

namespace myr::sched {

using proto::kMain;

struct Options {
  unsigned load_percent = 80;     // see Placer
  bool moves_data = true;         // workers share no memory
  bool runs_tasks = true;         // false: workers use regions as they like, and say what moves
  unsigned threads = 1;           // of each worker
  bool takes_back = false;        // workers give back, while they run a task, what has not begun
  proto::PageRun memory = {};     // all pages that regions may use; for the top, at least one
  std::uint64_t spare_pages = 8;  // see PageDirectory
  std::optional<std::uint64_t> chaos = {};  // a seed: tasks are chosen and placed at random
};

class Scheduler final : private deps::Effects {
 public:
  // All outlive the scheduler.
  Scheduler(const Topology& topology, AgentId self, const Options& options,
            Environment& environment, Store& store);

  // `from`: the neighbour that the message came from.
  void receive(AgentId from, proto::Message&& message);

  // Does one thing that it has put off, so that messages need not wait. False: there is nothing.
  bool go_on();
  [[nodiscard]] bool has_more() const noexcept { return link_.has_put_off(); }

  // Everything has ended.
  [[nodiscard]] bool is_idle() const noexcept {
    return tasks_.task_count() == 0 && pages_.is_idle() && steps_.is_idle() && portions_.is_idle();
  }
  [[nodiscard]] const PageMap& pages() const noexcept { return pages_.pages(); }
  // Checks all its parts: nullptr, or what does not hold between two events. Cost: O(all here).
  [[nodiscard]] const char* broken_invariant() const;

 private:
  void granted(proto::TaskId task, NodeId target, NodeId above) override;
  void hand_down(deps::Use use, deps::Ways ways) override;
  void hand_up(NodeId node, const deps::Ended& ended) override;
  void refuse(proto::TaskId task, NodeId target);

  void pass_on(AgentId from, proto::Message&& message);
  void comes_back(AgentId worker, proto::TaskId task);
  void handle_own();
  void settle();
  void dispatch(AgentId from, proto::Body& body);
  void enter(AgentId from, proto::Enter& message);
  void arrive(proto::Arrive& message);
  void tell_granted();
  std::size_t tell_granted(std::size_t next);
  void tell_granted_region(proto::TaskId task, NodeId region);
  void tell_load();

  Link link_;
  deps::QueueTree queues_;
  Placer placer_;
  PageDirectory pages_;
  RegionTable regions_;
  StepKeeper steps_;
  StepPortions portions_;
  TaskTable tasks_;
  TakeBack take_back_;
  struct Grant {
    proto::TaskId task;
    NodeId node;
    NodeId above;
  };
  std::vector<Grant> granted_;  // while the present message is handled
};

}  // namespace myr::sched
