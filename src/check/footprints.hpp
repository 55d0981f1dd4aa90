// SPDX-License-Identifier: Apache-2.0
//
// Footprints: what the tasks of a serial run declare and what they touch. A pure state machine: it
// is told when bodies begin and end, what is waited for and what is allocated, and asked about each
// access: is there a schedule in which it comes at the same time as a conflicting one?
//
// A task owns what it declares, its frames, what it or its children allocate, and closures. It may
// touch other bytes if all tasks that touch them in a conflicting way are sure to come before or
// behind it. Memory of regions must be declared in any case: where tasks have no memory in common,
// it would not be transferred otherwise.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/byte_map.hpp"
#include "check/handovers.hpp"
#include "check/history.hpp"
#include "check/locks.hpp"
#include "check/order.hpp"
#include "check/wasted.hpp"
#include "engine/checker.hpp"
#include "myr/myr.h"

namespace myr::check {

struct Touch {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  bool writes = false;
  const void* place = nullptr;  // in the program's code
  bool is_atomic = false;       // in any order with others of its kind
};

enum class Mistake : std::uint8_t {
  None,
  Undeclared,   // memory of a region that the task has not declared
  Outside,      // memory of a region, but of no object
  Freed,        // an object of a region that is gone
  ReadOnly,     // written, though declared as in
  PassedOn,     // touched, though declared as notransfer or weak
  Unordered,    // not declared, and another task may use it at the same time
  ChildWrites,  // used by the parent while a child may write it
  ChildReads,   // written by the parent while a child may read it
  Together,     // declared as concurrent, and another task may use it at the same time, too
  Reduced,      // by a task that reduces into it, and has a copy of its own
  InUse,        // freed while another task may use it
  Above,        // declared by two tasks, but not by one that has spawned one of them
  Dangling,     // of a frame of a task that may have returned by then
  Unwritten,    // declared as out, and read before anybody has written it
  Named,        // a container that another task may change, and has not declared, when it is named
  // No mistakes where tasks share memory: not declared, and written, or read, where no other task
  // uses it at the same time in a way that conflicts.
  Alone,
  ReadsAlone,
};

// The site of a task whose place of spawn is not known.
inline constexpr myr_site kNowhere{};

struct Finding {
  Mistake mistake = Mistake::None;
  Touch touch = {};
  const myr_site* task = nullptr;  // where it was spawned that touches the bytes; nullptr: main
  // Unordered, Child...: where the other one was; Unwritten: the one that has declared them as out.
  const myr_site* other = nullptr;
  bool other_writes = false;
  bool is_declared = false;       // Child...: the parent has declared the bytes, or is main;
                                  // Unwritten: the task itself has
  bool is_weak = false;           // PassedOn: as that declared
  std::uint64_t first_wrong = 0;  // byte
  explicit operator bool() const noexcept { return mistake != Mistake::None; }
};

class Footprints {
 public:
  using Memory = engine::Checker::Memory;

  Footprints() : running_(1), sites_(1) {}

  // The first task is about to be spawned. `stack_end`: behind the frames of main's thread.
  void start(const Memory& memory, std::uint64_t stack_end) {
    memory_ = &memory;
    stack_end_ = stack_end;
  }

  void begin(const engine::Checker::Task& task);
  void end();
  void wait(const myr_access* accesses, std::size_t count);
  void wait_all();
  // The running task has made an event, and ends only when that is completed.
  void made_event() { running_.back().has_events = true; }
  // Memory has been allocated by nested calls, the innermost first, or, in a region, by a call at
  // `site`.
  using Places = std::vector<const void*>;  // behind the calls
  void allocated(std::uint64_t first, std::uint64_t bytes, const Places* places,
                 const myr_site* site);
  // Memory has been allocated by the program's own code in front of `place`, not by a library for
  // it.
  void made_by_program(std::uint64_t first, std::uint64_t bytes, const void* place);
  // What was allocated there is gone.
  void gone(std::uint64_t first, std::uint64_t bytes);
  // The same for an object of a region; 0: for all of a region. Nobody may touch it any more.
  void freed(std::uint64_t first, const myr_site* site);
  // The running task is about to give back what was allocated there, by a call in front of `place`.
  [[nodiscard]] Finding give_back(std::uint64_t first, std::uint64_t bytes, const void* place);
  // What it runs has returned: its frames below are gone.
  void left_frames(std::uint64_t stack) { look_at_frames(running_.back(), stack); }
  // All frames that unfinished tasks use are at this address or above.
  [[nodiscard]] std::uint64_t lowest_frame() const noexcept { return lowest_frame_; }

