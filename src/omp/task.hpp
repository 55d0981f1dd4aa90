// SPDX-License-Identifier: Apache-2.0
//
// A task of OpenMP, and the queue of those that a thread has ready. See docs/design/omp.md.
//
// Memory: a task lives in blocks of the graph's arena, whose memory never becomes anything but
// tasks, so that a stale reference to one (graph::TaskRef) is recognised by its generation. It goes
// back to the pool of the thread that made it when its body has ended and no child is left that
// may ask for its parent; so does an ancestor whose only child is about to have children itself
// (skip_ended()): a chain of tasks in which each spawns the next and ends is as long as its part
// that is alive.
//
// Threads: until it is queued only the spawning one writes; then `waiting`, `successors`,
// `balance`, `event` by any thread, the rest by the thread that runs it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/successor_list.hpp"
#include "graph/wait_count.hpp"
#include "omp/settings.hpp"
#include "omp/wait.hpp"
#include "sync/atomic.hpp"

namespace myr::omp {

struct DependTable;
struct ReductionCopies;
struct Slot;
struct Team;
struct Thread;

// A taskgroup: counts its tasks.
struct Group {
  static constexpr std::uint32_t kAwaited = std::uint32_t{1} << 31;  // its thread sleeps for them

  Group* outer = nullptr;
  sync::Atomic<std::uint32_t> live{0};       // tasks, and kAwaited [omp.group]
  sync::Atomic<std::uint32_t> cancelled{0};  // a flag, read as a hint
  std::uintptr_t* reductions = nullptr;      // gcc's arrays, newest first
  ReductionCopies* copies = nullptr;         // of the reductions that clang describes
  bool is_workshare = false;
};

// Further edges of a task that waits for several others.
struct EdgeBlock {
  static constexpr unsigned kEdges = 7;
  struct alignas(graph::kGranuleBytes) Place {
    graph::Edge edge;
  };
  EdgeBlock* next;
  std::uint64_t unused;
  Place places[kEdges];
};

enum TaskFlag : std::uint16_t {
  kFinal = 1,
  kCopied = 2,     // its arguments were constructed: it runs even if it is cancelled
  kDetached = 4,   // ends when its body has and its event has been fulfilled
  kWaiter = 8,     // no task: its parent waits for what it depends on
  kExternal = 16,  // its arguments are in a block of their own
  kLinked = 32,    // others may wait for it
  kFilled = 64,    // by the program itself; its body calls what the program gave
  kUntied = 128,   // while it waits, its thread may run tasks that are not below it
  kAdopted = 256   // its parent has ended, and a wait above counted that one
};

struct alignas(64) Task {
  graph::SuccessorList successors;
  graph::WaitCount waiting;
  std::uint16_t flags = 0;
  std::uint8_t size_class = 0;
  struct alignas(graph::kGranuleBytes) {
    graph::Edge first;
  } edge;
  void (*body)(void*) = nullptr;
  sync::Plain<void*> data = nullptr;
  sync::Plain<Task*> next = nullptr;  // in a queue, a list of ready ones, or a pool
  sync::Plain<Task*> before = nullptr;

  const Icv* icv = nullptr;
  Group* group = nullptr;
  Team* team = nullptr;
  Thread* home = nullptr;
  sync::Plain<DependTable*> depends = nullptr;  // of its children
  EdgeBlock* more_edges = nullptr;
  // Low half: children that have ended; kAllEnded less `spawned` is added while it sleeps until all
  // have. High half: children whose memory is free again, less `spawned` once it has ended itself;
  // the thread that brings that to 0 frees it.
  sync::Atomic<std::uint64_t> balance{0};  // [omp.balance]

  std::int32_t priority = 0;
  sync::Atomic<std::uint32_t> event{0};  // with kDetached: what has happened [omp.event]

  // What is_below() climbs, in one line. An ancestor `jump` makes a climb of n tasks log n steps.
  sync::Plain<Task*> parent = nullptr;
  sync::Plain<Task*> jump = nullptr;
  std::uint32_t depth = 0;    // 0: implicit
  std::uint32_t spawned = 0;  // children; the thread that runs it

  // In front of the arguments, for an entry point that has something to keep there.
  static constexpr std::size_t kRoomInFront = 32;
  static constexpr std::size_t kArgumentAlign = 64;
  alignas(kRoomInFront) std::byte front[kRoomInFront];

