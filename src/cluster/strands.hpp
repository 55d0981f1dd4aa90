// SPDX-License-Identifier: Apache-2.0
//
// Strands: the stacks on which a thread runs tasks while its machine's own work is done on another
// one, home: a task that waits is left on its strand, and others run meanwhile.
//
// Threads: one.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "myr/myr.h"
#include "plat/fiber.hpp"
#include "plat/stack_guard.hpp"
#include "proto/messages.hpp"

namespace myr::cluster {

class Strands {
 public:
  // Tasks that have begun and not ended.
  static constexpr std::size_t kCountMax = 16'384;

  // Runs a task of the worker from its beginning to its end.
  using Run = std::function<void(proto::AgentId worker, const proto::Work& work)>;
  // `home` outlives the strands.
  explicit Strands(Run run) : run_(std::move(run)) {}

  void set_home(plat::Fiber& home) noexcept { home_ = &home; }
  // The task is on that stack already: main, on the thread's, which is the calling one. A stack
  // that overflows is told until plat::unwatch_stack().
  void adopt(proto::TaskId task, plat::Fiber& stack);

  // ---- at home; they return when the task waits or has ended

  // `site`: where it was spawned, for the message that there is no stack for it.
  void begin(proto::AgentId worker, const proto::Work& work, const myr_site* site);
  void go_on(proto::TaskId task) {
    current_ = strand_of_.at(task);
    bounds_ = current_.stack->stack();
    plat::Fiber::switch_to(*home_, *current_.stack);
  }

  // ---- on the strand of the task

  // Returns when somebody goes on with it.
  void leave(proto::TaskId task) { plat::Fiber::switch_to(*strand_of_.at(task).stack, *home_); }
  [[nodiscard]] plat::StackBounds stack_of(proto::TaskId task) const {
    return strand_of_.at(task).stack->stack();
  }

 private:
  struct Strand {
    Strands* owner;
    std::unique_ptr<plat::Fiber> fiber;
    proto::AgentId worker = proto::kNoAgent;
    proto::Work work;
  };
  struct Place {
    plat::Fiber* stack = nullptr;
    const myr_site* site = nullptr;  // of the task
  };
  static void run_tasks(void* strand);
  static void tell_full_stack(const void* strands, const plat::StackOverflow& overflow) noexcept;
  [[nodiscard]] Strand& idle_strand(const myr_site* site);

  Run run_;
  plat::Fiber* home_ = nullptr;
  std::vector<std::unique_ptr<Strand>> strands_;
  std::vector<Strand*> idle_;
  std::unordered_map<proto::TaskId, Place> strand_of_;
  Place current_;  // or the last one
  plat::StackBounds bounds_;
};

}  // namespace myr::cluster
