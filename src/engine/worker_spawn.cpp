// SPDX-License-Identifier: Apache-2.0
//
// A part of Worker: drafting, linking and queueing tasks, and waiting for accesses.

#include <algorithm>
#include <new>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "engine/access_check.hpp"
#include "engine/engine.hpp"
#include "engine/replay.hpp"
#include "engine/worker_calls.hpp"
#include "graph/resolve.hpp"
#include "graph/task_arena.hpp"

namespace myr::engine {

namespace {
// Tasks with fewer accesses need not look whether objects lie side by side.
constexpr std::uint32_t kStretchLeast = 8;

// Is it passed by value? Then nobody else uses it, whatever it is.
MYR_INLINE bool is_value(const myr_access& access) { return access.flags == (MYR_VALUE | MYR_IN); }

MYR_INLINE bool has_only_values(graph::Task& task) {
  const myr_access* const accesses = task.accesses();
  return std::all_of(accesses, accesses + task.access_count, is_value);
}
}  // namespace

using graph::Interior;
using graph::Linker;
using graph::Replay;
using graph::Target;
using graph::TargetKind;
using graph::Task;
using graph::TaskArena;
using graph::TaskRef;
using trace::State;

Task* Worker::draft(std::size_t closure_bytes, std::size_t access_count, std::size_t behind) {
  return new_task(closure_bytes, access_count, behind);
}

void Worker::throw_bad_alloc() { throw std::bad_alloc(); }

// It is for any worker, no other task goes before it, and there is room for it on top of the
// running one.
MYR_INLINE bool Worker::may_be_called(const Task& task) const noexcept {
  return !queues_all_ && stacks_.has_room() &&
         (task.flags & (graph::kUrgent | graph::kPlaced)) == 0 && !engine_.common().has_some();
}

// A small task costs less than its way through a queue. So while tasks are small, one that waits
// for nobody runs where it is spawned, if others find enough here to take, or tasks of its function
// are small with all that they spawn. If it has no siblings, what it uses need not be noted.
MYR_INLINE bool Worker::may_run_at_once(const Task& task) noexcept {
  const bool is_small = progress_.is_fine_grained()
                            ? small_.contains(task.body) || has_enough_for_others(task)
                            : (task.flags & graph::kBrief) != 0;
  return is_small && may_be_called(task);
}

// If main does nothing else until it waits again, nobody gains by taking the task.
void Worker::submit_brief(const myr_draft& draft, myr_body body, const myr_site* site) {
  if (task_->parent == nullptr && own_steps_.is_alone_again()) {
    static_cast<Task*>(draft.task)->set(graph::kBrief);
  }
  submit(draft, body, site);
}

// Calls a small task whose siblings have all ended: nothing need be noted of it. False: in a step
// that is replayed, it is not the recorded one.
MYR_INLINE bool Worker::call_at_once(Task* task) {
  Replay* const replay = task_->interior->replay;
  if (replay != nullptr) {
    if (!replay->begin_at_once(*task, engine_.space())) return false;
    stats_.replayed += 1;
  } else {
    if (task_->parent == nullptr) own_steps_.note(*task);
    check_accesses(task);
  }
  task->set(graph::kUnknown);
  run_alone(task);
  charge(State::Runtime);
  return true;
}

void Worker::submit(Task* task) {
  adopt_child(task);
  if (MYR_UNLIKELY(spawning_ != Spawning::Queues)) {
    if (spawning_ == Spawning::Calls) {
      call(task);
      return;
    }
    if (submit_unlike_others(task)) return;
  }
  const bool may_run = may_run_at_once(*task);
  if (may_run && task_->interior->live() == 1 && call_at_once(task)) return;
  progress_.step();
  if (link_child(task)) {
    if (may_run) {
      run_chain(task);
    } else {
      make_ready(task);
    }
  }
  window_left_ -= 1;
  if (MYR_UNLIKELY(window_left_ == 0)) help_after_spawn();
  charge(State::Runtime);
}

// False: it is to be submitted in the usual way.
bool Worker::submit_unlike_others(Task* task) {
  if (spawning_ != Spawning::Shares) {
    if (link_child(task)) make_ready(task);
    if (spawning_ == Spawning::Chaos) help_in_chaos();
    charge(State::Runtime);
    return true;
  }
  if (is_work_wanted() || !may_be_called(*task)) return false;
  if (task_->interior->live() == 1 && task_->interior->replay == nullptr) {
    return call_at_once(task);
  }
  progress_.step();
  if (link_child(task)) run_chain(task);
  charge(State::Runtime);
  return true;
}

// The task waits for `linked` others, and for its turn if it claims something. True: for nobody.
MYR_INLINE bool Worker::commit(Task* task, std::uint32_t linked, bool claims) {
  return task->waiting.commit(linked) ||
         (MYR_UNLIKELY(claims) && task->waiting.count_off() && take_claims(task));
}

// Enters the task's accesses into its parent's domain and makes it wait for what they conflict
// with. True: it waits for nobody, and the caller is to make it ready.
bool Worker::link(Task* task) {
  if (task_->parent == nullptr) own_steps_.note(*task);
  task->waiting.start();
  std::uint32_t linked = 0;
  std::uint32_t edges = 0;
  if (!has_only_values(*task)) {
    Linker linker(*task, recycler_, engine_.space());
    linker.use_own_edge();
    enter_accesses(*task, linker);
    linked = linker.linked();
    edges = linker.edges();
  }
  if (linked != 0) {
    stats_.linked += edges;
    const bool claims = (task->flags & graph::kClaims) != 0;
    if (MYR_UNLIKELY((task->flags & graph::kWeak) != 0)) {
      linked += begin_early(*task) - 1;
    }
    if (!commit(task, linked, claims)) return false;
  }
  if (MYR_LIKELY((task->flags & graph::kPlaced) == 0)) return true;
  place(task, best_worker(*task));
  return false;
}

void Worker::enter_accesses(Task& task, Linker& linker) {
  myr_access* access = task.accesses();
  myr_access* const end = access + task.access_count;
  // Most of what there is to do is what main does with whole objects; main holds everything, so no
  // footprint is looked at.
  if (task_->depth == 0) {
    const graph::Domain& domain = task_->interior->domain;
    const bool has_many = task.access_count >= kStretchLeast;
    while (access != end) {
      myr_access* const first = access;
      const auto begin = reinterpret_cast<std::uint64_t>(first->address);
      if (array_.covers(begin, begin)) access = enter_blocks(first, end, linker);
      if (MYR_UNLIKELY(has_many) && access == first) access = enter_stretch(first, end, linker);
      if (access == first && !domain.has_parts()) access = enter_neighbours(first, end, linker);
      if (access == first && !mem::Heap::contains(first->address)) {
        access = enter_outside(first, end, linker);
      }
      if (access != first) continue;
      if (MYR_LIKELY(!has_many)) break;
      // Among many there may be one of a region, or of a range, before the objects.
      enter_access(task, *access++, linker);
    }
  }
  for (; access != end; ++access) {
    if (!is_value(*access)) enter_access(task, *access, linker);
  }
}

// The same for one that waits for `before`, too. REQUIRES: it uses something, and is not placed.
bool Worker::link_behind(Task* task, TaskRef before) {
  if (task_->parent == nullptr) own_steps_.note(*task);
  task->waiting.start();
  Linker linker(*task, recycler_, engine_.space());
  linker.use_own_edge();
  linker.report(before);
  enter_accesses(*task, linker);
  stats_.linked += linker.edges();
  return commit(task, linker.linked(), (task->flags & graph::kClaims) != 0);
}

namespace {

// May it be a whole object in the slab? If a live one starts there, it is one, or all of its bytes.
// Inline: a call costs a task of two objects 2 %.
MYR_INLINE bool is_object(const mem::SlabView& slab, const myr_access& access) {
  return (access.flags & ~base::kObjectFlags) == 0 && slab.covers(access.address) &&
         slab.object_bytes(access.address) != 0;
}

// Calls use(access) for whole objects as long as they lie in the slab, the first one's, and are
// used in the same way. Returns the first access behind. REQUIRES: is_object() of the first.
template <class Use>
MYR_INLINE myr_access* for_neighbours(const mem::SlabView& slab, myr_access* access,
                                      myr_access* end, Use&& use) {
  const unsigned flags = access->flags;
  const std::size_t bytes = slab.slot_bytes();
  do {
    if (MYR_UNLIKELY(!graph::is_whole(access->bytes, flags, bytes))) break;
    graph::set_length(*access, bytes);  // others may know the task already
    use(*access);
    ++access;
  } while (access != end && access->flags == flags && slab.covers(access->address) &&
           slab.object_bytes(access->address) != 0);
  return access;
}

// Accesses to whole objects of one region that lie side by side and are declared in the same way.
struct Stretch {
  myr_access* end;  // behind the last access
  std::uint64_t begin_byte, end_byte;
  deps::RegionIndex region;
};

// Accesses declared with the word `given` name objects of so many bytes, the first of them at
// `byte`. Returns the first access whose object does not lie right behind the one before it. Those
// before it are noted as `whole`.
myr_access* skip_side_by_side(myr_access* access, myr_access* end, std::uint64_t byte,
                              std::size_t bytes, std::uint64_t given, std::uint64_t whole) {
  for (; access != end; ++access, byte += bytes) {
    if (reinterpret_cast<std::uint64_t>(access->address) != byte) break;
    if (graph::length_word(*access) != given) break;
    base::store_shared(graph::length_word(*access), whole);
  }
  return access;
}

// The stretch that begins with the first access; empty if that is not of a whole object.
Stretch find_stretch(myr_access* const first, myr_access* const end) {
  const auto begin = reinterpret_cast<std::uint64_t>(first->address);
  mem::SlabView slab(first->address);
  Stretch found{first, begin, begin, slab.owner()};
  if (!is_object(slab, *first)) return found;
  const std::size_t bytes = slab.slot_bytes();
  if (!graph::is_whole(first->bytes, first->flags, bytes)) return found;
  const std::uint64_t given = graph::length_word(*first);
  graph::set_length(*first, bytes);  // others may know the task already
  const std::uint64_t whole = graph::length_word(*first);
  found.end += 1;
  found.end_byte += bytes;
  while (found.end != end) {
    const void* const next = reinterpret_cast<const void*>(found.end_byte);
    if (!slab.covers(next)) slab = mem::SlabView(next);
    if (!slab.covers(next) || slab.owner() != found.region) break;
    if (slab.object_bytes(next) != bytes) break;
    const std::ptrdiff_t live = slab.live_from(next);
    myr_access* const last = found.end + std::min(end - found.end, live);
    myr_access* const reached =
        skip_side_by_side(found.end, last, found.end_byte, bytes, given, whole);
    found.end_byte += static_cast<std::uint64_t>(reached - found.end) * bytes;
    found.end = reached;
    if (reached != last) break;
  }
  return found;
}

// Returns the first access that is not one of those.
MYR_COLD myr_access* skip_stretches(myr_access* access, myr_access* end) {
  for (myr_access* next = access; access != end; access = next) {
    next = find_stretch(access, end).end;
    if (next == access) break;
  }
  return access;
}

// Is there a long stretch among these accesses? A region's first ones are short.
bool has_long_stretch(myr_access* access, myr_access* end) {
  for (myr_access* next = access; access != end; access = next) {
    next = find_stretch(access, end).end;
    if (next == access) return false;
    if (next - access >= kStretchLeast) return true;
  }
  return false;
}

}  // namespace

// Enters the accesses of main to objects that lie side by side, all at once. Returns the first that
// it did not enter.
myr_access* Worker::enter_stretch(myr_access* access, myr_access* end, Linker& linker) {
  using Noting = graph::RegionHistory::Noting;
  const mem::SlabView slab(access->address);
  if (!is_object(slab, *access)) return access;
  graph::Domain& domain = task_->interior->domain;
  const deps::RegionTree& tree = engine_.space().tree();
  const Noting noting = domain.noting(tree, slab.owner());
  if (noting == Noting::Objects) return access;
  const bool may_begin = noting == Noting::Undecided && has_long_stretch(access, end);
  if (noting == Noting::Undecided && !may_begin) return access;
  const Stretch stretch = find_stretch(access, end);
  if (stretch.end == access) return access;
  const Target target{.kind = TargetKind::Range,
                      .writes = (access->flags & MYR_OUT) != 0,
                      .region = stretch.region,
                      .begin = stretch.begin_byte,
                      .end = stretch.end_byte};
  const auto count = static_cast<std::size_t>(stretch.end - access);
  return domain.enter_stretch(tree, target, count, may_begin, linker) ? stretch.end : access;
}

// Enters accesses of main to neighbouring objects. Returns the first that it did not enter.
myr_access* Worker::enter_neighbours(myr_access* access, myr_access* end, Linker& linker) {
  const mem::SlabView slab(access->address);
  if (!is_object(slab, *access)) return access;
  const bool writes = (access->flags & MYR_OUT) != 0;
  const graph::CellTable::Page page = task_->interior->domain.enter_page(
      engine_.space().tree(), reinterpret_cast<std::uint64_t>(access->address),
      {slab.owner(), deps::kRootRegion, writes}, linker);
  if (MYR_UNLIKELY(!page.is_there())) return access;
  return for_neighbours(slab, access, end, [&](const myr_access& object) {
    graph::Domain::enter_in_page(page, reinterpret_cast<std::uint64_t>(object.address), writes,
                                 linker);
  });
}

// The same for accesses of main to parts of the array with blocks that it used last. To be called
// for those that may lie in it: objects shall not pay for it.
myr_access* Worker::enter_blocks(myr_access* access, myr_access* end, Linker& linker) {
  const unsigned flags = access->flags;
  const auto covers = [this](const myr_access& part) {
    const auto begin = reinterpret_cast<std::uint64_t>(part.address);
    return part.bytes != 0 && array_.covers(begin, begin + part.bytes);
  };
  constexpr unsigned kMode = MYR_IN | MYR_OUT;
  if (!covers(*access) || (flags & ~kMode) != 0 || !array_.is_there()) return access;
  Target target{.kind = TargetKind::Blocks,
                .writes = (flags & MYR_OUT) != 0,
                .region = array_.owner(),
                .block_shift = array_.block_shift(),
                .object = array_.first()};
  graph::Domain& domain = task_->interior->domain;
  domain.enter_array(engine_.space().tree(), {target.region, deps::kRootRegion, target.writes},
                     linker);
  do {
    target.begin = reinterpret_cast<std::uint64_t>(access->address);
    target.end = target.begin + access->bytes;
    domain.enter_noted_blocks(target, linker);
    ++access;
  } while (access != end && access->flags == flags && covers(*access));
  return access;
}

namespace {

bool is_plain_outside(const myr_access& access) {
  return !mem::Heap::contains(access.address) && access.address != nullptr && access.bytes != 0 &&
         base::fits_memory(access);
}

// The rows of a tile are accesses one behind the other, declared in the same way. The first of
// them, if they are none.
deps::Tile find_tile(const myr_access* access, const myr_access* end) {
  const auto begin_of = [](const myr_access& one) {
    return reinterpret_cast<std::uint64_t>(one.address);
  };
  deps::Tile tile{.address = begin_of(*access), .bytes = access->bytes};
  if (end - access < 2 || begin_of(access[1]) < tile.end()) return tile;
  tile.stride = begin_of(access[1]) - tile.address;
  const std::uint64_t declared = graph::length_word(*access);
  for (const myr_access* next = access + 1; next != end; ++next, tile.rows += 1) {
    if (begin_of(*next) - begin_of(next[-1]) != tile.stride) break;
    if (graph::length_word(*next) != declared || !is_plain_outside(*next)) break;
  }
  return tile;
}

}  // namespace

// Enters plain accesses to memory that is not Myrmidon's, as long as they are declared in the same
// way. Returns the first access behind.
myr_access* Worker::enter_outside(myr_access* access, myr_access* end, Linker& linker) {
  const unsigned flags = access->flags;
  if (flags != MYR_IN && flags != MYR_OUT && flags != MYR_INOUT) return access;
  graph::Domain& domain = task_->interior->domain;
  while (access != end && access->flags == flags && is_plain_outside(*access)) {
    const deps::Tile tile = find_tile(access, end);
    note_lent_stack(tile.address);
    const bool are_entered =
        tile.rows > 1 && domain.enter_tile_outside(tile, flags != MYR_IN, linker);
    for (std::uint64_t i = 0; i < tile.rows && !are_entered; ++i) {
      const std::uint64_t begin = tile.address + i * tile.stride;
      domain.enter_outside({begin, begin + tile.bytes}, flags != MYR_IN, linker);
    }
    access += tile.rows;
  }
  return access;
}

void Worker::enter_access(Task& task, myr_access& access, Linker& linker) {
  Target target;
  const graph::Cover cover = check_access(engine_.space(), *task_, access, target, task);
  if (target.kind == TargetKind::None) return;
  if (MYR_UNLIKELY((access.flags & graph::kReordered) != 0)) {
    if (is_left_to_stand_in(task, access, linker)) return;
    if (target.group != graph::Group::None) enter_group(task, target, linker);
  }
  if (target.kind == TargetKind::Range) note_lent_stack(target.begin);
  if (MYR_UNLIKELY(cover.is_own)) task_->interior->domain.note_own_memory();
  if (target.kind == TargetKind::Blocks && task_->depth == 0) {
    array_ = mem::ArrayView(access.address);
  }
  task_->interior->domain.enter(engine_.space().tree(), target, cover.top, linker);
}

// ---- tasks in two -------------------------------------------------------------------------------

// The first one does not wait for what the last accesses name, and the second one has only these.
// That one has the closure, and lives as long as the first, since it waits for it.
void Worker::submit_two(const myr_draft& draft, const myr_two_bodies& bodies,
                        std::size_t last_count, const myr_site* site) {
  Task* const second = static_cast<Task*>(draft.task);
  if (MYR_UNLIKELY(observed_)) check_first(*second, bodies.whole, site);
  second->body = bodies.first;  // which says whether they are small
  if (is_whole_as_good(*second)) return submit(draft, bodies.whole, site);
  Task* const first = split(*second, bodies, last_count, site);
  const TaskRef before = TaskArena::ref(first);
  submit_one_of_two(first, {});
  submit_one_of_two(second, before);
}

// Makes the first task, and the second one of the whole.
Task* Worker::split(Task& second, const myr_two_bodies& bodies, std::size_t last_count,
                    const myr_site* site) {
  Task* const first = make_first(second, last_count);
  first->body = bodies.first;
  const std::size_t first_count = second.access_count - last_count;
  second.access_count = static_cast<std::uint32_t>(last_count);
  second.access_offset += static_cast<std::uint32_t>(first_count * sizeof(myr_access));
  second.body = bodies.second;
  first->site = second.site = site;
  if ((second.flags & graph::kUrgent) != 0) {
    set_priority({.task = first}, second.interior->priority);
  }
  return first;
}

// Are there no others that could run the first one meanwhile, or is it not worth their while? A
// checker is to see that its function does not use the variable.
bool Worker::is_whole_as_good(const Task& task) noexcept {
  if (engine_.options().checker != nullptr) return false;
  if (spawning_ == Spawning::Calls) return true;
  if (spawning_ == Spawning::Chaos || spawning_ == Spawning::Others) return false;
  const Interior* const family = task_->interior;
  const bool is_alone = family == nullptr || (family->live() == 0 && family->replay == nullptr);
  return is_alone && may_run_at_once(task);
}

// Its closure is a pointer to that of the whole.
Task* Worker::make_first(Task& whole, std::size_t last_count) {
  Task* const first = new_task(sizeof(void*), whole.access_count, 0);
  *static_cast<void**>(first->closure()) = whole.closure();
  myr_access* const end = std::copy_n(whole.accesses(), whole.access_count, first->accesses());
  std::for_each(end - last_count, end, [](myr_access& last) { last.flags = MYR_VALUE | MYR_IN; });
  first->set(graph::kFirstOfTwo);
  return first;
}

// The other one knows it, so it is linked in any case.
void Worker::submit_one_of_two(Task* task, TaskRef before) {
  adopt_child(task);
  if (spawning_ == Spawning::Calls) return call(task);
  const bool may_run = spawning_ == Spawning::Queues && may_run_at_once(*task);
  progress_.step();
  const bool is_ready = link_one_of_two(task, before);
  if (is_ready && may_run) {
    run_chain(task);
  } else if (is_ready) {
    make_ready(task);
  }
  if (spawning_ == Spawning::Chaos) help_in_chaos();
  if (spawning_ == Spawning::Queues && --window_left_ == 0) help_after_spawn();
  charge(State::Runtime);
}

bool Worker::link_one_of_two(Task* task, TaskRef before) {
  if (task_->interior->replay != nullptr) return link_in_step(task, before);
  return before ? link_behind(task, before) : link(task);
}

// ---- small tasks --------------------------------------------------------------------------------

// The task has ended, but not all that it has spawned: the siblings to come must find it.
void Worker::make_known(Task& task) {
  if (task_->interior->replay != nullptr) {
    task.unset(graph::kUnknown);
    return join_step(task);
  }
  Linker linker(task, recycler_, engine_.space());
  enter_accesses(task, linker);  // still as one that is in no group, so it need not claim anything
  MYR_ASSERT(linker.linked() == 0);
  task.unset(graph::kUnknown);
}

// The task will use the memory in any order with others, perhaps one at a time.
void Worker::enter_group(Task& task, Target& target, Linker& linker) {
  constexpr unsigned kAlone = graph::kWaiter | graph::kUnknown;
  if ((task.flags & kAlone) != 0) {
    target.group = graph::Group::None;  // a waiter wants to use it alone, a running task does
                                        // already
  } else if (target.group == graph::Group::Commutative && (task.flags & graph::kClaims) == 0) {
    task.set_while_linked(graph::kClaims);
    if (task.interior == nullptr) recycler_.attach_interior(task);
    linker.hold_back();  // until it tries to claim
    if (task_->interior->claims == nullptr) {
      task_->interior->claims = std::make_unique<graph::Claims>();
    }
  }
}

// For a task that is not linked.
void Worker::check_accesses(Task* task) {
  myr_access* access = task->accesses();
  myr_access* const end = access + task->access_count;
  if (task_->depth == 0) {  // main holds all objects
    if (MYR_UNLIKELY(task->access_count >= kStretchLeast)) access = skip_stretches(access, end);
    while (access != end) {
      const mem::SlabView slab(access->address);
      myr_access* const first = access;
      if (is_object(slab, *first)) access = for_neighbours(slab, first, end, [](const auto&) {});
      if (access == first) break;
    }
  }
  for (; access != end; ++access) {
    if (is_value(*access)) continue;
    Target target;
    static_cast<void>(check_access(engine_.space(), *task_, *access, target, *task));
  }
}

// A single worker need not look for dependences: it runs tasks where they are spawned.
void Worker::call(Task* task) {
  if (MYR_UNLIKELY(has_later_) && task_->interior->live() != 1) return call_among_later(task);
  check_accesses(task);
  task->set(graph::kUnknown);
  if (MYR_LIKELY(stacks_.has_room())) {
    run_alone(task);
  } else {
    run_on_other_stack(task);
  }
  charge(State::Runtime);
}

void Worker::run_here(Task* task) {
  if (MYR_LIKELY(stacks_.has_room())) {
    run(task);
  } else {
    run_on_other_stack(task);
  }
  charge(State::Runtime);
}

// All threads have the same memory; observers want to know.
void Worker::keep_here(const myr_draft& draft) {
  static_cast<graph::Task*>(draft.task)->set(graph::kStays);
}

// Where tasks run at once, or at random, no order is wanted.
void Worker::set_priority(const myr_draft& draft, int priority) {
  if (priority <= 0 || spawning_ == Spawning::Calls || engine_.options().chaos) return;
  Task& task = *static_cast<Task*>(draft.task);
  task.set(graph::kUrgent);
  if (task.interior == nullptr) recycler_.attach_interior(task);
  task.interior->priority = priority;
}

void Worker::make_ready(Task* task) {
  const std::uint32_t depth = task->depth;  // once pushed, a thief may run it and give it back
  if (MYR_UNLIKELY((task->flags & graph::kUrgent) != 0)) {
    if (task->interior->arena != nullptr) return make_ready_in_arena(task);
    engine_.common().push(task);
  } else if (MYR_UNLIKELY(!ring_.owner_push(task))) {
    push_overflow(task);
  } else if (depth < least_depth_) {
    least_depth_ = depth;
  }
  if (progress_.is_fine_grained()) {
    engine_.sleepers().post_small();
  } else {
    engine_.sleepers().post();
  }
}

// A spawner that is far ahead runs some of its tasks itself: their memory is still in its cache,
// and is free for the next ones.
//
// If they are small, it runs all that it has made since the last time. Larger ones are left to the
// other workers as long as neither the queue is long nor those that wait for others are many.
void Worker::help_after_spawn() {
  window_left_ = kWindow;
  const std::uint64_t ran_until = stats_.ran + kWindow;
  while (stats_.ran < ran_until && is_far_ahead() && stacks_.has_room()) {
    Task* task = take_own();
    if (task == nullptr && in_arenas_ != 0) task = take_common();
    if (task == nullptr) return;
    if (!is_further_down(*task)) {
      make_ready(task);
      return;
    }
    run_chain(task);
  }
}

bool Worker::is_far_ahead() const {
  return progress_.is_fine_grained() || ring_.size_hint() > kReadyEnough ||
         task_->interior->live() > kLiveEnough;
}

Worker::DraftedWaiter::DraftedWaiter(Worker& asked, const myr_access* accesses, std::size_t count,
                                     const myr_site* site)
    : worker(asked), task(asked.draft(0, count)) {
  task->site = site;
  task->set(graph::kWaiter);
  task->parent = worker.task_;
  std::copy(accesses, accesses + count, task->accesses());
}

Worker::DraftedWaiter::~DraftedWaiter() {
  static_cast<void>(task->successors.complete_unshared());
  worker.recycler_.recycle(task);
}

// Returns when the running task may use the accesses itself.
void Worker::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  const DraftedWaiter drafted(*this, accesses, count, site);
  Task* const waiter = drafted.task;
  const bool has_children = task_->interior != nullptr && task_->interior->live() != 0;
  if (MYR_LIKELY(!has_children && graph_ == nullptr)) {
    charge(State::Task);
    check_accesses(waiter);
  } else {
    if (MYR_UNLIKELY(has_later_)) run_later_ones();
    wait_until_granted(*waiter);
  }
  if (Checker* const checker = engine_.options().checker) {
    checker->wait(waiter->accesses(), waiter->access_count);
  }
  charge(State::Runtime);
}