  // The running task takes a lock, or lets it go.
  void lock(const Locks::Lock& lock);
  void unlock(std::uint64_t id);
  [[nodiscard]] bool holds(std::uint64_t id) const noexcept {
    return locks_.has(running_.back().locks, id);
  }
  [[nodiscard]] bool has_locks() const noexcept { return running_.back().locks_taken != 0; }
  // It leaves a pointer to others, under a lock or by an atomic operation; it takes one.
  void leave(std::uint64_t pointer) { handovers_.leave(pointer, running_.back().task); }
  void take(std::uint64_t pointer) { handovers_.take(pointer, running_.back().task); }
  // It has changed an atomic counter.
  void count(std::uint64_t counter, bool is_zero) {
    handovers_.count(counter, is_zero, running_.back().task);
  }

  // May the running task do that? `stack`: its frames are not below. Notes what is not declared.
  [[nodiscard]] Finding look(const Touch& touch, std::uint64_t stack);
  // Is it sure that it may, until the next call that tells something? Notes nothing.
  [[nodiscard]] bool allows(const Touch& touch, std::uint64_t stack) const;
  // What was allocated around the address; no bytes: nothing that is known.
  struct Block {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;
    const Places* places = nullptr;
    const myr_site* site = nullptr;
    const myr_site* freed = nullptr;  // where
  };
  [[nodiscard]] Block block_around(std::uint64_t address) const {
    return allocated_at(address).block;
  }
  // Each thread has such a block of its own, so no two tasks use it at the same time.
  void note_thread_local(const Block& block);
  // Returns the mistakes that became visible only later.
  [[nodiscard]] std::vector<Finding> take_late() { return std::exchange(late_, {}); }
  // Notes from now on which declarations are used.
  void look_for_wasted() { looks_for_wasted_ = true; }
  [[nodiscard]] bool looks_for_wasted() const noexcept { return looks_for_wasted_; }
  void note_used(const Touch& touch);
  [[nodiscard]] const Wasted& wasted() const noexcept { return wasted_; }
  [[nodiscard]] std::size_t task_count() const noexcept { return task_count_; }
  [[nodiscard]] bool is_in_task() const noexcept { return running_.size() > 1; }
  // Does the running task declare a region that has the address?
  [[nodiscard]] bool declares_region_around(std::uint64_t address) const {
    return is_in_regions(running_.back().uses, address, false, true);
  }
  // Whatever main touches is right now.
  [[nodiscard]] bool is_free() const noexcept {
    const Running& main = running_.front();
    return running_.size() == 1 && main.children.empty() && main.region_children.empty() &&
           !has_freed_;
  }

