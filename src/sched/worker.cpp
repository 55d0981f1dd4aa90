// SPDX-License-Identifier: Apache-2.0
#include "sched/worker.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/contract.hpp"
#include "base/stable_map.hpp"

namespace myr::sched {

void Hands::take_answer(proto::Lent) { MYR_ASSERT(false); }
void Hands::take_answer(proto::Described) { MYR_ASSERT(false); }

void Worker::receive(proto::Body& body) {
  std::visit(
      [this](auto& message) {
        if constexpr (requires { handle(message); }) {
          handle(message);
        } else if constexpr (requires { steps_.handle(message); }) {
          steps_.handle(message);
        } else if constexpr (requires { hands_.take_answer(std::move(message)); }) {
          hands_.take_answer(std::move(message));
        } else {
          MYR_ASSERT(false);  // a message for schedulers
        }
      },
      body);
}

// ---- tasks that come ----------------------------------------------------------------------------

void Worker::handle(proto::Execute& message) {
  if (options_.only_replays_wait) return fetch(std::move(message.work));
  waiting_.push_back(std::move(message.work));
  look_ahead();
}

// Many that use the same data may come at once: the first ones fetch it.
void Worker::handle(proto::Replay& message) {
  waiting_.push_back(steps_.work_of(message));
  look_ahead();
}

void Worker::look_ahead() {
  fetch_more();
  answer_requests();
}

void Worker::fetch_more() {
  while (!waiting_.empty() && fetching_.size() + here_.size() < options_.tasks_ahead) {
    proto::Work work = std::move(waiting_.front());
    waiting_.pop_front();
    fetch(std::move(work));
  }
}

void Worker::fetch(proto::Work&& work) {
  const Ticket ticket = next_ticket_++;
  const bool is_first = fetching_.empty() || !options_.keeps_order;
  if (data_.fetch(ticket, work.pieces, &work)) {
    if (is_first) return is_here(std::move(work), /*is_brought=*/false);
    fetching_.emplace(ticket, Fetching{.work = std::move(work), .is_here = true});
  } else {
    fetching_.emplace(ticket, Fetching{.work = std::move(work)});
  }
}

void Worker::is_here(proto::Work&& work, bool is_brought) {
  Here& last = here_.push_back();
  last.work = std::move(work);
  last.is_brought = is_brought;
  hands_.task_is_here();
}

void Worker::fetched(Ticket ticket) {
  if (const auto wait = returning_.find(ticket); wait != returning_.end()) {
    Returning returning = std::move(wait->second);
    returning_.erase(wait);
    hands_.end_wait(returning.task, std::move(returning.failure));
    return;
  }
  const auto arrived = fetching_.find(ticket);
  MYR_ASSERT(arrived != fetching_.end() && !arrived->second.is_here);
  arrived->second.is_here = true;
  note_here(options_.keeps_order ? fetching_.begin() : arrived);
  answer_requests();
}

const char* Worker::broken_invariant() const {
  base::StableMap<bool> seen;
  bool is_twice = false;
  const auto see = [&](proto::TaskId task) { is_twice |= !seen.try_emplace(task).second; };
  for (std::size_t i = 0; i < waiting_.size(); ++i) see(waiting_[i].task);
  for (std::size_t i = 0; i < here_.size(); ++i) see(here_[i].work.task);
  for (const auto& [ticket, fetching] : fetching_) see(fetching.work.task);
  if (is_twice) return "a task is in two places";
  const bool keeps_back = !fetching_.empty() && fetching_.begin()->second.is_here;
  if (keeps_back) return "a task does not begin, though it is the first";
  std::vector<AgentId> requests = requests_;
  std::sort(requests.begin(), requests.end());
  const bool is_double = std::adjacent_find(requests.begin(), requests.end()) != requests.end();
  return is_double ? "a request has come twice" : nullptr;
}

// Ends that fetch, and with `keeps_order` those behind it.
void Worker::note_here(std::map<Ticket, Fetching>::iterator arrived) {
  while (arrived != fetching_.end() && arrived->second.is_here) {
    proto::Work work = std::move(arrived->second.work);
    arrived = fetching_.erase(arrived);
    is_here(std::move(work), /*is_brought=*/true);
    if (!options_.keeps_order) return;
  }
}

std::optional<proto::Work> Worker::take() {
  if (here_.empty()) return {};
  std::optional<proto::Work> next(std::move(here_.front().work));
  here_.pop_front();
  replayed_count_ += next->place.is_replayed ? 1 : 0;
  return next;
}

// ---- waits, and tasks that others want ----------------------------------------------------------

void Worker::handle(proto::WaitOver& message) {
  const Ticket ticket = next_ticket_++;
  if (data_.fetch(ticket, message.pieces, nullptr)) {
    return hands_.end_wait(message.task, std::move(message.failure));
  }
  returning_.emplace(ticket, Returning{message.task, std::move(message.failure)});
}

void Worker::handle(const proto::GiveBack& message) {
  MYR_ASSERT(std::find(requests_.begin(), requests_.end(), message.top) == requests_.end());
  requests_.push_back(message.top);
  answer_requests();
}

void Worker::answer_requests() {
  if (requests_.empty()) return;
  std::erase_if(requests_, [this](AgentId top) { return answer(top); });
  fetch_more();
}

// Answers with the last task that may leave, which would have to wait longest. False: it is not
// known yet which worker has its data.
bool Worker::answer(AgentId top) {
  proto::GivenBack given{.top = top};
  if (find_for(top, given.work) == Found::Later) return false;
  hands_.give_back(std::move(given));
  return true;
}

Worker::Found Worker::find_for(AgentId top, proto::Work& given) {
  if (const Found found = give_waiting(top, given); found != Found::Nothing) return found;
  if (const Found found = give_here(top, given); found != Found::Nothing) return found;
  const bool is_coming = std::any_of(fetching_.begin(), fetching_.end(), [top](const auto& one) {
    return one.second.work.may_leave_for(top);
  });
  return is_coming ? Found::Later : Found::Nothing;
}

Worker::Found Worker::give_waiting(AgentId top, proto::Work& given) {
  for (std::size_t i = waiting_.size(); i-- > 0;) {
    if (!waiting_[i].may_leave_for(top)) continue;
    if (!data_.give_up(waiting_[i])) return Found::Later;
    given = std::move(waiting_[i]);
    waiting_.erase(i);
    return Found::Task;
  }
  return Found::Nothing;
}

// What was brought for it is here now. The old holder of what a task is to write has given that up,
// and what the task only reads may overlap it.
Worker::Found Worker::give_here(AgentId top, proto::Work& given) {
  for (std::size_t i = here_.size(); i-- > 0;) {
    if (!here_[i].work.may_leave_for(top)) continue;
    if (!data_.give_up(here_[i].work)) return Found::Later;
    given = std::move(here_[i].work);
    const bool is_brought = here_[i].is_brought;
    here_.erase(i);
    for (proto::Piece& piece : given.pieces) {
      if (is_brought && piece.is_read && piece.producer != proto::kNoAgent) piece.producer = self_;
    }
    return Found::Task;
  }
  return Found::Nothing;
}

}  // namespace myr::sched
