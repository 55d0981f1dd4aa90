// SPDX-License-Identifier: Apache-2.0
//
// Locks and critical constructs. Two parts that hold the same lock never run at the same time. They
// are in order, too, if the lock has been taken by the one, in every execution, before the other
// one asks for it: then it has to be released first.
#include <unordered_map>

#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

namespace myr::check::omp {

namespace {

struct Lock {
  bool is_held = false;
  const Task* owner = nullptr;  // if it is held
  unsigned depth = 0;           // how often its owner has taken it, if it may do so
  bool was_held = false;
  unsigned waiting_count = 0;
  Strand taken = 0;
  Strand released = 0;
};

Lock& lock_at(std::uint64_t address) {
  static auto& locks = *new std::unordered_map<std::uint64_t, Lock>;
  return locks[address];
}

// Teams of a league do not wait for each other: each has locks of its own.
std::uint64_t in_league(std::uint64_t address) {
  constexpr unsigned kAddressBits = 48;
  return address | static_cast<std::uint64_t>(league_index()) << kAddressBits;
}

void take(Task& task, Lock& lock, std::uint64_t address) {
  const bool is_behind =
      lock.was_held && races().strands().is_before(lock.taken, task.runner.strand);
  go_on(task, is_behind ? std::vector<Strand>{lock.released} : std::vector<Strand>());
  task.runner.locks = races().locks().with(task.runner.locks, {address});
  lock.is_held = true;
  lock.owner = &task;
  lock.taken = task.runner.strand;
  // Under the lock the thread may get a number that no other thread has.
  if (!task.is_in_chunk && !task.is_explicit) races().part(task.runner.part).knows_thread = true;
}

}  // namespace

void acquire(std::uint64_t lock_address) {
  const std::uint64_t address = in_league(lock_address);
  Lock& lock = lock_at(address);
  lock.waiting_count += 1;
  wait_until([&] { return !lock.is_held; });
  lock.waiting_count -= 1;
  take(task(), lock, address);
}

void note_acquired(std::uint64_t address) { take(task(), lock_at(address), address); }

bool try_to_acquire(std::uint64_t lock_address) {
  const std::uint64_t address = in_league(lock_address);
  Lock& lock = lock_at(address);
  if (lock.is_held) {
    let_others_run();
    return false;
  }
  take(task(), lock, address);
  return true;
}

void release(std::uint64_t address) { note_released(in_league(address)); }

void note_released(std::uint64_t address) {
  Task& task = omp::task();
  Lock& lock = lock_at(address);
  lock.is_held = false;
  lock.was_held = true;
  lock.released = task.runner.strand;
  Locks& locks = races().locks();
  if (locks.has(task.runner.locks, address)) {  // a semaphore may be another one's
    task.runner.locks = locks.without(task.runner.locks, address);
  }
  go_on(task);
  if (lock.waiting_count != 0) let_others_run();  // they are next
}

void release_critical(std::uint64_t lock) {
  release(lock);
  constexpr unsigned kBetween = 64;  // a thread may take it again and again, until others have
  static unsigned count = 0;         // done something in it
  if (++count % kBetween == 0) let_others_run();
}

unsigned acquire_nested(std::uint64_t address) {
  Lock& lock = lock_at(in_league(address));
  if (!lock.is_held || lock.owner != &task()) acquire(address);
  return ++lock.depth;
}

unsigned try_to_acquire_nested(std::uint64_t address) {
  const Lock& lock = lock_at(in_league(address));
  if (lock.is_held && lock.owner != &task()) {
    let_others_run();
    return 0;
  }
  return acquire_nested(address);
}

void release_nested(std::uint64_t address) {
  if (--lock_at(in_league(address)).depth == 0) release(address);
}

}  // namespace myr::check::omp