 private:
  struct Child {
    Order::Id task;
    std::vector<Use> uses;
    std::uint64_t ended;            // in the order of allocations
    std::vector<Child> below = {};  // its own, for which it has not waited
  };
  // What a task may do with bytes that it has declared. Share: anything, as long as no other task
  // that may run at the same time does something that conflicts.
  enum class May : std::uint8_t { Read, Share, Write };
  struct Running {
    Order::Id task = Order::kMain;
    std::vector<Use> uses = {};
    base::ByteMap<bool> reduced = {};          // into these it reduces
    mutable base::ByteMap<May> declared = {};  // so that it knows what it was asked last
    Order::Id first_of_two = Order::kMain;     // the latest child, if the next one waits for it
    Locks::Set locks = Locks::kNone;
    std::uint32_t locks_taken = 0;  // of these, apart from what it has declared as commutative
    std::uint64_t closure = 0;      // to its end
    std::uint64_t closure_end = 0;
    std::uint64_t stack = 0;  // its frames are below
    std::uint64_t began = 0;  // in the order of allocations
    // Children that have ended, and that nobody has waited for as far as we have looked that up.
    std::vector<Child> children = {};
    std::vector<Child> region_children = {};   // those that use regions
    std::size_t to_look_through = 0;           // children that may be, for what came since the last
    bool has_events = false;                   // which its children complete, if nobody else does
    std::vector<Order::Id> own_children = {};  // that use memory of which it has declared no byte
  };
  struct Allocated {
    std::uint64_t when = 0;
    Block block = {};
    bool is_thread_local = false;
  };
  [[nodiscard]] bool is_in(std::uint64_t address, myr_region region) const {
    return memory_->is_in(reinterpret_cast<const void*>(address), region);
  }
  // Nothing is known: an empty one.
  [[nodiscard]] Allocated allocated_at(std::uint64_t address) const;
  [[nodiscard]] bool conflicts(const Use& one, const Use& other) const;
  [[nodiscard]] bool conflict(const std::vector<Use>& some, const std::vector<Use>& others) const;
  // `waits`: by declaration, how many siblings are waited for because of it alone; nullptr: not
  // asked for.
  [[nodiscard]] std::vector<Order::Id> siblings_before(const std::vector<Use>& uses,
                                                       std::vector<std::uint32_t>* waits = nullptr);
  // The same for those that are weak, or for those that are not.
  [[nodiscard]] std::vector<Order::Id> siblings_before(std::vector<Use> uses, bool are_weak);
  void begin_wasted(const Running& task);
  void note_used(const Use& use);
  void wait_below(const Child& above, const std::vector<Use>& uses);
  void enter_declared(const Running& task);
  // A task that names a container with its elements reads where the elements are.
  void look_at_named(const Running& task);
  // Noted, and atomic or not.
  [[nodiscard]] bool only_reads(const History::User& user) const {
    return user.note != History::kDeclared && !undeclared_[user.note].writes;
  }
  [[nodiscard]] Way way_for_others(const Use& use) const;
  // Do all tasks above this one, and the running ones, below their common ancestor use the address?
  [[nodiscard]] bool is_used_above(Order::Id task, std::uint64_t address) const;
  [[nodiscard]] bool is_used(const Use& use, std::uint64_t address) const;
  [[nodiscard]] bool is_used(const std::vector<Use>& uses, std::uint64_t address) const;
  // The task may use what it has waited for as if it had declared that for itself.
  static void declare(Running& task, const Use& use);
  void get_passed_on(const std::vector<Use>& waited_for);
  // Looks for children that use frames of the task and may do so after these frames are gone.
  void look_at_frames(const Running& task, std::uint64_t below);
  void enter(std::uint64_t begin, std::uint64_t end, const History::User& user, bool waits = true);
  // Is the work of the earlier task over, in every schedule, when the running task goes on?
  [[nodiscard]] bool is_over(Order::Id earlier) const;
  [[nodiscard]] static std::vector<Locks::Lock> locks_of(const std::vector<Use>& uses);
  [[nodiscard]] bool is_of_own(const Use& use) const;
  void forget_waited_for(Running& task);
  // Does a region among the uses have the address, for this way?
  [[nodiscard]] bool is_in_regions(const std::vector<Use>& uses, std::uint64_t address,
                                   bool for_writing, bool also_passed_on) const;
  // Returns where the bytes from `begin` on end that the running task may use as its own.
  [[nodiscard]] std::uint64_t reach(std::uint64_t begin, std::uint64_t end, bool for_writing,
                                    std::uint64_t stack) const;
  [[nodiscard]] std::uint64_t reach_of_object(std::uint64_t at) const;
  [[nodiscard]] std::uint64_t reach_of_own(std::uint64_t at, std::uint64_t stack) const;
  // Looks among the tasks that may run at the same time. `may_be_made`: one of them may allocate
  // the bytes at any time.
  [[nodiscard]] Finding find_conflict(const Touch& touch, bool is_declared,
                                      bool may_be_made = false) const;
  [[nodiscard]] Finding find_freed(const Touch& touch) const;
  [[nodiscard]] Finding find_passed_on(const Touch& touch, std::uint64_t first) const;
  [[nodiscard]] Finding find_outside(const Touch& touch) const;
  [[nodiscard]] Finding find_reduced(const Touch& touch) const;
  // Does the running task declare any of these bytes as concurrent?
  [[nodiscard]] bool shares(const Touch& touch) const;
  [[nodiscard]] Finding look_shared(const Touch& touch);
  [[nodiscard]] Finding find_region_of_child(const Touch& touch) const;
  [[nodiscard]] History::Note note_of(const Touch& touch, Order::Id task);
  [[nodiscard]] Finding look_undeclared(const Touch& touch, std::uint64_t first);

  const Memory* memory_ = nullptr;
  std::vector<Running> running_;   // main first
  std::vector<Use> in_any_order_;  // with others, of those that run
  Order order_;
  std::vector<const myr_site*> sites_;  // by task
  History history_;
  Locks locks_;
  Handovers handovers_;
  std::vector<Touch> undeclared_{1};  // by note
  Order::Id noting_ = Order::kMain;
  std::unordered_map<std::uint64_t, History::Note> notes_;  // of that task, by place
  mutable base::ByteMap<Allocated> allocated_;  // so that it knows what it was asked last
  std::uint64_t allocation_count_ = 0;
  Wasted wasted_;
  bool looks_for_wasted_ = false;
  bool has_freed_ = false;  // an object or a region
  std::uint64_t stack_end_ = 0;
  std::uint64_t lowest_frame_ = ~std::uint64_t{0};
  std::vector<Finding> late_;
  std::size_t task_count_ = 0;
};

}  // namespace myr::check
