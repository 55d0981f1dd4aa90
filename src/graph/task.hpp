// SPDX-License-Identifier: Apache-2.0
//
// A task: header of one and a half cache lines, then its closure, then its accesses. The memory
// belongs to the pool of the worker that spawned it (`home`) and goes back there when the task is
// complete.
//
//   0        64      96
//   +--------+-------+---------------+----------------+
//   | header | cold  | closure bytes | myr_access ... |
//   +--------+-------+---------------+----------------+
//
// Writers: until submitted only the spawning thread; then `waiting`, `successors`, `references`,
// `extra_edges` by any thread through their own protocols; the rest by the thread that runs it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/shared_word.hpp"
#include "graph/reference_count.hpp"
#include "graph/successor_list.hpp"
#include "graph/task_ref.hpp"
#include "graph/wait_count.hpp"
#include "myr/frontend.h"
#include "sync/atomic.hpp"
#include "sync/placement.hpp"

namespace myr::graph {

struct Interior;
struct ReplayNode;

enum TaskFlags : std::uint16_t {
  kPlainFunction = 1,  // of the C interface: no closure
  kWaiter = 2,         // no body: a wait for its accesses to be granted
  kExternal = 4,       // closure and accesses are in a malloc block
  kJoin = 8,           // no body: ends when it is ready, and stands for those that it waits for
  kClaims = 16,        // has commutative accesses; it has an interior from the start
  kUrgent = 32,        // has a priority, or is of an arena; it has an interior from the start
  kPlaced = 64,        // the `best` worker is to run it, if it can
  kReplayed = 128,     // of a recorded step: `node` knows who waits for it
  kSpread = 256,       // from outside of the engine (engine/outside.hpp), where its end is told
  kUnknown = 512,      // runs below its parent, whose domain does not know it
  kBrief = 1024,       // its parent does better to run it than to wait until somebody has
  kDropped = 2048,     // was cancelled before it began
  kFirstOfTwo = 4096,  // the task behind it uses what this one declares as values with a length
  kWeak = 8192,        // begins before others whose memory it hands on; with kJoin: its stand-in
  kOfOwn = 16384,  // with kJoin: stands for children on memory that an ended task had not declared
  kStays = 32768,  // on no machine does it leave the process that has spawned it
};

struct alignas(64) Task {
  SuccessorList successors;
  Task* parent;  // nullptr: main
  union {
    myr_body body;          // of a front end
    myr_function function;  // with kPlainFunction
  };
  const myr_site* site;
  Interior* interior;  // set once it spawns a task; kept until complete
  std::uint32_t access_count;
  std::uint16_t home : 12;       // index of the worker whose pool the memory is from
  std::uint16_t size_class : 4;  // of the memory
  std::uint16_t flags;
  union {
    Edge edge{};       // its first place in a list of successors
    ReplayNode* node;  // with kReplayed
  };
  WaitCount waiting;
  ReferenceCount references;  // of the threads that read `interior`

  sync::Atomic<Task*> extra_edges;  // blocks with further edges, linked by `next`
  std::uint64_t order;              // index among the tasks that its worker spawned: siblings grow
  std::uint32_t depth;              // 0 for main
  std::uint32_t access_offset;      // to the accesses, from the task (or its malloc block)
  union {
    Task* next;            // in lists
    sync::Placement best;  // with kPlaced, until it is ready
  };

  static constexpr std::size_t kHeaderBytes = 96;
  static constexpr unsigned kHomeMax = 0xfff;
  static constexpr unsigned kSizeClassMax = 0xf;

  void set(TaskFlags flag) noexcept { flags = static_cast<std::uint16_t>(flags | flag); }
  // While the task is linked, predecessors that end before their children look at its accesses.
  void set_while_linked(TaskFlags flag) noexcept {
    base::store_shared(flags, static_cast<std::uint16_t>(flags | flag));
  }
  void unset_while_linked(TaskFlags flag) noexcept {
    base::store_shared(flags, static_cast<std::uint16_t>(flags & ~flag));
  }
  void unset(TaskFlags flag) noexcept { flags = static_cast<std::uint16_t>(flags & ~flag); }
  [[nodiscard]] std::byte* payload() noexcept {
    return reinterpret_cast<std::byte*>(this) + kHeaderBytes;
  }
  [[nodiscard]] void* closure() noexcept {
    return (flags & kExternal) == 0 ? static_cast<void*>(payload())
                                    : *reinterpret_cast<void**>(payload());
  }
  [[nodiscard]] myr_access* accesses() noexcept { return accesses_by(flags); }
  [[nodiscard]] myr_access* accesses_while_linked() noexcept {
    return accesses_by(base::load_shared(flags));
  }

 private:
  [[nodiscard]] myr_access* accesses_by(std::uint16_t seen_flags) noexcept {
    std::byte* first = (seen_flags & kExternal) == 0 ? reinterpret_cast<std::byte*>(this)
                                                     : *reinterpret_cast<std::byte**>(payload());
    return reinterpret_cast<myr_access*>(first + access_offset);
  }
};
static_assert(offsetof(Task, edge) % kGranuleBytes == 0, "edges are named by granule");
#ifndef MYR_MODEL  // whose variables are larger
static_assert(offsetof(Task, extra_edges) == 64, "the hot header is one cache line");
static_assert(offsetof(Task, next) + sizeof(Task*) == Task::kHeaderBytes);
#endif

}  // namespace myr::graph
