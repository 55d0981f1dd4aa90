// SPDX-License-Identifier: Apache-2.0
#include "graph/linker.hpp"

#include <algorithm>

#include "base/misuse.hpp"
#include "graph/resolve.hpp"

namespace myr::graph {

namespace {

// Calls look(task) if the task is still closed; it keeps its domain meanwhile.
template <class Look>
void look_into_closed(TaskRef ref, Recycler& recycler, Look&& look) {
  Task& task = *TaskArena::task(ref.granule());
  if (!task.references.try_add()) return;
  // Asked under the reference: the memory may have become another task's before.
  if (task.successors.is_closed(ref.generation())) look(task);
  if (task.references.drop()) recycler.recycle(&task);
}

// May it still use what it has declared? One whose children may is noted.
bool is_open(TaskRef ref, std::vector<TaskRef>& met) {
  // In this order: what was not closed before and is not complete now was open in between.
  if (TaskArena::task(ref.granule())->successors.is_closed(ref.generation())) {
    met.push_back(ref);
    return false;
  }
  return !TaskArena::is_complete(ref);
}

// Several accesses meet the same child of an ended task, and going down to it more than once, level
// by level, would cost time exponential in the depth. It is in no other domain, so one domain at a
// time is enough.
void drop_repeated(std::vector<TaskRef>& met, std::size_t first) {
  const auto begin = met.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(begin, met.end(), [](TaskRef a, TaskRef b) { return a.bits < b.bits; });
  met.erase(std::unique(begin, met.end()), met.end());
}

TaskRef take_last(std::vector<TaskRef>& refs) {
  const TaskRef last = refs.back();
  refs.pop_back();
  return last;
}

}  // namespace

void Linker::wait_for(TaskRef on) {
  Task& task = *TaskArena::task(on.granule());
  if (free_edge_ == nullptr) free_edge_ = next_edge();
  free_edge_->task = TaskArena::granule(&waiter_);
  switch (task.successors.push(on.generation(), TaskArena::granule(free_edge_), *free_edge_)) {
    case SuccessorList::Push::Linked:
      free_edge_ = nullptr;
      linked_ += 1;
      return;
    case SuccessorList::Push::Closed:
      inherit_closed(on);
      return;
    case SuccessorList::Push::Complete:
      return;
  }
}

void Linker::inherit_closed(TaskRef on) {
  if (met_ != nullptr) {
    met_->push_back(on);
    return;
  }
  if (on == inherited_) return;  // its children were compared with all our accesses already
  inherited_ = on;
  std::vector<TaskRef> met;
  met_ = &met;
  look_into_closed(on, recycler_, [&](const Task& closed) { meet_children(closed); });
  inherit_met();
}

void Linker::inherit(const Task& ended) {
  std::vector<TaskRef> met;
  met_ = &met;
  holds_ = true;
  meet_children(ended);
  inherit_met();
  if (held_ != linked_) waiter_.waiting.let_go(held_ - linked_);
}

// Not by recursion: closed tasks may lie in each other deeper than a stack.
void Linker::inherit_met() {
  while (!met_->empty()) {
    const TaskRef next = take_last(*met_);
    look_into_closed(next, recycler_, [&](const Task& closed) { meet_children(closed); });
  }
  met_ = nullptr;
}

namespace {

// Reports the children that the waiter conflicts with.
void report_children(const Interior& family, Task& waiter, const RegionSpace& space,
                     ConflictSink& sink) {
  const std::uint16_t flags = base::load_shared(waiter.flags);
  myr_access* accesses = waiter.accesses_while_linked();
  for (std::uint32_t i = 0; i < waiter.access_count; ++i) {
    Target target;
    myr_access access = copy_access(accesses[i]);
    const bool is_left = (access.flags & MYR_WEAK) != 0 && (flags & (kWaiter | kClaims)) == 0;
    if (is_left) continue;  // to a stand-in
    if (resolve(space, access, target) != ResolveError::None) continue;
    if (target.kind == TargetKind::None) continue;
    target.group = Group::None;  // in no group with another task's children
    family.domain.report_conflicts(space.tree(), target, sink);
  }
}

// Is one of those that are reported open? Notes those that are closed.
class OpenConflict final : public ConflictSink {
 public:
  explicit OpenConflict(TaskRef self) noexcept : ConflictSink(self) {}

  [[nodiscard]] TaskRef join(const RefSet&, const myr_access&) override {
    MYR_ASSERT(false);  // only what is entered makes joins
    return {};
  }
  bool found = false;
  std::vector<TaskRef> met;

