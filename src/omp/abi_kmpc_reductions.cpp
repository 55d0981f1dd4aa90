// SPDX-License-Identifier: Apache-2.0
//
// Entry points for programs of clang: task reductions. Each thread that runs a task of the group
// gets a copy of each variable when it first asks for it; at the end of the group the copies are
// added to the originals.
#include <cstdlib>
#include <cstring>
#include <memory>

#include "omp/abi.hpp"
#include "omp/kmpc.hpp"

using namespace myr::omp;

namespace myr::omp {

using Combine = void (*)(void* sum, void* value);
using Finish = void (*)(void* copy);

// What one variable is, and how to begin, add and end a copy. The first form is that of clang
// before 10.
struct OldReductionItem {
  void* shared;
  std::size_t bytes;
  void (*init)(void* copy);
  Finish finish;
  Combine combine;
  unsigned flags;
};
struct ReductionItem {
  void* shared;
  void* original;
  std::size_t bytes;
  void (*init)(void* copy, void* original);
  Finish finish;
  Combine combine;
  unsigned flags;
};

// The copies of a group or, with a task modifier, of the groups of all threads of a team. A copy is
// made by its thread; others look whether an address is inside [omp.copies].
struct CopyTable {
  CopyTable(unsigned item_count, unsigned thread_count)
      : threads(thread_count),
        places(
            std::make_unique<sync::Atomic<std::byte*>[]>(std::size_t{item_count} * thread_count)) {}
  unsigned threads;
  std::unique_ptr<sync::Atomic<std::byte*>[]> places;  // by variable, then by thread
  sync::Atomic<unsigned> ended{0};                     // groups [omp.copies]
};

struct ReductionCopies {
  unsigned count;
  std::unique_ptr<ReductionItem[]> items;
  CopyTable* table;
  unsigned users;  // of the table

