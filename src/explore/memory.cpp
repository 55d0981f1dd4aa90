// SPDX-License-Identifier: Apache-2.0
#include "explore/memory.hpp"

namespace myr::explore {
namespace {

bool acquires(Order order) noexcept {
  return order == Order::acquire || order == Order::acq_rel || order == Order::seq_cst;
}
bool releases(Order order) noexcept {
  return order == Order::release || order == Order::acq_rel || order == Order::seq_cst;
}

// Begins a new step of the thread: what it does from now on is not part of what it has released.
void step(ThreadMemory& thread) noexcept {
  thread.known.clock.raise(thread.index, thread.known.clock[thread.index] + 1);
}

bool all_before(const Clock& accesses, const Clock& clock) noexcept {
  for (unsigned i = 0; i < kThreadsMax; ++i) {
    if (accesses[i] > clock[i]) return false;
  }
  return true;
}

}  // namespace

unsigned Memory::oldest_visible(const ThreadMemory& thread, const Location& location,
                                Order order) const noexcept {
  const unsigned known = thread.known.view[location.id];
  if (order != Order::seq_cst) return known;
  return std::max<unsigned>(known, sequential_[location.id]);
}

std::uint64_t Memory::read(ThreadMemory& thread, const Location& location, unsigned index,
                           Order order) noexcept {
  const Store& store = location.history[index];
  thread.known.view.raise(location.id, static_cast<std::uint16_t>(index));
  (acquires(order) ? thread.known : thread.unacquired).join(store.released);
  if (order == Order::seq_cst) {
    sequential_.raise(location.id, static_cast<std::uint16_t>(index));
  }
  return store.value;
}

void Memory::write(ThreadMemory& thread, Location& location, std::uint64_t value, Order order,
                   bool updates) {
  const auto index = static_cast<std::uint16_t>(location.history.size());
  thread.known.view.raise(location.id, index);
  Store store{value, releases(order) ? thread.known : thread.fenced};
  if (updates) store.released.join(location.history.back().released);
  location.history.push_back(store);
  if (order == Order::seq_cst) sequential_.raise(location.id, index);
  step(thread);
}

void Memory::fence(ThreadMemory& thread, Order order) noexcept {
  if (acquires(order)) thread.known.join(thread.unacquired);
  if (order == Order::seq_cst) {
    thread.known.view.join(sequential_);
    sequential_ = thread.known.view;
  }
  if (releases(order)) thread.fenced = thread.known;
  step(thread);
}

// A light and a heavy fence are ordered as they are executed: what was known before the first is
// known after the second. Two light fences do not order anything.
void Memory::light_fence(ThreadMemory& thread) noexcept {
  light_.join(thread.known.view);
  thread.known.view.join(heavy_);
}

void Memory::heavy_fence(ThreadMemory& thread) noexcept {
  thread.known.view.join(light_);
  thread.known.view.join(heavy_);
  heavy_ = thread.known.view;
}

bool Memory::plain_read(const ThreadMemory& thread, PlainHistory& history) noexcept {
  history.reads.raise(thread.index, thread.known.clock[thread.index]);
  return all_before(history.writes, thread.known.clock);
}

bool Memory::plain_write(const ThreadMemory& thread, PlainHistory& history) noexcept {
  const bool ordered = all_before(history.writes, thread.known.clock) &&
                       all_before(history.reads, thread.known.clock);
  history.writes.raise(thread.index, thread.known.clock[thread.index]);
  return ordered;
}

void Memory::start(ThreadMemory& starter, ThreadMemory& thread, unsigned index) noexcept {
  thread = ThreadMemory{};
  thread.index = index;
  thread.known = starter.known;
  step(starter);
  step(thread);
}

}  // namespace myr::explore