void Worker::wait_until_granted(Task& waiter) {
  if (task_->interior == nullptr) recycler_.attach_interior(*task_);
  if (MYR_UNLIKELY(observed_)) observe_waiter(waiter);
  complete_domain();
  waiter.waiting.start();
  Linker linker(waiter, recycler_, engine_.space());
  linker.use_own_edge();
  enter_accesses(waiter, linker);
  waiter.waiting.commit_held(linker.linked());
  help_until({*task_->interior, &waiter});
}

// Returns when all descendants of the running task have ended.
void Worker::wait_all() {
  if (Checker* const checker = engine_.options().checker) checker->wait_all();
  Interior* family = task_->interior;
  if (family == nullptr) return;
  const bool has_own_steps = this->has_own_steps();
  if (MYR_UNLIKELY(has_own_steps && own_steps_.is_open)) end_own_step();
  charge(State::Task);
  if (MYR_UNLIKELY(has_later_)) run_later_ones();
  help_until({*family, nullptr});
  family->domain.clear();
  if (task_->parent == nullptr) {
    has_later_ = false;
    trim_memory();
  }
  if (MYR_UNLIKELY(family->replay != nullptr)) forget_replayed(*family);
  if (MYR_UNLIKELY(engine_.has_returned())) engine_.take_returned(*this);
  if (has_own_steps && !own_steps_.is_open) begin_own_step();
  charge(State::Runtime);
}

}  // namespace myr::engine
