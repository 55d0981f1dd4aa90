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

void fence(Order order, const Site& site) {
  if (!is_left_out(site, "fence")) Execution::current().fence(order);
}
void light_fence(const Site& site) {
  if (!is_left_out(site, "fence")) Execution::current().light_fence();
}
void heavy_fence(const Site& site) {
  if (!is_left_out(site, "fence")) Execution::current().heavy_fence();
}
void yield() { Execution::current().yield(); }
unsigned thread_index() { return Execution::current().thread_index(); }

namespace detail {
namespace {

Location& location_of(Number& number) {
  if (number == 0) number = make_location(0);
  return Execution::current().location(number - 1);
}

// The execution, which is now at that operation.
Execution& execution_at(const Site& site) {
  Execution& execution = Execution::current();
  execution.set_site(site);
  return execution;
}

}  // namespace

Number make_location(std::uint64_t value) { return Execution::current().add_location(value) + 1; }
std::uint64_t load(Number& number, Order order, const Site& site) {
  return execution_at(site).load(location_of(number), order_at(site, order));
}
void store(Number& number, std::uint64_t value, Order order, const Site& site) {
  execution_at(site).store(location_of(number), value, order_at(site, order));
}
std::uint64_t read_for_update(Number& number, Order order, const Site& site) {
  return execution_at(site).read_for_update(location_of(number), order_at(site, order));
}
void write_update(Number& number, std::uint64_t value, Order order, const Site& site) {
  execution_at(site).write_update(location_of(number), value, order_at(site, order));
}
bool compare_exchange(Number& number, std::uint64_t& expected, const Exchange& exchange,
                      const Site& site) {
  const Order success = order_at(site, exchange.success);
  const Order failure = order_at(site, exchange.failure, Role::Failure);
  return execution_at(site).compare_exchange(location_of(number), expected,
                                             {exchange.desired, success, failure});
}
void futex_wait(Number& number, std::uint64_t expected) {
  Execution::current().futex_wait(location_of(number), expected);
}
void futex_wake(Number& number, unsigned count, const Site& site) {
  if (!is_left_out(site, "wake")) execution_at(site).futex_wake(location_of(number), count);
}
void plain_read(PlainHistory& history) { Execution::current().plain_read(history); }
void plain_write(PlainHistory& history) { Execution::current().plain_write(history); }

}  // namespace detail
}  // namespace myr::explore
