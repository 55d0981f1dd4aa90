// SPDX-License-Identifier: Apache-2.0
#include "sched/scheduler.hpp"

#include <optional>
#include <type_traits>
#include <utility>

#include "base/contract.hpp"

namespace myr::sched {

using proto::kNoAgent;

namespace {

// The task that leaves its worker to others, as the message says: it waits, ends or goes elsewhere.
struct Leaving {
  proto::TaskId task;
  bool waits;
};
std::optional<Leaving> leaving_task(const proto::Body& body) {
  if (const auto* spawn = std::get_if<proto::Spawn>(&body)) {
    if (spawn->task->purpose == proto::Purpose::Wait) return Leaving{spawn->task->parent, true};
  } else if (const auto* ended = std::get_if<proto::BodyEnded>(&body)) {
    return Leaving{ended->task, false};
  } else if (const auto* waiting = std::get_if<proto::WaitAll>(&body)) {
    return Leaving{waiting->task, true};
  } else if (const auto* given = std::get_if<proto::GivenBack>(&body)) {
    if (given->work.task != kMain) return Leaving{given->work.task, false};
  } else if (const auto* run = std::get_if<proto::StepRun>(&body)) {
    if (run->waits) return Leaving{kMain, true};
  }
  return {};
}

}  // namespace

Scheduler::Scheduler(const Topology& topology, AgentId self, const Options& options,
                     Environment& environment, Store& store)
    : link_(topology, self, environment),
      queues_(*this),
      placer_(topology, self,
              {.load_percent = options.load_percent,
               .moves_data = options.moves_data,
               .threads = options.threads,
               .takes_back = options.takes_back},
              options.chaos),
      pages_(link_, store, options.memory, options.spare_pages),
      regions_(link_, store, queues_, placer_, pages_,
               {.moves_data = options.moves_data, .runs_tasks = options.runs_tasks}),
      steps_(link_, placer_),
      portions_(
          link_, placer_,
          options.moves_data ? StepPortions::Give{}
                             : [this](proto::Work work) { tasks_.place(std::move(work)); }),
      tasks_(link_, queues_, regions_, placer_, steps_, portions_, options.moves_data),
      take_back_(link_, placer_, tasks_, options.takes_back) {
  const AgentId main_worker = topology.workers().front();
  if (topology.is_within(main_worker, self)) comes_back(main_worker, kMain);
  if (self != proto::kTop) return;
  tasks_.adopt_main(kMain, main_worker);
  queues_.hold(kMain, proto::kRootRegion);
}

void Scheduler::receive(AgentId from, proto::Message&& message) {
  if (message.to != link_.self()) {
    pass_on(from, std::move(message));
  } else {
    if (const auto leaving = leaving_task(message.body)) {
      placer_.task_left(from, leaving->task, leaving->waits);
    }
    dispatch(from, message.body);
  }
  settle();
}

bool Scheduler::go_on() {
  if (!link_.has_put_off()) return false;
  proto::Body body = link_.take_put_off();
  dispatch(link_.self(), body);
  settle();
  return true;
}

// Something has been handled: does what follows from it.
void Scheduler::settle() {
  handle_own();
  tasks_.place_kept();
  handle_own();  // the one that has placed a task may be its home
  take_back_.ask_if_due();
  pages_.give_back();
  tell_load();
}

void Scheduler::pass_on(AgentId from, proto::Message&& message) {
  if (const auto leaving = leaving_task(message.body)) {
    placer_.task_left(from, leaving->task, leaving->waits);
    if (!link_.topology().is_within(message.to, link_.self())) placer_.left_for_above();
  }
  if (const auto* over = std::get_if<proto::WaitOver>(&message.body)) {
    comes_back(message.to, over->task);
  }
  link_.environment().send(std::move(message));
}

// A task goes back to its worker through here.
void Scheduler::comes_back(AgentId worker, proto::TaskId task) {
  placer_.sent_from_above();
  placer_.task_returns(worker, task);
}

void Scheduler::handle_own() {
  link_.deliver_own([this](proto::Body& body) { dispatch(link_.self(), body); });
}

void Scheduler::dispatch(AgentId from, proto::Body& body) {
  link_.environment().handling(body);
  std::visit(
      [&](auto& message) {
        using Type = std::remove_reference_t<decltype(message)>;
        if constexpr (std::is_same_v<Type, proto::Enter>) {
          enter(from, message);
        } else if constexpr (std::is_same_v<Type, proto::Arrive>) {
          arrive(message);
        } else if constexpr (std::is_same_v<Type, proto::EndedBelow>) {
          queues_.ended_below(message.node, message.ended);
        } else if constexpr (std::is_same_v<Type, proto::Done>) {
          queues_.done(message.task, {message.nodes.begin(), message.nodes.end()});
        } else if constexpr (std::is_same_v<Type, proto::Load>) {
          placer_.report(from, message);
        } else if constexpr (requires { pages_.handle(from, message); }) {
          pages_.handle(from, message);
        } else if constexpr (requires { take_back_.handle(from, message); }) {
          take_back_.handle(from, message);
        } else if constexpr (requires { steps_.handle(message); }) {
          steps_.handle(message);
        } else if constexpr (requires { portions_.handle(message); }) {
          portions_.handle(message);
        } else if constexpr (requires { tasks_.handle(message); }) {
          tasks_.handle(message);
        } else if constexpr (requires { regions_.handle(message); }) {
          regions_.handle(message);
        } else {
          MYR_ASSERT(false);  // a message for workers
        }
      },
      body);
  tell_granted();
}

const char* Scheduler::broken_invariant() const {
  for (const char* broken :
       {queues_.broken_invariant(), placer_.broken_invariant(), pages_.broken_invariant(),
        regions_.broken_invariant(), tasks_.broken_invariant()}) {
    if (broken != nullptr) return broken;
  }
  return granted_.empty() ? nullptr : "a grant has not been told";
}

void Scheduler::tell_load() {
  const AgentId above = link_.topology().parent(link_.self());
  if (above == kNoAgent) return;
  if (const auto load = placer_.take_report(tasks_.kept_count())) link_.send(above, *load);
}

// What a loop reads elsewhere is not checked: its home believes the program.
void Scheduler::enter(AgentId from, proto::Enter& message) {
  const deps::Ways& ways = message.ways;
  const NodeId around = ways.first();
  if (from != link_.self() && around.is_region() && ways.size() == 1 + ways.count) {
    for (const NodeId node : ways.targets()) {
      if (!node.is_region() && !regions_.is_in(node, around)) {
        return refuse(message.use.task, node);
      }
    }
  }
  queues_.enter(message.parent, message.use, std::move(message.ways));
}

// The region may have been freed since the ways were found.
void Scheduler::arrive(proto::Arrive& message) {
  if (queues_.has_region(message.ways.first())) {
    queues_.arrive(message.use, std::move(message.ways));
  } else {
    refuse(message.use.task, message.ways.nodes.back());
  }
}

void Scheduler::refuse(proto::TaskId task, NodeId target) {
  link_.send(proto::home_of(task),
             proto::Granted{.task = task, .nodes = {target}, .pieces = {}, .is_known = false});
}

void Scheduler::granted(proto::TaskId task, NodeId target, NodeId above) {
  if (proto::home_of(task) == link_.self() && tasks_.grant_part(task)) return;
  granted_.push_back({.task = task, .node = target, .above = above});
}

// Tells tasks what they have been granted while one message was handled, and what that holds.
void Scheduler::tell_granted() {
  for (std::size_t next = 0; next < granted_.size();) next = tell_granted(next);
  granted_.clear();
}

// Tells the grants of one task, from `next` on, up to the next region. Returns where others begin.
std::size_t Scheduler::tell_granted(std::size_t next) {
  const proto::TaskId task = granted_[next].task;
  const bool needs_data = proto::needs_data(task);
  proto::Granted message{.task = task, .nodes = {}, .pieces = {}};
  message.pieces.reserve(needs_data ? granted_.size() - next : 0);
  for (; next < granted_.size() && granted_[next].task == task; ++next) {
    const auto& [_, node, above] = granted_[next];
    if (node.is_region() && needs_data) {
      if (!message.nodes.empty()) break;
      tell_granted_region(task, node);
      return next + 1;
    }
    const bool is_known =
        needs_data ? regions_.pack_object(node, above, message.pieces) : regions_.has_node(node);
    if (is_known) {
      message.nodes.push_back(node);
    } else {
      refuse(task, node);
    }
  }
  if (!message.nodes.empty()) link_.send(proto::home_of(task), std::move(message));
  return next;
}

// Tells all that lies in the region, perhaps elsewhere.
void Scheduler::tell_granted_region(proto::TaskId task, NodeId region) {
  const auto grant = [this, task, region](proto::Pieces pieces) {
    link_.send(proto::home_of(task),
               proto::Granted{.task = task, .nodes = {region}, .pieces = std::move(pieces)});
  };
  if (!regions_.pack(region, grant)) refuse(task, region);
}

void Scheduler::hand_down(deps::Use use, deps::Ways ways) {
  const AgentId owner = proto::owner_of_region(ways.first());
  link_.send(owner, proto::Arrive{.use = use, .ways = std::move(ways)});
}

void Scheduler::hand_up(NodeId node, const deps::Ended& ended) {
  link_.send(proto::owner_of_region(node), proto::EndedBelow{.node = node, .ended = ended});
}

}  // namespace myr::sched
