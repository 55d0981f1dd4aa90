// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: tasks with weak accesses, which begin before those whose memory they
// hand on. For each such access a task without a body, its *stand-in*, waits in the place of the
// weak task. It is the weak task's first child to use the memory, so the other children find it in
// their parent's domain, and a task that comes behind the weak one waits for it or for them.
//
// Invariants
//   1. A stand-in is made before the weak task may begin, and counts as its child.
//   2. A weak task lies alone on its stack, or on its parent (may_lie_here()), as it may wait for
//      tasks that began before it, which must be able to go on. All others wait for their
//      descendants only.
#include "engine/access_check.hpp"
#include "engine/engine.hpp"
#include "engine/worker_calls.hpp"

namespace myr::engine {

using graph::Linker;
using graph::Target;
using graph::Task;

// A waiter wants to use the memory, and a task that runs has nobody before it. A task keeps what it
// claims until its stand-ins have ended: they would wait for tasks that wait for that. Others are
// held back until all their accesses that are not weak are entered.
bool Worker::is_left_to_stand_in(Task& task, const myr_access& access, Linker& linker) {
  constexpr unsigned kNever = graph::kWaiter | graph::kUnknown | graph::kClaims;
  if ((access.flags & MYR_WEAK) == 0 || (task.flags & kNever) != 0) return false;
  if ((task.flags & graph::kWeak) == 0) {
    task.set_while_linked(graph::kWeak);
    linker.hold_back();
  }
  return true;
}

// All accesses of the task are checked, and those that are not weak are entered: in this order, as
// the task itself waits for what is named in both ways. Returns how many more it waits for.
std::uint32_t Worker::begin_early(Task& task) {
  if (task.interior == nullptr) recycler_.attach_interior(task);
  Linker linker(task, recycler_, engine_.space());
  bool has_stand_ins = false;
  myr_access* const first = task.accesses();
  for (myr_access* access = first; access != first + task.access_count; ++access) {
    if ((access->flags & MYR_WEAK) == 0) continue;
    if ((task.flags & graph::kClaims) != 0) {
      enter_access(task, *access, linker);
    } else {
      has_stand_ins = make_stand_in(task, *access) || has_stand_ins;
    }
  }
  if (!has_stand_ins) task.unset_while_linked(graph::kWeak);
  return linker.linked();
}

// False: there is nobody to wait for.
bool Worker::make_stand_in(Task& task, const myr_access& weak) {
  Task* const stand_in = draft(0, 1);
  stand_in->set(graph::kJoin);
  stand_in->set(graph::kWeak);
  stand_in->parent = &task;
  stand_in->site = task.site;
  stand_in->depth = task.depth + 1;
  myr_access& access = *stand_in->accesses();
  access = weak;
  access.flags = static_cast<std::uint16_t>(access.flags & ~(MYR_WEAK | MYR_NOTRANSFER));
  stand_in->waiting.start();
  Target target;
  const graph::Cover cover = check_access(engine_.space(), *task_, access, target, task);
  if (target.kind == graph::TargetKind::Range) note_lent_stack(target.begin);
  if (cover.is_own) task_->interior->domain.note_own_memory();
  const deps::RegionTree& tree = engine_.space().tree();
  Linker behind(*stand_in, graph::TaskArena::ref(&task), recycler_, engine_.space());
  behind.use_own_edge();
  task_->interior->domain.begin_stand_in();
  task_->interior->domain.enter(tree, target, cover.top, behind);
  if (behind.linked() == 0) {
    keep_memory(stand_in);
    return false;
  }
  target.writes = true;  // so that children wait for it that read
  Linker inside(*stand_in, recycler_, engine_.space());
  const deps::RegionIndex top = graph::cover(engine_.space(), task, target).top;
  task.interior->domain.enter(tree, target, top, inside);
  stats_.linked += behind.edges() + inside.edges();
  task.interior->spawned += 1;
  if (!stand_in->waiting.commit(behind.linked() + inside.linked())) return true;
  task.interior->spawned -= 1;
  static_cast<void>(stand_in->successors.complete_unshared());
  recycler_.recycle(stand_in);
  return false;
}

}  // namespace myr::engine
