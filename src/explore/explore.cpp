// SPDX-License-Identifier: Apache-2.0
#include "explore/explore.hpp"

#include <cstdio>
#include <cstdlib>
#include <utility>

#include "base/format.hpp"
#include "explore/atomic.hpp"
#include "explore/choices.hpp"
#include "explore/execution.hpp"

namespace myr::explore {
namespace {

using Body = std::function<void(Threads&)>;
constexpr unsigned kUnbounded = ~0U;

class Searcher {
 public:
  Searcher(const Options& options, const Body& body) : options_(options), body_(body) {}

  Report run() {
    if (const char* path = std::getenv("MYR_REPLAY")) {
      replay(path);
    } else if (search_in_full()) {
      search_at_random();
    }
    return std::move(report_);
  }

 private:
  // False: failed.
  bool run_once(Budget budget) {
    report_.executions += 1;
    Execution execution(choices_, budget, false);
    execution.run(body_);
    return !execution.failed();
  }

  // Runs the current path once more and keeps its story.
  void tell(Budget budget) {
    choices_.rewind();
    Execution execution(choices_, budget, true);
    execution.run(body_);
    report_.failed = execution.failed();
    report_.text =
        base::format("{}execution {}; again with MYR_REPLAY={}/{}/{}", execution.story(),
                     report_.executions, budget.preemptions, budget.stale_reads, choices_.text());
  }

  // `path` as printed by tell(): the bounds belong to it, as they decide where there is a choice.
  void replay(const char* path) {
    Budget budget{0, 0, options_.steps_max};
    int choices_at = 0;
    const int fields =
        std::sscanf(path, "%u/%u/%n", &budget.preemptions, &budget.stale_reads, &choices_at);
    if (fields != 2 || choices_at == 0 || !choices_.start_replay(path + choices_at)) {
      report_ = {.failed = true, .text = base::format("MYR_REPLAY={} is not a printed path", path)};
      return;
    }
    tell(budget);
  }

  // Fewest preemptions first: the failure found is easier to understand.
  bool search_in_full() {
    for (unsigned preemptions = 0; preemptions <= options_.preemptions_max; ++preemptions) {
      const Budget budget{preemptions, options_.stale_reads_max, options_.steps_max};
      choices_.start_walk();
      do {
        if (report_.executions >= options_.executions_max) return true;
        if (!run_once(budget)) {
          tell(budget);
          return false;
        }
      } while (choices_.advance());
    }
    report_.exhausted = true;
    return true;
  }

  void search_at_random() {
    const Budget budget{kUnbounded, kUnbounded, options_.steps_max};
    for (std::uint64_t i = 0; i < options_.random_executions; ++i) {
      choices_.start_random(options_.seed + i);
      if (!run_once(budget)) return tell(budget);
    }
    report_.text =
        base::format("{} executions, {}", report_.executions,
                     report_.exhausted ? "all within the bounds" : "NOT all within the bounds");
  }

  const Options& options_;
  const Body& body_;
  Choices choices_;
  Report report_;
};

}  // namespace

Report search(const Options& options, const Body& body) { return Searcher(options, body).run(); }

void Threads::start(std::function<void()> body) { Execution::current().start(std::move(body)); }
void Threads::join() { Execution::current().join(); }

void check(bool holds, const char* expectation) {
  if (!holds) Execution::current().fail(base::format("expected: {}", expectation));
}

void fence(Order order) { Execution::current().fence(order); }
void light_fence() { Execution::current().light_fence(); }
void heavy_fence() { Execution::current().heavy_fence(); }
void yield() { Execution::current().yield(); }

namespace detail {

Location make_location(std::uint64_t value) {
  return {Execution::current().new_location_id(), {Store{value, {}}}};
}
std::uint64_t load(const Location& location, Order order) {
  return Execution::current().load(location, order);
}
void store(Location& location, std::uint64_t value, Order order) {
  Execution::current().store(location, value, order);
}
std::uint64_t read_for_update(Location& location, Order order) {
  return Execution::current().read_for_update(location, order);
}
void write_update(Location& location, std::uint64_t value, Order order) {
  Execution::current().write_update(location, value, order);
}
bool compare_exchange(Location& location, std::uint64_t& expected, std::uint64_t desired,
                      Order success, Order failure) {
  return Execution::current().compare_exchange(location, expected, desired, success, failure);
}
void futex_wait(const Location& location, std::uint64_t expected) {
  Execution::current().futex_wait(location, expected);
}
void futex_wake(const Location& location, unsigned count) {
  Execution::current().futex_wake(location, count);
}
void plain_read(PlainHistory& history) { Execution::current().plain_read(history); }
void plain_write(PlainHistory& history) { Execution::current().plain_write(history); }

}  // namespace detail
}  // namespace myr::explore
