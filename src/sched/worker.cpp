// SPDX-License-Identifier: Apache-2.0
#include "sched/worker.hpp"

#include <cstddef>
#include <utility>
#include <variant>

#include "base/contract.hpp"

namespace myr::sched {

void Worker::receive(proto::Message&& message) {
  std::visit(
      [this](auto& body) {
        if constexpr (requires { handle(body); }) {
          handle(body);
        } else if constexpr (requires { steps_.handle(body); }) {
          steps_.handle(body);
        } else if constexpr (requires { hands_.take_answer(std::move(body)); }) {
          hands_.take_answer(std::move(body));
        } else {
          MYR_ASSERT(false);  // a message for schedulers
        }
      },
      message.body);
}

void Worker::handle(proto::Execute& message) {
  queue_.push_back({.work = std::move(message.work)});
  fetch_ahead();
}

// ---- steps that are replayed --------------------------------------------------------------------

void Worker::handle(proto::Replay& message) {
  queue_.push_back({.work = steps_.work_of(message)});
  fetch_ahead();
}

// ---- waits, and tasks that others want ----------------------------------------------------------

void Worker::handle(proto::WaitOver& message) {
  returning_.push_back(message.task);
  proto::Work wait;
  wait.task = message.task;
  wait.pieces = std::move(message.pieces);
  hands_.fetch(wait);
}

void Worker::fetched(proto::TaskId task) {
  if (std::erase(returning_, task) != 0) {
    resumable_.push_back(task);
    run_next();
    return;
  }
  std::size_t index = 0;
  while (index < queue_.size() && queue_[index].work.task != task) index += 1;
  MYR_ASSERT(index < queue_.size() && queue_[index].is_fetching);
  queue_[index].is_fetched = true;
  run_next();
  answer_requests();
}

void Worker::waits(proto::TaskId task) {
  MYR_ASSERT(running_ == task);
  running_.reset();
  run_next();
  answer_requests();
}

void Worker::ended(proto::TaskId task) { waits(task); }

void Worker::handle(proto::GiveBack& message) {
  requests_.push_back(message.top);
  answer_requests();
}

// What is on its way here comes first: then it is known who has it.
void Worker::answer_requests() {
  std::erase_if(requests_, [this](AgentId top) { return answer(top); });
}

// With the last task in the queue that may leave; false: its data is on its way. A task that is to
// write has been given what was there, and nobody else may have it any more; what it only reads may
// overlap that.
bool Worker::answer(AgentId top) {
  proto::GivenBack given{.top = top};
  for (std::size_t i = queue_.size(); i-- > 0;) {
    Waiting& last = queue_[i];
    if (!last.work.may_leave_for(top)) continue;
    if (last.is_fetching && !last.is_fetched) return false;
    given.work = std::move(last.work);
    for (proto::Piece& piece : given.work.pieces) {
      const bool is_brought = last.is_fetched && piece.is_read && piece.producer != proto::kNoAgent;
      if (is_brought) piece.producer = self_;
    }
    queue_.erase(i);
    fetch_ahead();
    break;
  }
  hands_.give_back(std::move(given));
  return true;
}

// The first in the queue, and `prefetch_` behind it.
void Worker::fetch_ahead() {
  for (std::size_t i = 0; i < queue_.size() && i <= prefetch_; ++i) {
    if (std::exchange(queue_[i].is_fetching, true)) continue;
    hands_.fetch(queue_[i].work);
  }
}

void Worker::run_next() {
  if (running_) return;
  if (!resumable_.empty()) {
    running_ = resumable_.front();
    resumable_.pop_front();
    hands_.go_on(*running_);
    return;
  }
  if (queue_.empty() || !queue_.front().is_fetched) return;
  const proto::Work work = std::move(queue_.front().work);
  queue_.pop_front();
  running_ = work.task;
  hands_.begin(work);
  fetch_ahead();
}

}  // namespace myr::sched