 private:
  void wait_for(TaskRef on) override { found = found || is_open(on, met); }
};

}  // namespace

bool has_open_conflict(const Interior& family, Task& waiter, Recycler& recycler,
                       const RegionSpace& space) {
  OpenConflict open(TaskArena::ref(&waiter));
  report_children(family, waiter, space, open);
  while (!open.found && !open.met.empty()) {
    const TaskRef next = take_last(open.met);
    const std::size_t first = open.met.size();
    look_into_closed(next, recycler, [&](const Task& closed) {
      report_children(*closed.interior, waiter, space, open);
      if (closed.interior->domain.has_own_memory()) {
        closed.interior->domain.report_unmanaged(open);
      }
    });
    drop_repeated(open.met, first);
  }
  return open.found;
}

// Waits for the conflicting children; notes those that are closed.
void Linker::meet_children(const Task& ended) {
  if (ended.interior == nullptr) return;
  const std::size_t first = met_->size();
  report_children(*ended.interior, waiter_, space_, *this);
  if ((base::load_shared(waiter_.flags) & kOfOwn) != 0) {
    ended.interior->domain.report_unmanaged(*this);
  } else if (ended.interior->domain.has_own_memory()) {
    wait_for_own(ended);
  }
  drop_repeated(*met_, first);
}

namespace {

// A child that uses the bytes and has not ended, or none; notes those that have ended.
TaskRef find_open_user(const Domain& domain, std::uint64_t begin, std::uint64_t end,
                       std::vector<TaskRef>& met) {
  TaskRef user;
  const std::size_t first = met.size();
  domain.visit_unmanaged_users(begin, end, [&](TaskRef ref) {
    if (is_open(ref, met)) user = ref;
  });
  drop_repeated(met, first);
  return user;
}

}  // namespace

TaskRef find_unmanaged_user(const Domain& domain, std::uint64_t begin, std::uint64_t end,
                            Recycler& recycler) {
  std::vector<TaskRef> met;
  TaskRef user = find_open_user(domain, begin, end, met);
  while (!user && !met.empty()) {
    const TaskRef next = take_last(met);
    look_into_closed(next, recycler, [&](const Task& closed) {
      user = find_open_user(closed.interior->domain, begin, end, met);
    });
  }
  return user;
}

Task* Linker::allocate(std::size_t payload_bytes) {
  Task* memory = recycler_.pool().allocate(payload_bytes);
  if (memory == nullptr)
    base::misuse(waiter_.site,
                 "no memory left to order tasks: unfinished tasks have used up 16 GiB, or the "
                 "system's limit (ulimit -v); wait for some of them before spawning more");
  return memory;
}

Task* Linker::new_join(std::uint32_t access_count) {
  Task* const join = allocate(access_count * sizeof(myr_access));
  join->flags = kJoin;
  join->parent = waiter_.parent;
  join->site = waiter_.site;
  join->depth = waiter_.depth;
  join->access_count = access_count;
  join->access_offset = Task::kHeaderBytes;
  join->waiting.start();
  return join;
}

// None if it waits for nobody.
TaskRef Linker::finish_join(Task& join, const Linker& linker) {
  joined_ += linker.linked();
  if (!join.waiting.commit(linker.linked())) return TaskRef(linker.self());
  static_cast<void>(join.successors.complete_unshared());
  recycler_.recycle(&join);
  return {};
}

TaskRef Linker::join(const RefSet& members, const myr_access& memory) {
  Task* const join = new_join(1);
  *join->accesses() = memory;
  Linker linker(*join, recycler_, space_);
  linker.use_own_edge();
  members.for_each([&](TaskRef member) {
    if (member != self()) linker.report(member);
  });
  if (JoinLog* log = recycler_.join_log()) log->add(linker.self(), members);
  return finish_join(*join, linker);
}

// Through a join, which goes on to wait for the children of these when they end.
void Linker::wait_for_own(const Task& ended) {
  Task* const join = new_join(0);
  join->set(kOfOwn);
  Linker linker(*join, recycler_, space_);
  linker.use_own_edge();
  ended.interior->domain.report_unmanaged(linker);
  if (const TaskRef users = finish_join(*join, linker)) report(users);
}

Edge* Linker::next_edge() {
  if (block_left_ == 0) {
    Task* block = allocate(kEdgesPerBlock * kGranuleBytes);
    block_next_ = block->payload();
    block_left_ = kEdgesPerBlock;
    if (holds_) {
      waiter_.waiting.hold(kEdgesPerBlock);
      held_ += kEdgesPerBlock;
    }
    Task* head = waiter_.extra_edges.load(sync::relaxed);
    do {
      block->next = head;
      // Relaxed: the thread that ends the waiter has synchronised with every thread that linked it
      // [graph.end].
    } while (!waiter_.extra_edges.compare_exchange_weak(head, block, sync::relaxed, sync::relaxed));
  }
  Edge* edge = ::new (block_next_) Edge;
  block_next_ += kGranuleBytes;
  block_left_ -= 1;
  return edge;
}

}  // namespace myr::graph
