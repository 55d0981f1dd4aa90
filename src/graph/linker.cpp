// SPDX-License-Identifier: Apache-2.0
#include "graph/linker.hpp"

#include "base/misuse.hpp"
#include "graph/resolve.hpp"

namespace myr::graph {

void Linker::wait_for(TaskRef on) {
  Task& task = *TaskArena::task(on.granule());
  if (free_edge_ == nullptr) free_edge_ = next_edge();
  free_edge_->task = self().granule();
  switch (task.successors.push(on.generation(), TaskArena::granule(free_edge_), *free_edge_)) {
    case SuccessorList::Push::Linked:
      free_edge_ = nullptr;
      linked_ += 1;
      return;
    case SuccessorList::Push::Closed:
      inherit_if_closed(task, on.generation());
      return;
    case SuccessorList::Push::Complete:
      return;
  }
}

void Linker::inherit_if_closed(Task& task, std::uint64_t generation) {
  if (!task.references.try_add()) return;
  // Checked again under the reference: the memory may have become another task's in between.
  if (task.successors.is_closed(generation)) inherit(task);
  if (task.references.drop()) recycler_.recycle(&task);
}

void Linker::inherit(const Task& ended) {
  if (ended.interior == nullptr) return;
  myr_access* accesses = waiter_.accesses();
  for (std::uint32_t i = 0; i < waiter_.access_count; ++i) {
    Target target;
    myr_access access = copy_access(accesses[i]);
    if (resolve(space_, access, target) != ResolveError::None) continue;
    if (target.kind == TargetKind::None) continue;
    ended.interior->domain.report_conflicts(space_.tree(), target, *this);
  }
}

TaskRef find_foreign_user(const Domain& domain, std::uint64_t begin, std::uint64_t end,
                          Recycler& recycler) {
  TaskRef user;
  domain.visit_foreign_users(begin, end, [&](TaskRef ref) {
    Task& task = *TaskArena::task(ref.granule());
    if (user || TaskArena::is_complete(ref)) return;
    if (!task.successors.is_closed(ref.generation())) {
      user = ref;
      return;
    }
    // It has ended, but perhaps not all its children have.
    if (!task.references.try_add()) return;
    if (task.successors.is_closed(ref.generation())) {
      user = find_foreign_user(task.interior->domain, begin, end, recycler);
    }
    if (task.references.drop()) recycler.recycle(&task);
  });
  return user;
}

Edge* Linker::next_edge() {
  if (block_left_ == 0) {
    Task* block = recycler_.pool().allocate(kEdgesPerBlock * kGranuleBytes);
    if (block == nullptr) base::misuse(waiter_.site, "out of memory for tasks (16 GiB are in use)");
    block_next_ = block->payload();
    block_left_ = kEdgesPerBlock;
    Task* head = waiter_.extra_edges.load(sync::relaxed);
    do {
      block->next = head;
      // Relaxed: whoever ends the waiter has synchronised with every thread that linked it [graph.end].
    } while (!waiter_.extra_edges.compare_exchange_weak(head, block, sync::relaxed, sync::relaxed));
  }
  Edge* edge = ::new (block_next_) Edge;
  block_next_ += kGranuleBytes;
  block_left_ -= 1;
  return edge;
}

}  // namespace myr::graph
