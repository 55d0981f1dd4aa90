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
#include "explore/site.hpp"

namespace myr::explore {

namespace detail {

// Which Location of the running execution an atomic is; 0: none yet, as its value is still zero.
// So zeroed memory holds atomics, as everywhere else.
using Number = unsigned;

[[nodiscard]] Number make_location(std::uint64_t value);
[[nodiscard]] std::uint64_t load(Number& number, Order order, const Site& site);
void store(Number& number, std::uint64_t value, Order order, const Site& site);
// A read-modify-write is a read_for_update() and a write_update() without a step between them.
[[nodiscard]] std::uint64_t read_for_update(Number& number, Order order, const Site& site);
void write_update(Number& number, std::uint64_t value, Order order, const Site& site);
struct Exchange {
  std::uint64_t desired;
  Order success;
  Order failure;
};
// On failure writes the value found to `expected`.
[[nodiscard]] bool compare_exchange(Number& number, std::uint64_t& expected,
                                    const Exchange& exchange, const Site& site);
void futex_wait(Number& number, std::uint64_t expected);
void futex_wake(Number& number, unsigned count, const Site& site);
void plain_read(PlainHistory& history);
void plain_write(PlainHistory& history);

}  // namespace detail

void fence(Order order, const Site& site = Site::current());
void light_fence(const Site& site = Site::current());
void heavy_fence(const Site& site = Site::current());
// The thread waits for another one: it runs on only after others did, unless none can.
void yield();
// Which thread of the execution runs: 0 the one of the body itself, then in the order of start().
[[nodiscard]] unsigned thread_index();

// std::atomic<T>, as far as we use it.
template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

 public:
  Atomic() = default;
  Atomic(T value) {  // NOLINT: as std::atomic
    if (pack(value) != 0) number_ = detail::make_location(pack(value));
  }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  [[nodiscard]] T load(Order order, const Site& site = Site::current()) const {
    return unpack(detail::load(number_, order, site));
  }
  void store(T value, Order order, const Site& site = Site::current()) {
    detail::store(number_, pack(value), order, site);
  }
  T exchange(T value, Order order, const Site& site = Site::current()) {
    return update([=](T) { return value; }, order, site);
  }
  bool compare_exchange_strong(T& expected, T desired, Order success, Order failure,
                               const Site& site = Site::current()) {
    std::uint64_t found = pack(expected);
    const bool done =
        detail::compare_exchange(number_, found, {pack(desired), success, failure}, site);
    if (!done) expected = unpack(found);
    return done;
  }
  bool compare_exchange_weak(T& expected, T desired, Order success, Order failure,
                             const Site& site = Site::current()) {
    return compare_exchange_strong(expected, desired, success, failure, site);
  }
  T fetch_add(T operand, Order order, const Site& site = Site::current()) {
    return update([=](T old) { return static_cast<T>(old + operand); }, order, site);
  }
  T fetch_sub(T operand, Order order, const Site& site = Site::current()) {
    return update([=](T old) { return static_cast<T>(old - operand); }, order, site);
  }
  T fetch_or(T operand, Order order, const Site& site = Site::current()) {
    return update([=](T old) { return static_cast<T>(old | operand); }, order, site);
  }
  T fetch_and(T operand, Order order, const Site& site = Site::current()) {
    return update([=](T old) { return static_cast<T>(old & operand); }, order, site);
  }

  [[nodiscard]] detail::Number& number() const noexcept { return number_; }

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
  T update(Change change, Order order, const Site& site) {
    const T old = unpack(detail::read_for_update(number_, order, site));
    detail::write_update(number_, pack(change(old)), order, site);
    return old;
  }

  alignas(T) mutable detail::Number number_ = 0;
};

inline void futex_wait(const Atomic<std::uint32_t>& word, std::uint32_t expected) {
  detail::futex_wait(word.number(), expected);
}
inline void futex_wake(const Atomic<std::uint32_t>& word, unsigned count,
                       const Site& site = Site::current()) {
  detail::futex_wake(word.number(), count, site);
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
