// SPDX-License-Identifier: Apache-2.0
//
// Dependences between the children of one task. They are on exact addresses, and end with the body
// of the task that has them.
//
// For each address there are two generations of tasks: those that use it now, which do not wait for
// each other, and those before, for which each of the present ones waits. One that cannot join the
// present ones begins the next generation. A generation of writers has one member; `in` makes
// generations of readers, `inoutset` generations of its own. `mutexinoutset` is `inout` here: one
// after the other is one of the orders that it allows.
//
// Threads: only the one that runs the parent; the tasks named in the lists may end meanwhile.
#include <cstdlib>
#include <new>
#include <vector>

#include "graph/task_arena.hpp"
#include "omp/task.hpp"
#include "omp/team.hpp"
#include "omp/wait_until.hpp"

namespace myr::omp {

enum class Use : std::uint8_t { In = 1, Out = 2, InoutSet = 5 };

namespace {

struct Access {
  const void* address;
  Use use;
};

Use use_of(std::uintptr_t kind) {
  switch (kind) {
    case 1:
      return Use::In;
    case 2:
    case 3:
    case 4:
      return Use::Out;
    case 5:
      return Use::InoutSet;
    default:
      fail("a depend object has the unknown kind %zu", static_cast<std::size_t>(kind));
  }
}

enum DependKind : std::uint8_t { kIn = 1, kInoutSet = 8, kAllMemory = 0x80 };

template <class Visit>
void for_each_info(const DependInfo* infos, std::size_t count, Visit visit) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint8_t kinds = infos[i].kinds;
    const Use use = kinds == kIn ? Use::In : kinds == kInoutSet ? Use::InoutSet : Use::Out;
    const bool all = (kinds & kAllMemory) != 0 || infos[i].address == ~std::uintptr_t{0};
    visit(Access{all ? nullptr : reinterpret_cast<const void*>(infos[i].address), use});
  }
}

// Calls `visit` for each dependence that the compiler describes.
template <class Visit>
void for_each_access(const Depends& depends, Visit visit) {
  void** depend = depends.words;
  if (depend == nullptr) return for_each_info(depends.infos, depends.info_count, visit);
  const auto word = [depend](std::size_t i) { return reinterpret_cast<std::uintptr_t>(depend[i]); };
  if (word(0) != 0) {
    const std::size_t count = word(0);
    const std::size_t outs = word(1);
    for (std::size_t i = 0; i < count; ++i) {
      visit(Access{depend[2 + i], i < outs ? Use::Out : Use::In});
    }
    return;
  }
  const std::size_t count = word(1);
  const std::size_t writers = word(2) + word(3);
  const std::size_t plain = writers + word(4);
  for (std::size_t i = 0; i < count; ++i) {
    if (i < plain) {
      visit(Access{depend[5 + i], i < writers ? Use::Out : Use::In});
    } else {
      void* const* object = static_cast<void**>(depend[5 + i]);
      visit(Access{object[0], use_of(reinterpret_cast<std::uintptr_t>(object[1]))});
    }
  }
}

}  // namespace

// Some tasks; most lists have one.
class RefList {
 public:
  RefList() = default;
  RefList(const RefList&) = delete;
  RefList& operator=(const RefList&) = delete;
  ~RefList() { std::free(more_); }

  void clear() noexcept { count_ = 0; }
  void add(graph::TaskRef ref) {
    if (count_ > room_) grow();
    (count_ == 0 ? first_ : more_[count_ - 1]) = ref;
    count_ += 1;
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return count_; }
  [[nodiscard]] graph::TaskRef operator[](std::uint32_t i) const noexcept {
    return i == 0 ? first_ : more_[i - 1];
  }
  void swap(RefList& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(more_, other.more_);
    std::swap(count_, other.count_);
    std::swap(room_, other.room_);
  }
  // Have they all? What they wrote is visible then.
  [[nodiscard]] bool has_ended() const noexcept {
    for (std::uint32_t i = count_; i > 0; --i) {
      const graph::TaskRef ref = (*this)[i - 1];
      if (!graph::TaskArena::is_complete(ref)) return false;
      note_acquire(graph::TaskArena::task(ref.granule()));
    }
    return true;
  }
  // Drops those that have ended, whose writes are visible then; a list that readers only add to
  // would grow for ever.
  void drop_ended() noexcept {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count_; ++i) {
      const graph::TaskRef ref = (*this)[i];
      if (graph::TaskArena::is_complete(ref)) {
        note_acquire(graph::TaskArena::task(ref.granule()));
        continue;
      }
      (kept == 0 ? first_ : more_[kept - 1]) = ref;
      ++kept;
    }
    count_ = kept;
  }

 private:
  void grow() {
    drop_ended();
    if (count_ <= room_ / 2) return;
    room_ = room_ == 0 ? 4 : 2 * room_;
    void* memory = std::realloc(static_cast<void*>(more_), room_ * sizeof *more_);
    if (memory == nullptr) fail("Out of memory for the dependences of tasks");
    more_ = static_cast<graph::TaskRef*>(memory);
  }

  graph::TaskRef first_;
  graph::TaskRef* more_ = nullptr;
  std::uint32_t count_ = 0;
  std::uint32_t room_ = 0;  // in more_
};

