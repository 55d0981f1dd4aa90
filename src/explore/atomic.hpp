// SPDX-License-Identifier: Apache-2.0
//
// What sync/atomic.hpp names in a model test: atomics, plain shared variables, fences, futexes.
// Each operation is a step that the explorer schedules. Used inside the body of explore::search()
// only. compare_exchange_weak() never fails without a reason.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "explore/memory.hpp"

namespace myr::explore {

namespace detail {

[[nodiscard]] Location make_location(std::uint64_t value);
[[nodiscard]] std::uint64_t load(const Location& location, Order order);
void store(Location& location, std::uint64_t value, Order order);
// A read-modify-write is a read_for_update() and a write_update() without a step between them.
[[nodiscard]] std::uint64_t read_for_update(Location& location, Order order);
void write_update(Location& location, std::uint64_t value, Order order);
// On failure writes the value found to `expected`.
[[nodiscard]] bool compare_exchange(Location& location, std::uint64_t& expected,
                                    std::uint64_t desired, Order success, Order failure);
void futex_wait(const Location& location, std::uint64_t expected);
void futex_wake(const Location& location, unsigned count);
void plain_read(PlainHistory& history);
void plain_write(PlainHistory& history);

}  // namespace detail

void fence(Order order);
void light_fence();
void heavy_fence();
// The thread waits for another one: it runs on only after others did, unless none can.
void yield();

// std::atomic<T>, as far as we use it.
template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

 public:
  Atomic() : Atomic(T{}) {}
  Atomic(T value) : location_(detail::make_location(pack(value))) {}  // NOLINT: as std::atomic
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  [[nodiscard]] T load(Order order) const { return unpack(detail::load(location_, order)); }
  void store(T value, Order order) { detail::store(location_, pack(value), order); }
  T exchange(T value, Order order) {
    return update([=](T) { return value; }, order);
  }
  bool compare_exchange_strong(T& expected, T desired, Order success, Order failure) {
    std::uint64_t found = pack(expected);
    const bool done = detail::compare_exchange(location_, found, pack(desired), success, failure);
    if (!done) expected = unpack(found);
    return done;
  }
  bool compare_exchange_weak(T& expected, T desired, Order success, Order failure) {
    return compare_exchange_strong(expected, desired, success, failure);
  }
  T fetch_add(T operand, Order order) {
    return update([=](T old) { return static_cast<T>(old + operand); }, order);
  }
  T fetch_sub(T operand, Order order) {
    return update([=](T old) { return static_cast<T>(old - operand); }, order);
  }
  T fetch_or(T operand, Order order) {
    return update([=](T old) { return static_cast<T>(old | operand); }, order);
  }
  T fetch_and(T operand, Order order) {
    return update([=](T old) { return static_cast<T>(old & operand); }, order);
  }

  [[nodiscard]] const Location& location() const noexcept { return location_; }

 private:
  [[nodiscard]] static std::uint64_t pack(T value) noexcept {
    std::uint64_t packed = 0;
    std::memcpy(&packed, &value, sizeof value);
    return packed;
  }
  [[nodiscard]] static T unpack(std::uint64_t packed) noexcept {
    T value;
    std::memcpy(&value, &packed, sizeof value);
    return value;
  }
  template <class Change>
  T update(Change change, Order order) {
    const T old = unpack(detail::read_for_update(location_, order));
    detail::write_update(location_, pack(change(old)), order);
    return old;
  }

  Location location_;
};

inline void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) {
  detail::futex_wait(word.location(), expected);
}
inline void futex_wake(const Atomic<std::uint32_t>& word, unsigned count) {
  detail::futex_wake(word.location(), count);
}

// A variable that other accesses order; an access that they do not order fails the execution.
template <class T>
class Plain {
 public:
  Plain() = default;
  Plain(T value) : value_(value) {}  // NOLINT: stands for a T
  Plain(const Plain& other) : value_(other.get()) {}
  Plain& operator=(const Plain& other) { return *this = other.get(); }
  Plain& operator=(T value) {
    detail::plain_write(history_);
    value_ = value;
    return *this;
  }
  operator T() const { return get(); }  // NOLINT: stands for a T
  T operator->() const { return get(); }

 private:
  [[nodiscard]] T get() const {
    detail::plain_read(history_);
    return value_;
  }
  T value_{};
  mutable PlainHistory history_;
};

}  // namespace myr::explore
