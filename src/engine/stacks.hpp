// SPDX-License-Identifier: Apache-2.0
//
// The stacks of one worker: its thread's own, and those that it goes on with while tasks wait on
// others. A stack is the current one, idle (nothing is on it but the worker's loop), or left by a
// task that waits, in which case the one that resumes that task knows it.
//
// Threads: the worker's own.
// Limits: kFullMax, see leave_full(); as many stacks as the options say, or the system refuses.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "plat/fiber.hpp"

namespace myr::engine {

class Stacks {
 public:
  // A task that runs on another's stack finds at least 1/kRoomPart of it free.
  static constexpr std::ptrdiff_t kRoomPart = 4;
  // Stacks that were left because they were full: tasks nested so deeply are a mistake, which ends
  // the program before it has taken all memory.
  static constexpr unsigned kFullMax = 64;

  // `loop(worker)` runs on each further stack and ends by go_home().
  Stacks(plat::Fiber::Body loop, void* worker, std::size_t count_max) noexcept
      : loop_(loop), worker_(worker), count_max_(count_max) {}

  // The calling thread is the worker's.
  void adopt_thread();

  [[nodiscard]] plat::Fiber& current() noexcept { return *current_; }
  // Is there room on the current one for one more task, beside those that wait on it?
  [[nodiscard]] bool has_room() const noexcept {
    return static_cast<const std::byte*>(__builtin_frame_address(0)) >= full_below_;
  }
  [[nodiscard]] const plat::StackBounds& bounds() const noexcept { return bounds_; }

  // Makes sure that take_idle() has one. False: no more are to be had.
  [[nodiscard]] bool provide_idle();
  // REQUIRES: provide_idle() has returned true since the last call.
  [[nodiscard]] plat::Fiber& take_idle() noexcept {
    plat::Fiber& stack = *idle_.back();
    idle_.pop_back();
    return stack;
  }
  // The current one has nothing on it but the loop; somebody may take it.
  void put_idle() { idle_.push_back(current_); }

  // Goes on there. Returns when the worker comes back to the current stack.
  void switch_to(plat::Fiber& next) noexcept {
    plat::Fiber& left = *current_;
    make_current(next);
    plat::Fiber::switch_to(left, next);
  }
  // To the thread's own stack, whose loop ends, too. Does not return.
  void go_home() noexcept { switch_to(*home_); }

 private:
  void make_current(plat::Fiber& stack) noexcept {
    current_ = &stack;
    bounds_ = stack.stack();
    full_below_ = bounds_.low + (bounds_.high - bounds_.low) / kRoomPart;
  }

  plat::Fiber::Body loop_;
  void* worker_;
  std::size_t count_max_;
  std::unique_ptr<plat::Fiber> home_;
  plat::Fiber* current_ = nullptr;
  plat::StackBounds bounds_;  // of the current one
  const std::byte* full_below_ = nullptr;
  std::vector<std::unique_ptr<plat::Fiber>> others_;
  std::vector<plat::Fiber*> idle_;
};

}  // namespace myr::engine
