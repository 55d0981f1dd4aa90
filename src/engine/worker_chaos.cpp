// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: what it does instead under MYR_CHAOS. Every task is queued, whichever ready
// one comes next is a matter of chance, and before and after its body time may pass: so an order
// that nothing enforces is soon another one.
#include <utility>

#include "engine/engine.hpp"
#include "engine/worker.hpp"

namespace myr::engine {

using graph::Task;

// The task was linked. Now and then, and when many are queued, its spawner runs some ready one: not
// sooner, since a program that goes wrong if a task starts late has to show that.
void Worker::help_in_chaos() {
  constexpr std::uint64_t kHelpOneIn = 16;
  chaos_->delay();
  const bool is_full = ring_.size_hint() > kReadyEnough || task_->interior->live() > kLiveEnough;
  if (!is_full && !chaos_->dice().one_in(kHelpOneIn)) return;
  if (!stacks_.has_room()) return;
  Task* task = find_at_random();
  if (task == nullptr) return;
  if (is_further_down(*task)) {
    run_chain(task);
  } else {
    put_back(task);
  }
}

// As run_chain(), but what the task has made ready is queued.
void Worker::run_in_chaos(Task* task) {
  chaos_->delay();
  sample_left_ = 1;  // time_body() delays behind the body, where others do not pay for it
  run(task);
  if (Task* next = std::exchange(next_, nullptr)) make_ready(next);
}

// It may be any ready task that there is.
Task* Worker::find_at_random() {
  if (Task* task = take_common()) return task;
  if (outside_ != nullptr) {
    Task* const task = outside_->take(*this);
    if (task != nullptr && chaos_->dice().one_in(2)) return task;
    if (task != nullptr) put_back(task);
  }
  const unsigned count = engine_.queue_count();
  const auto first = static_cast<unsigned>(chaos_->dice().below(count));
  for (unsigned i = 0; i < count; ++i) {
    Worker& victim = engine_.worker((first + i) % count);
    if (victim.ready_hint() == 0) continue;
    const auto place = static_cast<std::uint32_t>(chaos_->dice().below(kRingCapacity));
    if (Task* task = victim.thief_take_at(place)) return task;
  }
  return outside_ == nullptr ? nullptr : outside_->take(*this);
}

}  // namespace myr::engine
