// SPDX-License-Identifier: Apache-2.0
//
// Nanos in software alone: one mutex guards a map from addresses to the last writer and the readers
// since, and each task's list of successors.
#pragma once

#include "nanos.hpp"

namespace nanos {

// An element of a list of tasks.
struct Link {
  Task* task;
  Link* next;
};

}  // namespace nanos

namespace nanos_sw {

using nanos::frame;
using nanos::kClosureWords;
using nanos::kNested;
using nanos::kRanges;
using nanos::Link;
using nanos::Locked;
using nanos::submit;
using nanos::submit_child;
using nanos::take_child_slot;
using nanos::take_slot;
using nanos::Task;
using nanos::wait_all;
using nanos::wait_children;
using nanos::work;

// What is known of an address while unfinished tasks use it.
struct Use {
  uint64_t address;
  Task* writer;    // unfinished, or none
  Link* readers;   // since that writer
  unsigned tasks;  // how many accesses of unfinished tasks name it
  Use* next;       // in its bucket, or free
};

class Map : public nanos::Dependences {
 public:
  Map() = default;
  void start() {
    for (Use& use : uses_) give(free_uses_, &use);
    for (Link& link : links_) give(free_links_, &link);
  }

  bool submit(Task* task) override {
    bool is_ready;
    {
      const Locked locked(mutex_);
      task->waits_for = 0;
      task->successors = nullptr;
      for (unsigned i = 0; i < task->access_count; ++i) {
        const nanos::Access& access = task->accesses[i];
        add(task, find_or_add(access.address), (access.direction & PICOS_DIRECTION_WRITES) != 0);
      }
      is_ready = task->waits_for == 0;
    }
    if (is_ready) nanos::scheduler->ready(task);
    return true;
  }

  void retire(Task* task) override {
    const Locked locked(mutex_);
    for (unsigned i = 0; i < task->access_count; ++i) remove(task, task->accesses[i].address);
    while (task->successors != nullptr) {
      Link* const link = take(task->successors);
      if (--link->task->waits_for == 0) nanos::scheduler->ready(link->task);
      give(free_links_, link);
    }
  }
  void poll() override {}

 private:
  // An access is in one list of readers at most, and makes at most one link when it comes and one
  // when what it reads is written.
  static constexpr unsigned kAccesses = nanos::kTasks * PICOS_DEPS_MAX;
  static constexpr unsigned kBuckets = 1024;

  template <class Element>
  static void give(Element*& list, Element* element) {
    element->next = list;
    list = element;
  }
  template <class Element>
  static Element* take(Element*& list) {
    Element* const element = list;
    list = element->next;
    return element;
  }
  static unsigned bucket_of(uint64_t address) {
    return static_cast<unsigned>((address >> 6 ^ address >> 16) % kBuckets);
  }

  Use* find(uint64_t address) {
    Use* use = buckets_[bucket_of(address)];
    while (use != nullptr && use->address != address) use = use->next;
    return use;
  }
  Use* find_or_add(uint64_t address) {
    if (Use* const use = find(address)) return use;
    Use* const use = take(free_uses_);
    *use = {address, nullptr, nullptr, 0, nullptr};
    give(buckets_[bucket_of(address)], use);
    return use;
  }
  void order(Task* before, Task* after) {
    if (before == after) return;
    Link* const link = take(free_links_);
    link->task = after;
    give(before->successors, link);
    after->waits_for += 1;
  }
  void add(Task* task, Use* use, bool writes) {
    use->tasks += 1;
    if (!writes) {
      if (use->writer != nullptr) order(use->writer, task);
      Link* const reader = take(free_links_);
      reader->task = task;
      give(use->readers, reader);
      return;
    }
    if (use->readers == nullptr && use->writer != nullptr) order(use->writer, task);
    while (use->readers != nullptr) {
      Link* const reader = take(use->readers);
      order(reader->task, task);
      give(free_links_, reader);
    }
    use->writer = task;
  }
  void remove(Task* task, uint64_t address) {
    Use* const use = find(address);
    if (use->writer == task) use->writer = nullptr;
    for (Link** reader = &use->readers; *reader != nullptr;) {
      if ((*reader)->task == task) {
        give(free_links_, take(*reader));
      } else {
        reader = &(*reader)->next;
      }
    }
    if (--use->tasks != 0) return;
    Use** place = &buckets_[bucket_of(address)];
    while (*place != use) place = &(*place)->next;
    give(free_uses_, take(*place));
  }

  TicketLock mutex_;
  Use* buckets_[kBuckets] = {};
  Use* free_uses_ = nullptr;
  Link* free_links_ = nullptr;
  Use uses_[kAccesses] = {};
  Link links_[3 * kAccesses] = {};
};

inline Map map;

inline void start_core(unsigned core) {
  if (core != 0) return;
  map.start();
  nanos::start(&map);
}

}  // namespace nanos_sw