  [[nodiscard]] sync::Atomic<std::byte*>& place(unsigned item, unsigned thread) const noexcept {
    return table->places[std::size_t{item} * table->threads + thread];
  }
  // The variable that an address stands for: the original, or some thread's copy. `count`: none.
  [[nodiscard]] unsigned find(const void* address) const noexcept {
    const auto* byte = static_cast<const std::byte*>(address);
    for (unsigned i = 0; i < count; ++i) {
      if (address == items[i].shared || address == items[i].original) return i;
      for (unsigned thread = 0; thread < table->threads; ++thread) {
        // [omp.copies] A thread that has an address of a copy got it after the copy was made.
        const std::byte* copy = place(i, thread).load(sync::acquire);
        if (copy != nullptr && byte >= copy && byte < copy + items[i].bytes) return i;
      }
    }
    return count;
  }
};

namespace {

void* copy_of_thread(const ReductionCopies& copies, unsigned item, unsigned thread) {
  sync::Atomic<std::byte*>& place = copies.place(item, thread);
  std::byte* copy = place.load(sync::relaxed);
  if (copy != nullptr) return copy;
  const ReductionItem& what = copies.items[item];
  constexpr std::size_t kLine = 64;
  const std::size_t bytes = (what.bytes + kLine - 1) / kLine * kLine;
  copy = static_cast<std::byte*>(std::aligned_alloc(kLine, bytes));
  if (copy == nullptr) fail("Out of memory allocating %zu bytes", bytes);
  std::memset(copy, 0, bytes);
  if (what.init != nullptr) {
    what.init(copy, what.original != nullptr ? what.original : what.shared);
  }
  place.store(copy, sync::release);  // [omp.copies]
  return copy;
}

// For the older form: it begins a copy without the original.
template <class From>
ReductionItem item_of(const From& from) noexcept {
  if constexpr (std::is_same_v<From, ReductionItem>) {
    return from;
  } else {
    auto* address = reinterpret_cast<void*>(from.init);  // by which one argument more does no harm
    const auto init = reinterpret_cast<void (*)(void*, void*)>(address);
    return {from.shared, nullptr, from.bytes, init, from.finish, from.combine, from.flags};
  }
}

template <class From>
ReductionCopies* read_items(int count, const void* data, CopyTable* table, unsigned users) {
  const auto number = static_cast<unsigned>(count);
  auto* copies =
      new ReductionCopies{number, std::make_unique<ReductionItem[]>(number), table, users};
  for (unsigned i = 0; i < number; ++i) {
    copies->items[i] = item_of(static_cast<const From*>(data)[i]);
  }
  return copies;
}

template <class From>
void* begin_copies(int count, const void* data) {
  Thread& self = myr::omp::self();
  Group* group = self.at.task->group;
  auto* table = new CopyTable(static_cast<unsigned>(count), self.at.team->size);
  group->copies = read_items<From>(count, data, table, 1);
  return group;
}

// reduction(task, ...) of a region or loop: a group for each thread, with one table for all, which
// the first to come makes.
template <class From>
void* begin_common_copies(int count, const void* data) {
  Thread& self = myr::omp::self();
  begin_group(self);
  if (enter_workshare(self)) {
    Workshare& share = *self.at.loop.share;
    share.is_ordered = false;
    share.may_batch = false;
    share.copied = new CopyTable(static_cast<unsigned>(count), self.at.team->size);
    publish(self);
  }
  auto* table = static_cast<CopyTable*>(self.at.loop.share->copied);
  leave_workshare(self);
  Group* group = self.at.task->group;
  group->copies = read_items<From>(count, data, table, self.at.team->size);
  return group;
}

}  // namespace

void combine_copies(ReductionCopies* copies) {
  const std::unique_ptr<ReductionCopies> owner(copies);
  note_release(copies->table);
  // [omp.copies] The last sees what all threads added to their copies.
  if (copies->table->ended.fetch_add(1, sync::acq_rel) + 1 != copies->users) return;
  note_acquire(copies->table);
  for (unsigned i = 0; i < copies->count; ++i) {
    const ReductionItem& item = copies->items[i];
    for (unsigned thread = 0; thread < copies->table->threads; ++thread) {
      std::byte* copy = copies->place(i, thread).load(sync::acquire);  // [omp.copies]
      if (copy == nullptr) continue;
      item.combine(item.shared, copy);
      if (item.finish != nullptr) item.finish(copy);
      std::free(copy);
    }
  }
  delete copies->table;
}

}  // namespace myr::omp

MYR_OMP_API void* __kmpc_taskred_init(int, int count, void* data) {
  return begin_copies<ReductionItem>(count, data);
}
MYR_OMP_API void* __kmpc_task_reduction_init(int, int count, void* data) {
  return begin_copies<OldReductionItem>(count, data);
}
MYR_OMP_API void* __kmpc_taskred_modifier_init(const Ident*, int, int, int count, void* data) {
  return begin_common_copies<ReductionItem>(count, data);
}
MYR_OMP_API void* __kmpc_task_reduction_modifier_init(const Ident*, int, int, int count,
                                                      void* data) {
  return begin_common_copies<OldReductionItem>(count, data);
}
MYR_OMP_API void __kmpc_end_taskgroup(const Ident*, int);
MYR_OMP_API void __kmpc_task_reduction_modifier_fini(const Ident* ident, int number, int) {
  __kmpc_end_taskgroup(ident, number);
}
// The calling thread's copy of a variable; `group`: where to look first, none: the task's.
MYR_OMP_API void* __kmpc_task_reduction_get_th_data(int, void* group, void* address) {
  Thread& self = myr::omp::self();
  const Group* at = group != nullptr ? static_cast<Group*>(group) : self.at.task->group;
  for (; at != nullptr; at = at->outer) {
    if (at->copies == nullptr) continue;
    const unsigned item = at->copies->find(address);
    if (item != at->copies->count) return copy_of_thread(*at->copies, item, self.at.index);
  }
  fail("couldn't find matching task_reduction or reduction with task modifier for %p", address);
}
