// SPDX-License-Identifier: Apache-2.0
//
// What a task needs once it spawns tasks of its own: their dependence domain, their count, their
// failures.
#pragma once

#include <cstdint>
#include <memory>

#include "base/failure.hpp"
#include "base/thread_context.hpp"
#include "graph/claims.hpp"
#include "graph/declared.hpp"
#include "graph/domain.hpp"
#include "sync/atomic.hpp"
#include "sync/events.hpp"

namespace myr::graph {

// An exception of a child, on its way to a wait. Owned by the list it is in.
struct Failure {
  // In the serial program: twice the child's order among its siblings, and one more if its own body
  // threw, which happens after its children have run. No two children here share an order. A
  // failure elsewhere, which has come with a wait, has that of the first child behind the wait.
  std::uint64_t order;
  base::Failure what;
};

struct Suspended;  // where a task that waits has left its stack: the engine's
struct Replay;     // a recorded step: the engine's

struct Interior {
  Domain domain;
  std::unique_ptr<Claims> claims;  // of the children, once one is commutative
  Declared declared;               // the owner's accesses, if they are many
  // Counted by the thread that runs the owner.
  std::uint64_t spawned = 0;
  std::uint64_t finished_here = 0;
  int priority = 0;          // of the owner itself, with kUrgent
  bool has_begun = false;    // the owner counts as a task that its arena runs
  bool lends_stack = false;  // some child was given memory on the stack of the owner's thread
  // Minus the children that ended on other threads; when the owner's body ends, or leaves its stack
  // until all children have ended, it adds those that have not ended on its own thread. So 0 after
  // that means: all have ended [graph.children].
  sync::Atomic<std::int64_t> outstanding{0};
  // The earliest failure, in spawn order, not yet taken by a wait [graph.failure].
  sync::Atomic<Failure*> failure{nullptr};
  // Set before the owner lets others count its wait off, which resume it by this.
  Suspended* suspended = nullptr;
  // A step of it is under way in the owner, or the domain does not know all of its tasks.
  Replay* replay = nullptr;
  std::shared_ptr<base::Arena> arena;       // of the owner and its children
  std::unique_ptr<sync::EventHolder> held;  // of the owner, while events hold it open
  Interior* next = nullptr;

  // Children that have not ended. By the owner's thread, while its body runs.
  // Order: what ended children wrote is visible [graph.children].
  [[nodiscard]] std::int64_t live() const noexcept {
    return static_cast<std::int64_t>(spawned - finished_here) + outstanding.load(sync::acquire);
  }

  // For an owner whose children have ended, and at which no others look: nullptr, or what is not
  // over.
  [[nodiscard]] const char* broken_invariant() const noexcept {
    if (live() != 0) return "children are counted that have ended, or not counted";
    if (suspended != nullptr) return "a wait is over, and nobody has resumed it";
    return held == nullptr ? nullptr : "events hold a task that has ended";
  }
};

}  // namespace myr::graph
