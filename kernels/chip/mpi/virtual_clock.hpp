// SPDX-License-Identifier: Apache-2.0
//
// VirtualClock: ranks of a program on the weak cores of a simulated chip, each a fiber with a clock
// of its own, and what happens between them in virtual time.
//
// A rank runs ahead: its clock goes on by what it works, and nothing stops it until it sleeps.
// What it does to others are events at its clock or later. So when it runs, all that can matter to
// it has happened, if it looks only at what events have left for it.
//
// Threads: a virtual_clock belongs to the thread that made it.
//
// Invariants
//   1. A rank's clock is never behind the time of the last event.
//   2. An event is scheduled at most once at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "plat/fiber.hpp"
#include "transport/sim/chip.hpp"
#include "transport/sim/event_queue.hpp"

namespace myr::ranks {

using transport::sim::Chip;
using transport::sim::CoreIndex;
using transport::sim::Cycles;
using Rank = std::uint32_t;

// Something that happens at some time. Belongs to the one that schedules it.
class Event {
 public:
  virtual void happen() = 0;

 protected:
  ~Event() = default;
};

class VirtualClock {
 public:
  using Program = void (*)(void* argument);

  // REQUIRES: the chip has so many weak cores.
  VirtualClock(Chip chip, Rank rank_count);
  ~VirtualClock();
  VirtualClock(const VirtualClock&) = delete;
  VirtualClock& operator=(const VirtualClock&) = delete;

  // Runs a program on all ranks, until no event is left or stop(). Error: no memory for stacks.
  [[nodiscard]] base::Result<bool> run(Program program, void* argument);
  // Nothing happens any more. The first text stays.
  void stop(std::string why);
  [[nodiscard]] const std::string& why_stopped() const noexcept { return why_stopped_; }

  [[nodiscard]] const Chip& chip() const noexcept { return chip_; }
  [[nodiscard]] Rank rank_count() const noexcept { return static_cast<Rank>(ranks_.size()); }
  [[nodiscard]] CoreIndex core_of(Rank rank) const noexcept { return chip_.cores().strong + rank; }
  [[nodiscard]] bool has_ended(Rank rank) const;
  // When the last rank to end ended.
  [[nodiscard]] Cycles end() const;

  // ---- the rank that runs; REQUIRES: one does

  [[nodiscard]] Rank running() const;
  [[nodiscard]] Cycles clock() const;
  void work(Cycles weak_cycles);
  // Until wake().
  void sleep();
  // REQUIRES: stop() has been called.
  [[noreturn]] void leave_for_ever();

  // ---- events

  // The time of the last event.
  [[nodiscard]] Cycles now() const noexcept { return queue_.now(); }
  // REQUIRES: not before the last event.
  void schedule(Cycles time, Event& event) { queue_.push(time, &event); }
  // REQUIRES: the rank sleeps.
  void wake(Rank rank);

 private:
  class AgentContext;

  Chip chip_;
  transport::sim::EventQueue<Event*> queue_;
  std::unique_ptr<plat::Fiber> home_;
  std::vector<std::unique_ptr<AgentContext>> ranks_;
  AgentContext* running_ = nullptr;
  std::string why_stopped_;
};

}  // namespace myr::ranks