  [[nodiscard]] std::byte* payload() noexcept {
    return reinterpret_cast<std::byte*>(this) + sizeof(Task);
  }
  // Where its arguments are, at a multiple of kArgumentAlign.
  [[nodiscard]] std::byte* arguments() noexcept {
    return (flags & kExternal) == 0 ? payload() : external() + kArgumentAlign;
  }
  // The block of one that is kExternal; its begin stands for `front`.
  [[nodiscard]] std::byte* external() noexcept { return *reinterpret_cast<std::byte**>(payload()); }
};
static_assert(offsetof(Task, edge) % graph::kGranuleBytes == 0, "edges are named by granule");
#ifndef MYR_MODEL  // whose variables are larger
static_assert(sizeof(EdgeBlock) == 128);
static_assert(offsetof(Task, parent) / 64 == offsetof(Task, depth) / 64);
static_assert(sizeof(Task) == 192);
#endif

// Makes it a child. REQUIRES: it has no children, and is in no queue.
inline void put_below(Task* parent, Task* task) noexcept {
  // Jumps are as long as those of skew binary numbers: one a task is enough for a short climb.
  Task* const far = parent->jump;
  Task* const farther = far->jump;
  const bool joins = parent->depth - far->depth == far->depth - farther->depth;
  task->jump = joins ? farther : parent;
  task->parent = parent;
  task->depth = parent->depth + 1;
}

// Is the task `ancestor`, or below it? REQUIRES: it has not ended.
[[nodiscard]] inline bool is_below(const Task* task, const Task* ancestor) noexcept {
  while (task->depth > ancestor->depth) {
    const Task* const far = task->jump;
    const Task* const above = task->parent;
    task = far->depth >= ancestor->depth ? far : above;
  }
  return task == ancestor;
}

// How a thread looks into a queue for a task that it may run: at all that are there, or, while it
// has nothing better to do than to look again, at a few, so that the queue's owner need not wait.
enum class Look : std::uint8_t { Quick, Whole };

// What a thief got: a task to run, or nullptr, and how many with it.
struct Stolen {
  Task* task = nullptr;
  unsigned count = 0;
};

// The ready tasks of one thread of a team, in order of age, or of priority where there is any. Any
// thread may call everything. Cost: an uncontended lock.
class TaskQueue {
 public:
  void push(Task* task) noexcept;
  // Adds some, the oldest first, as newer than all that are there. Their priorities are equal.
  void push_all(Task* const* tasks, unsigned count) noexcept;
  // The newest one, below `ancestor` if one is given.
  [[nodiscard]] Task* take(const Task* ancestor, Look look) noexcept;
  // Moves some of the oldest, at most half, to the end of another queue, and returns one of them.
  // If `ancestor` is given, moves none, and returns one below it.
  [[nodiscard]] Stolen steal(TaskQueue& thief, const Task* ancestor, Look look) noexcept;
  // So full that a task is better run where it is spawned? A hint.
  [[nodiscard]] bool is_full() const noexcept { return count() >= kEnough; }
  // A hint.
  [[nodiscard]] std::uint32_t count() const noexcept { return count_.load(sync::relaxed); }

 private:
  static constexpr std::uint32_t kEnough = 64;
  static constexpr unsigned kStealMax = 16;
  static constexpr unsigned kQuick = 8;  // tasks that a quick look sees
  void unlink(Task* task) noexcept;
  // The first that may be taken. REQUIRES: the lock.
  [[nodiscard]] Task* find(const Task* ancestor, bool newest_first, Look look) const noexcept;

  Mutex lock_;
  sync::Atomic<std::uint32_t> count_{0};  // written under the lock
  sync::Plain<Task*> oldest_ = nullptr;
  sync::Plain<Task*> newest_ = nullptr;
};

// The memory for tasks of one thread: blocks of some sizes. Its thread only, except for
// give_back().
class TaskPool {
 public:
  static constexpr unsigned kClasses = 5;
  static constexpr std::size_t kBytes[kClasses] = {128, 256, 384, 1024, 4096};
  static constexpr unsigned kEdgeClass = 0;

