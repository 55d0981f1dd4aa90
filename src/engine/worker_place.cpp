// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: tasks for a certain worker, and workers that want to be given one.
//
// A placed task goes to its worker's list of tasks under a lock, where that worker finds it behind
// what is in its own ring, and others that have nothing find it, too. A worker that has looked for
// work in vain a few times begs; a worker that runs something that can be divided takes the beggar,
// and places a part of it there. Both are hints: a worker that begs goes on to look for work, and a
// task that was placed at one that has found other work is there for everybody.
#include "engine/engine.hpp"
#include "engine/worker.hpp"
#include "engine/worker_calls.hpp"

namespace myr::engine {

using graph::Task;

void Worker::submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                       const myr_site* site) {
  auto* task = static_cast<Task*>(draft.task);
  if (is_in_arena()) return submit(draft, body, site);
  task->set(graph::kPlaced);
  task->best = best;
  submit(draft, body, site);
}

unsigned Worker::best_worker(const Task& task) const noexcept {
  return task.best.worker(engine_.worker_count());
}

// The task is ready.
void Worker::place(Task* task, unsigned best) {
  if (best == index_) return make_ready(task);
  Worker& worker = engine_.worker(best);
  worker.push_overflow(task);
  // If it is at work, another one may be free.
  if (!engine_.sleepers().post_to(best) && !worker.begs()) {
    engine_.sleepers().post();
  }
}

void Worker::beg() {
  if (begs()) return;
  begs_here_ = true;
  begs_.store(true, sync::relaxed);
  engine_.beggar_count().fetch_add(1, sync::relaxed);
}

void Worker::withdraw() {
  begs_here_ = false;
  if (begs_.exchange(false, sync::relaxed)) engine_.beggar_count().fetch_sub(1, sync::relaxed);
}

// With chaos, always: so that parts are cut anywhere.
bool Worker::is_work_wanted() const {
  if (MYR_UNLIKELY(is_in_arena())) return arena().wants_tasks();
  return chaos_.has_value() || engine_.beggar_count().load(sync::relaxed) != 0;
}

std::optional<unsigned> Worker::take_beggar() {
  if (MYR_UNLIKELY(chaos_.has_value())) {
    constexpr std::uint64_t kOneIn = 3;
    if (!chaos_->dice().one_in(kOneIn)) return {};
    return static_cast<unsigned>(chaos_->dice().below(engine_.worker_count()));
  }
  if (MYR_LIKELY(!is_work_wanted())) return {};
  if (is_in_arena()) return index_;  // whoever takes it
  const unsigned count = engine_.worker_count();
  for (unsigned i = 1; i <= count; ++i) {
    const unsigned index = (index_ + i) % count;
    Worker& worker = engine_.worker(index);
    if (index == index_ || !worker.begs()) continue;
    if (!worker.begs_.exchange(false, sync::relaxed)) continue;
    engine_.beggar_count().fetch_sub(1, sync::relaxed);
    return index;
  }
  return {};
}

}  // namespace myr::engine