struct Entry {
  const void* address = nullptr;
  bool used = false;
  Use use = Use::Out;
  RefList now;
  RefList before;
};

// The addresses that children of one task have named: open addressing, at most half full.
struct DependTable {
  Entry* entries = nullptr;
  std::uint32_t room = 0;
  std::uint32_t used = 0;
  DependTable() = default;
  DependTable(const DependTable&) = delete;
  DependTable& operator=(const DependTable&) = delete;
  ~DependTable() { delete[] entries; }

  [[nodiscard]] std::uint32_t home(const void* address) const noexcept {
    const auto bits = reinterpret_cast<std::uint64_t>(address) * 0x9E3779B97F4A7C15ULL;
    return static_cast<std::uint32_t>(bits >> 32) & (room - 1);
  }
  // nullptr: nobody has named it.
  [[nodiscard]] Entry* find(const void* address) noexcept {
    if (room == 0) return nullptr;
    for (std::uint32_t i = home(address); entries[i].used; i = (i + 1) & (room - 1)) {
      if (entries[i].address == address) return &entries[i];
    }
    return nullptr;
  }
  [[nodiscard]] Entry& get(const void* address) {
    if (Entry* entry = find(address)) return *entry;
    if (2 * (used + 1) > room) grow();
    std::uint32_t i = home(address);
    while (entries[i].used) i = (i + 1) & (room - 1);
    used += 1;
    entries[i].used = true;
    entries[i].address = address;
    return entries[i];
  }

 private:
  // Addresses whose tasks have all ended are forgotten.
  void grow() {
    Entry* old = entries;
    const std::uint32_t old_room = room;
    std::uint32_t alive = 0;
    for (std::uint32_t i = 0; i < old_room; ++i) {
      if (!old[i].used) continue;
      old[i].now.drop_ended();
      old[i].before.drop_ended();
      old[i].used = old[i].now.count() + old[i].before.count() != 0;
      alive += old[i].used ? 1 : 0;
    }
    room = 16;
    while (room < 4 * (alive + 1)) room *= 2;
    entries = new Entry[room];
    used = alive;
    for (std::uint32_t from = 0; from < old_room; ++from) {
      if (!old[from].used) continue;
      std::uint32_t to = home(old[from].address);
      while (entries[to].used) to = (to + 1) & (room - 1);
      entries[to].used = true;
      entries[to].address = old[from].address;
      entries[to].use = old[from].use;
      entries[to].now.swap(old[from].now);
      entries[to].before.swap(old[from].before);
    }
    delete[] old;
  }
};

namespace {

// Makes a task wait for others.
class Linking {
 public:
  Linking(Thread& self, Task* task) noexcept
      : self_(self), task_(task), granule_(graph::TaskArena::granule(task)) {
    task->waiting.start();
  }

  void link(const RefList& list) {
    for (std::uint32_t i = 0; i < list.count(); ++i) link(list[i]);
  }
  [[nodiscard]] std::uint32_t count() const noexcept { return linked_; }

 private:
  void link(graph::TaskRef ref) {
    graph::Task* before = graph::TaskArena::task(ref.granule());
    if (graph::TaskArena::is_complete(ref)) return note_acquire(before);
    if (reinterpret_cast<Task*>(before) == task_) return;
    if (spare_ == nullptr) spare_ = new_edge();
    spare_->task = granule_;
    const auto pushed =
        before->successors.push(ref.generation(), graph::TaskArena::granule(spare_), *spare_);
    if (pushed != graph::SuccessorList::Push::Linked) return note_acquire(before);
    linked_ += 1;
    spare_ = nullptr;
  }
  graph::Edge* new_edge() {
    if (!has_used_first_) {
      has_used_first_ = true;
      return &task_->edge.first;
    }
    if (left_ == 0) {
      EdgeBlock* block = self_.pool.take_edges();
      block->next = task_->more_edges;
      task_->more_edges = block;
      left_ = EdgeBlock::kEdges;
    }
    return &task_->more_edges->places[--left_].edge;
  }

