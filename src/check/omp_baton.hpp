// SPDX-License-Identifier: Apache-2.0
//
// Baton: threads of which one runs at a time, until it waits for something. They are the logical
// threads of OpenMP's teams, and threads of the system, so that each has its stack, its
// thread-local variables and its errno. (Semaphores of the system are the program's: Watch sees
// them.)
//
// Threads: only the one that has the baton may call.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <semaphore>
#include <vector>

namespace myr::check {

class Baton {
 public:
  using Condition = std::function<bool()>;
  using Job = std::function<void()>;

  // The caller, which has the baton, is the first.
  Baton();
  // Gives an idle thread, or a new one, something to do, as soon as other threads wait.
  void start(Job job);
  // Goes on when that holds; others run until then. Aborts if all wait.
  void wait_for(const Condition& condition);
  // Lets the others go on, each until it waits.
  void yield();

 private:
  struct Thread {
    std::binary_semaphore baton{0};
    const Condition* waits_for = nullptr;
    Job job = nullptr;  // none: idle
  };
  struct Start {
    Baton* baton;
    Thread* thread;
  };

  static void* run(void* start);
  [[nodiscard]] static bool can_run(const Thread& thread);
  // Hands the baton to the next one that can run, perhaps the caller itself.
  void hand_on();

  std::vector<std::unique_ptr<Thread>> threads_;
  std::size_t running_ = 0;
};

}  // namespace myr::check