  // A block of at least so many bytes; the last class if there is none so large. Ends the process
  // with a message if there is no memory.
  [[nodiscard]] Task* take(std::size_t bytes);
  void recycle(Task* task) noexcept {
    task->next = free_[task->size_class];
    free_[task->size_class] = task;
  }
  // A block for edges; given back by recycle_edges().
  [[nodiscard]] EdgeBlock* take_edges();
  void recycle_edges(EdgeBlock* block) noexcept {
    block->next = edges_;
    edges_ = block;
  }
  // Tasks that are chained by `next`, from any thread.
  void give_back(Task* first, Task* last) noexcept;

 private:
  [[nodiscard]] std::byte* carve(std::size_t bytes);
  MYR_COLD void take_returned() noexcept;

  Task* free_[kClasses] = {};
  EdgeBlock* edges_ = nullptr;
  std::byte* chunk_ = nullptr;
  std::size_t chunk_left_ = 0;
  sync::Atomic<Task*> returned_{nullptr};  // [omp.returned]
};

// Children of one task that have ended in a thread and are still to be counted: a thread that runs
// many in a row counts them together. Its thread only. While it runs another child of the same task
// nobody can miss them, as a wait for them is one for that child, too.
struct Ended {
  Task* parent = nullptr;
  Group* group = nullptr;
  Slot* slot = nullptr;  // in which they ran
  std::uint32_t count = 0;
  Thread* home = nullptr;  // whose memory these have
  Task* first = nullptr;
  Task* last = nullptr;
};

// ---- What the entry points call. `self` is the calling thread.

// The dependences of a task as clang describes them, an entry for each.
struct DependInfo {
  std::uintptr_t address;
  std::size_t bytes;  // not used: dependences are on addresses
  std::uint8_t kinds;
};
static_assert(sizeof(DependInfo) == 24);

// The dependences of a task in one of the two forms in which compilers describe them.
struct Depends {
  void** words = nullptr;             // gcc's
  const DependInfo* infos = nullptr;  // clang's ...
  std::size_t info_count = 0;         // ... and how many

  Depends() = default;
  Depends(void** gcc) noexcept : words(gcc) {}
  Depends(const DependInfo* clang, std::size_t count) noexcept : infos(clang), info_count(count) {}
  [[nodiscard]] bool any() const noexcept { return words != nullptr || info_count != 0; }
};

struct TaskRequest {
  void (*body)(void*);
  void* data;
  void (*copy)(void*, void*);
  std::size_t size;
  std::size_t align;
  bool deferred;
  unsigned flags;  // of the entry point
  Depends depend;
  int priority;
  void* detach;
  const std::uint64_t* range = nullptr;  // taskloop: what the first two words of the data become
};

void spawn(Thread& self, const TaskRequest& request);
// What the entry point says of a task, and its arguments.
void set_kind(Task* task, const TaskRequest& request) noexcept;
void copy_arguments(Thread& self, Task* task, const TaskRequest& request);
// The same in steps, for a compiler that fills in the arguments itself: a child of the running
// task with so many bytes for arguments; the caller sets its body, data and flags, and then either
// submits it, or runs its body between begin_here() and end_here().
[[nodiscard]] Task* make_task(Thread& self, std::size_t argument_bytes);
void submit(Thread& self, Task* task, const Depends& depend);
void begin_here(Thread& self, Task* task);
void end_here(Thread& self, Task* task);
// Is it, or what it belongs to, cancelled? A hint.
[[nodiscard]] bool is_cancelled(const Task* task) noexcept;
// Waits until the children of the running task have ended, and runs tasks below it meanwhile.
void wait_for_children(Thread& self);
// Waits until all children of the running task on which these dependences depend have ended.
void wait_for_depend(Thread& self, const Depends& depend);
void begin_group(Thread& self);
void end_group(Thread& self);
// Runs a task that may run here while the running one waits, if there is one.
bool run_one(Thread& self);
void fulfill(Task* task);
// The children of a task that ends, or whose region does, need not be ordered any more.
void forget_depends(Thread& self, Task* task) noexcept;

// ---- Dependences (depend.cpp)

// Links the task behind those children of its parent that its dependences name. True: it is ready.
[[nodiscard]] bool link_depends(Thread& self, Task* task, const Depends& depend);
// Has every child of the running task on which these dependences depend ended? False if it would
// take long to find out.
[[nodiscard]] bool are_met(Thread& self, const Depends& depend) noexcept;
// The same for one that only waits, of which no other task will know. True: it need not.
[[nodiscard]] bool link_waiter(Thread& self, Task* waiter, const Depends& depend);

}  // namespace myr::omp