  Thread& self_;
  Task* task_;
  graph::Granule granule_;
  graph::Edge* spare_ = nullptr;
  bool has_used_first_ = false;
  unsigned left_ = 0;
  std::uint32_t linked_ = 0;
};

bool shares(const Entry& entry, Use use) noexcept { return use != Use::Out && entry.use == use; }

// Links the task behind those that used the address, and notes that it uses it.
void enter(Entry& entry, Use use, graph::TaskRef ref, Linking& linking) {
  const bool is_in = entry.now.count() != 0 && entry.now[entry.now.count() - 1] == ref;
  if (is_in && (entry.use == use || entry.use == Use::Out)) return;  // named twice
  if (!is_in && entry.now.count() != 0 && shares(entry, use)) {
    linking.link(entry.before);
    entry.now.add(ref);
    return;
  }
  linking.link(entry.now);
  if (is_in) linking.link(entry.before);  // it may be the only one of the present generation
  entry.before.swap(entry.now);
  entry.now.clear();
  entry.now.add(ref);
  entry.use = is_in ? Use::Out : use;
}

// gcc 13's omp_all_memory: a dependence on everything.
bool names_all_memory(const Depends& depend) {
  bool all = false;
  for_each_access(depend, [&all](const Access& access) {
    all |= access.address == nullptr && access.use == Use::Out;
  });
  return all;
}

}  // namespace

bool link_depends(Thread& self, Task* task, const Depends& depend) {
  Task* parent = task->parent;
  if (parent->depends == nullptr) parent->depends = new DependTable;
  DependTable& table = *parent->depends;
  const auto* as_graph = reinterpret_cast<const graph::Task*>(task);
  const graph::TaskRef ref = graph::TaskArena::ref(as_graph);
  Linking linking(self, task);
  if (MYR_UNLIKELY(names_all_memory(depend))) {
    for (std::uint32_t i = 0; i < table.room; ++i) {
      if (table.entries[i].used) enter(table.entries[i], Use::Out, ref, linking);
    }
  }
  // A task that names anything also reads `all memory`: entered only where somebody has named that.
  if (Entry* all = table.find(nullptr)) enter(*all, Use::In, ref, linking);
  for_each_access(depend, [&](const Access& access) {
    enter(table.get(access.address), access.use, ref, linking);
  });
  note_release(task);  // what those wrote that had ended before; it may run from now on
  return task->waiting.commit(linking.count());
}

bool are_met(Thread& self, const Depends& depend) noexcept {
  DependTable* table = self.at.task->depends;
  if (table == nullptr) return true;
  if (names_all_memory(depend) || table->find(nullptr) != nullptr) return false;
  bool met = true;
  for_each_access(depend, [&](const Access& access) {
    const Entry* entry = table->find(access.address);
    if (entry == nullptr) return;
    met = met && entry->before.has_ended();
    if (!shares(*entry, access.use)) met = met && entry->now.has_ended();
  });
  return met;
}

bool link_waiter(Thread& self, Task* waiter, const Depends& depend) {
  DependTable& table = *self.at.task->depends;
  Linking linking(self, waiter);
  if (MYR_UNLIKELY(names_all_memory(depend))) {
    for (std::uint32_t i = 0; i < table.room; ++i) {
      if (!table.entries[i].used) continue;
      linking.link(table.entries[i].now);
      linking.link(table.entries[i].before);
    }
  }
  const auto wait_for = [&](const void* address, Use use) {
    const Entry* entry = table.find(address);
    if (entry == nullptr) return;
    if (!shares(*entry, use)) linking.link(entry->now);
    linking.link(entry->before);
  };
  wait_for(nullptr, Use::In);  // as link_depends() does
  for_each_access(depend, [&](const Access& access) { wait_for(access.address, access.use); });
  waiter->waiting.commit_held(linking.count());
  return waiter->waiting.is_last();
}

void forget_depends(Thread&, Task* task) noexcept {
  if (MYR_LIKELY(task->depends == nullptr)) return;
  delete task->depends;
  task->depends = nullptr;
}

}  // namespace myr::omp
