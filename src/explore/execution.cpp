// SPDX-License-Identifier: Apache-2.0
#include "explore/execution.hpp"

#include <utility>

#include "base/contract.hpp"
#include "base/format.hpp"

namespace myr::explore {
namespace {

constexpr std::size_t kStackBytes = 256 * 1024;

Execution* running_execution = nullptr;

// Stacks are kept from one execution to the next: there are millions of executions.
std::vector<std::unique_ptr<char[]>>& spare_stacks() {
  static std::vector<std::unique_ptr<char[]>> stacks;
  return stacks;
}

std::unique_ptr<char[]> take_stack() {
  if (spare_stacks().empty()) return std::make_unique_for_overwrite<char[]>(kStackBytes);
  std::unique_ptr<char[]> stack = std::move(spare_stacks().back());
  spare_stacks().pop_back();
  return stack;
}

}  // namespace

Execution& Execution::current() noexcept {
  MYR_ASSERT(running_execution != nullptr);
  return *running_execution;
}

Execution::Execution(Choices& choices, Budget budget, bool keeps_log)
    : choices_(choices), budget_(budget), keeps_log_(keeps_log) {
  MYR_ASSERT(running_execution == nullptr);
  running_execution = this;
}

Execution::~Execution() {
  running_execution = nullptr;
  for (const auto& fiber : fibers_) spare_stacks().push_back(std::move(fiber->stack));
}

void Execution::run(const std::function<void(Threads&)>& body) {
  make_fiber([&body] {
    Threads threads;
    body(threads);
  });
  swapcontext(&caller_, &fibers_[0]->context);
}

void Execution::make_fiber(std::function<void()> body) {
  auto fiber = std::make_unique<Fiber>();
  fiber->body = std::move(body);
  fiber->stack = take_stack();
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack.get();
  fiber->context.uc_stack.ss_size = kStackBytes;
  fiber->context.uc_link = &caller_;
  makecontext(&fiber->context, fiber_main, 0);
  fibers_.push_back(std::move(fiber));
}

// Fiber 0 returns to the caller of run() at its end, by uc_link.
void Execution::fiber_main() {
  Execution& execution = current();
  execution.fibers_[execution.running_]->body();
  if (execution.running_ != 0) execution.leave(State::Done);
}

void Execution::start(std::function<void()> body) {
  MYR_ASSERT(running_ == 0 && fibers_.size() < kThreadsMax);
  make_fiber(std::move(body));
  const auto index = static_cast<unsigned>(fibers_.size()) - 1;
  Memory::start(memory(), fibers_[index]->memory, index);
}

void Execution::join() {
  MYR_ASSERT(running_ == 0);
  if (fibers_.size() == 1) return;
  leave(State::Joining);
  for (const auto& fiber : fibers_) memory().known.join(fiber->memory.known);
}

void Execution::fail(std::string_view what) {
  failure_ = base::format("T{}: {}", running_, what);
  setcontext(&caller_);
  MYR_ASSERT(false);  // setcontext() does not return
  std::abort();
}

unsigned Execution::add_location(std::uint64_t value) {
  const auto index = static_cast<unsigned>(locations_.size());
  MYR_ASSERT(index < kLocationsMax);
  locations_.push_back({index, {Store{value, {}}}});
  return index;
}

// --- Scheduling
// -----------------------------------------------------------------------------------------

Execution::Some Execution::others_in(State state) const noexcept {
  Some others;
  for (unsigned i = 1; i < fibers_.size(); ++i) {
    if (i != running_ && fibers_[i]->state == state) others.add(i);
  }
  return others;
}

void Execution::count_step() {
  if (++step_count_ > budget_.steps) fail("no end in sight: too many operations");
}

void Execution::step() {
  count_step();
  if (running_ == 0) return;
  const Some others = others_in(State::Ready);
  for (const auto& fiber : fibers_) {
    if (fiber->state == State::Yielded) fiber->state = State::Ready;
  }
  if (budget_.preemptions == 0 || others.count == 0) return;
  const unsigned choice = choices_.pick(others.count + 1);
  if (choice == 0) return;
  budget_.preemptions -= 1;
  switch_to(others.at[choice - 1]);
}

void Execution::leave(State state) {
  fibers_[running_]->state = state;
  switch_to(choose_next());
}

unsigned Execution::choose_next() {
  for (const State state : {State::Ready, State::Yielded}) {
    const Some fibers = others_in(state);
    if (fibers.count != 0) return fibers.at[choices_.pick(fibers.count)];
  }
  if (fibers_[running_]->state == State::Yielded) return running_;
  if (fibers_[running_]->state == State::Asleep || others_in(State::Asleep).count != 0) {
    fail("all threads that are left sleep");
  }
  return 0;  // all are done
}

void Execution::switch_to(unsigned fiber) {
  fibers_[fiber]->state = State::Ready;
  const unsigned left = std::exchange(running_, fiber);
  if (left != fiber) swapcontext(&fibers_[left]->context, &fibers_[fiber]->context);
}

void Execution::yield() {
  note("yield");
  count_step();
  leave(State::Yielded);
}

// --- Operations
// -----------------------------------------------------------------------------------------

unsigned Execution::choose_value(const Location& location, Order order,
                                 const std::uint64_t* equal) {
  const unsigned newest = location.newest();
  const unsigned oldest = shared_.oldest_visible(memory(), location, order);
  if (budget_.stale_reads == 0 || oldest == newest) return newest;
  const auto may_be = [&](unsigned index) {
    return equal == nullptr || location.history[index].value != *equal;
  };
  unsigned count = 1;  // the newest
  for (unsigned index = oldest; index < newest; ++index) count += may_be(index) ? 1 : 0;
  unsigned choice = choices_.pick(count);
  if (choice == 0) return newest;
  budget_.stale_reads -= 1;
  unsigned index = newest;
  while (choice != 0) choice -= may_be(--index) ? 1 : 0;
  return index;
}

std::uint64_t Execution::load(const Location& location, Order order) {
  step();
  const unsigned index = choose_value(location, order, nullptr);
  const std::uint64_t value = shared_.read(memory(), location, index, order);
  note(index == location.newest() ? "load" : "load (not the newest)", location, value);
  return value;
}

void Execution::store(Location& location, std::uint64_t value, Order order) {
  step();
  shared_.write(memory(), location, value, order, false);
  note("store", location, value);
}

std::uint64_t Execution::read_for_update(Location& location, Order order) {
  step();
  return shared_.read(memory(), location, location.newest(), order);
}

void Execution::write_update(Location& location, std::uint64_t value, Order order) {
  shared_.write(memory(), location, value, order, true);
  note("update", location, value);
}

bool Execution::compare_exchange(Location& location, std::uint64_t& expected,
                                 const detail::Exchange& exchange) {
  step();
  const unsigned index = choose_value(location, exchange.failure, &expected);
  if (location.history[index].value == expected) {
    shared_.read(memory(), location, index, exchange.success);
    write_update(location, exchange.desired, exchange.success);
    return true;
  }
  expected = shared_.read(memory(), location, index, exchange.failure);
  note("failed update", location, expected);
  return false;
}

void Execution::fence(Order order) {
  step();
  shared_.fence(memory(), order);
  note("fence");
}

void Execution::light_fence() {
  step();
  shared_.light_fence(memory());
  note("light fence");
}

void Execution::heavy_fence() {
  step();
  shared_.heavy_fence(memory());
  note("heavy fence");
}

void Execution::plain_read(PlainHistory& history) {
  if (!Memory::plain_read(memory(), history)) fail("data race: reads what another thread writes");
}

void Execution::plain_write(PlainHistory& history) {
  if (!Memory::plain_write(memory(), history)) fail("data race: writes what another thread uses");
}

// The kernel compares the newest value, and nothing comes between its look and the sleep.
void Execution::futex_wait(const Location& location, std::uint64_t expected) {
  step();
  const bool sleeps = location.history.back().value == expected;
  note(sleeps ? "falls asleep" : "does not fall asleep", location, location.history.back().value);
  if (!sleeps) return;
  fibers_[running_]->asleep_on = &location;
  leave(State::Asleep);
}

void Execution::futex_wake(const Location& location, unsigned count) {
  step();
  for (; count != 0; --count) {
    Some sleepers;
    const Some asleep = others_in(State::Asleep);
    for (unsigned i = 0; i < asleep.count; ++i) {
      if (fibers_[asleep.at[i]]->asleep_on == &location) sleepers.add(asleep.at[i]);
    }
    if (sleepers.count == 0) break;
    const unsigned woken = sleepers.at[choices_.pick(sleepers.count)];
    fibers_[woken]->state = State::Ready;
    note(base::format("wakes T{}", woken));
  }
}

void Execution::note(std::string_view operation, const Location& location, std::uint64_t value) {
  if (!keeps_log_) return;
  const Site& site = fibers_[running_]->site;
  const std::string_view path = site.file_name();
  note(base::format("{:<22} x{} {}  {}:{}", operation, location.id,
                    value < 100'000 ? base::format("{}", value) : base::format("{:#x}", value),
                    path.substr(path.rfind('/') + 1), site.line()));
}

void Execution::note(std::string_view operation) {
  if (keeps_log_) log_ += base::format("T{}: {}\n", running_, operation);
}

}  // namespace myr::explore
