// SPDX-License-Identifier: Apache-2.0
//
// The two ways in which a mixed random program is run: as tasks, and at once, as the serial program
// that it is. Both have the same static functions. Threads: At once in one thread only.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <myr/myr.hpp>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace myr::random_test {

using Word = std::uint64_t;

// What tasks throw, so that each failure is another word.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] static Word hash(const std::exception& failure) {
    Word sum = 7;
    for (const char c : std::string_view(failure.what())) sum = sum * 31 + static_cast<Word>(c);
    return sum;
  }
};

struct AsTasks {
  static Region new_region(Region parent) { return Region::create(parent); }
  static void free_region(Region region) { region.free(); }
  // The words are not initialised.
  static Word* new_words(Region region, Word count) { return region.make_array<Word>(count); }
  static Word* new_blocks(Region region, Word count) {
    return region.make_blocks<Word>(count, 256);
  }
  static void free_words(Word* words) { myr_free(words); }
  template <class T>
  static T* make(Region region) {
    return region.make<T>();
  }

  template <class... A>
  static void spawn(A... arguments) {
    myr::spawn(arguments...);
  }
  template <class F, class Op>
  static void spawn_reducing(F function, Word& target, Op op, Word identity) {
    myr::spawn(function, reduce(target, op, identity));
  }
  template <class... A>
  static void for_each(A... arguments) {
    myr::for_each(arguments...);
  }
  template <class Op, class Access, class F>
  static void reduce_each(Range range, Word& target, Op op, Access access, F body) {
    myr::reduce_each(range, reduce(target, op), access, body);
  }
  template <class... A>
  static void wait(A... accesses) {
    myr::wait(accesses...);
  }
  static constexpr bool kHasEvents = true;
  // The hash of what a task has thrown; 0 if none has.
  static Word wait_all() {
    try {
      myr::wait_all();
    } catch (const std::exception& failure) {
      return Failure::hash(failure);
    }
    return 0;
  }
  // Calls cancel(): what tasks of the region leave in it is a matter of chance.
  static void cancel(Region region) { region.cancel(); }
};

class AtOnce {
 public:
  static Region new_region(Region) { return {}; }
  static void free_region(Region) {}
  static Word* new_words(Region, Word count) {
    return words_.emplace_back(std::make_unique<Word[]>(count)).get();
  }
  static Word* new_blocks(Region region, Word count) { return new_words(region, count); }
  static void free_words(Word*) {}
  template <class T>
  static T* make(Region) {
    static_assert(alignof(T) <= alignof(Word));
    return ::new (new_words({}, (sizeof(T) + sizeof(Word) - 1) / sizeof(Word))) T();
  }

  template <class F, class... A>
  static void spawn(F function, A... arguments) {
    call([&] { function(plain(arguments)...); });
  }
  template <class... U, class F, class... A>
  static void spawn(const detail::Uses<U...>&, F function, A... arguments) {
    spawn(function, arguments...);
  }
  template <class F, class... A>
  static void spawn(Priority, F function, A... arguments) {
    spawn(function, arguments...);
  }
  template <class F, class Op>
  static void spawn_reducing(F function, Word& target, Op op, Word identity) {
    function(identity);
    target = op(target, identity);
  }
  template <class... A>
  static void for_each(detail::Grain, Range range, A... arguments) {
    for_each(range, arguments...);
  }
  // The body is the last argument.
  template <class... A>
  static void for_each(Range range, A... arguments) {
    const auto& body = std::get<sizeof...(A) - 1>(std::tie(arguments...));
    for (const std::size_t i : range) body(i);
  }
  template <class Op, class Access, class F>
  static void reduce_each(Range range, Word& target, Op op, Access, F body) {
    for (const std::size_t i : range) target = op(target, body(i));
  }
  template <class... A>
  static void wait(A...) {}
  static constexpr bool kHasEvents = false;  // there are no tasks for them to hold open
  static Word wait_all() { return std::exchange(failure_, 0); }
  static void cancel(Region) {}

  // Frees all that a program has made.
  static void end() { words_.clear(); }

 private:
  template <class P, std::size_t kCount>
  static P plain(const detail::Access<P, kCount>& access) {
    return access.passed;
  }
  template <class T, std::size_t kCount>
  static T& plain(const detail::Access<detail::Reference<T>, kCount>& access) {
    return *access.passed.pointer;
  }
  template <class T>
  static const T& plain(const T& value) {
    return value;
  }
  // A task's failure, or the first one that its children left to it, is its spawner's unless that
  // has an earlier one.
  template <class F>
  static void call(F&& function) {
    const Word earlier = std::exchange(failure_, 0);
    try {
      function();
    } catch (const std::exception& failure) {
      failure_ = Failure::hash(failure);
    }
    if (earlier != 0) failure_ = earlier;
  }

  static inline Word failure_ = 0;  // of the running task's children
  static inline std::vector<std::unique_ptr<Word[]>> words_;
};

}  // namespace myr::random_test
