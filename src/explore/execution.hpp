// SPDX-License-Identifier: Apache-2.0
//
// One execution of a test body: its threads as fibers on one system thread, switched only before an
// operation on shared memory and only as Choices decides. Not for tests: see explore.hpp.
//
// Fiber 0 runs the body itself; it is never interrupted, and waits in join() while the others run.
#pragma once

#include <ucontext.h>

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "explore/atomic.hpp"
#include "explore/choices.hpp"
#include "explore/explore.hpp"
#include "explore/memory.hpp"

namespace myr::explore {

// Bounds of one execution.
struct Budget {
  unsigned preemptions;
  unsigned stale_reads;
  unsigned steps;
};

class Execution {
 public:
  // The running one; a broken contract if there is none.
  [[nodiscard]] static Execution& current() noexcept;

  Execution(Choices& choices, Budget budget, bool keeps_log);
  ~Execution();

  // Runs the body to its end or to the first failure.
  void run(const std::function<void(Threads&)>& body);
  [[nodiscard]] bool failed() const noexcept { return !failure_.empty(); }
  // The failure after the log of all operations, if it was kept.
  [[nodiscard]] std::string story() const { return log_ + failure_ + "\n"; }

  // What follows is called from fibers.
  void start(std::function<void()> body);
  void join();
  [[noreturn]] void fail(std::string_view what);

  // The site of the operations that follow, for the story.
  void set_site(const Site& site) noexcept { fibers_[running_]->site = site; }
  [[nodiscard]] unsigned thread_index() const noexcept { return running_; }
  // Adds an atomic with that value; its index.
  [[nodiscard]] unsigned add_location(std::uint64_t value);
  [[nodiscard]] Location& location(unsigned index) { return locations_[index]; }

  std::uint64_t load(const Location& location, Order order);
  void store(Location& location, std::uint64_t value, Order order);
  std::uint64_t read_for_update(Location& location, Order order);
  void write_update(Location& location, std::uint64_t value, Order order);
  bool compare_exchange(Location& location, std::uint64_t& expected,
                        const detail::Exchange& exchange);
  void fence(Order order);
  void light_fence();
  void heavy_fence();
  void plain_read(PlainHistory& history);
  void plain_write(PlainHistory& history);
  void futex_wait(const Location& location, std::uint64_t expected);
  void futex_wake(const Location& location, unsigned count);
  void yield();

 private:
  enum class State : std::uint8_t { Ready, Yielded, Asleep, Joining, Done };
  struct Fiber {
    ucontext_t context;
    std::unique_ptr<char[]> stack;
    std::function<void()> body;
    State state = State::Ready;
    const Location* asleep_on = nullptr;
    ThreadMemory memory;
    Site site;  // of its present operation
  };

  static void fiber_main();
  void make_fiber(std::function<void()> body);
  [[nodiscard]] ThreadMemory& memory() noexcept { return fibers_[running_]->memory; }

  void count_step();
  // Before each operation: perhaps another thread runs first.
  void step();
  // Gives up the processor until chosen again; never returns for State::Done.
  void leave(State state);
  void switch_to(unsigned fiber);
  [[nodiscard]] unsigned choose_next();
  // Some fibers, by index.
  struct Some {
    std::array<unsigned, kThreadsMax> at;
    unsigned count = 0;
    void add(unsigned fiber) noexcept { at[count++] = fiber; }
  };
  [[nodiscard]] Some others_in(State state) const noexcept;
  // Decides which value a load returns. `equal`: only values unlike this one, or the newest.
  [[nodiscard]] unsigned choose_value(const Location& location, Order order,
                                      const std::uint64_t* equal);
  void note(std::string_view operation, const Location& location, std::uint64_t value);
  void note(std::string_view operation);

  Choices& choices_;
  Budget budget_;
  bool keeps_log_;
  Memory shared_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  unsigned running_ = 0;
  unsigned step_count_ = 0;
  std::deque<Location> locations_;  // whose addresses stay
  ucontext_t caller_{};             // of run()
  std::string log_;
  std::string failure_;
};

}  // namespace myr::explore
