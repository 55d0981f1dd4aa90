// SPDX-License-Identifier: Apache-2.0
//
// Part of future.hpp: what a task leaves for its future, and how other tasks get it.
#pragma once

#include <myr/cxx20.hpp>

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <memory>
#include <myr/access.hpp>
#include <myr/closure.hpp>
#include <myr/outcome.hpp>
#include <myr/saved_closure.hpp>
#include <new>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace myr::inline v0 {

// A future has no result: its task was cancelled, or another task has made it.
class BrokenFuture : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// In place of the result of a function that returns nothing.
struct Done {};

namespace detail {

template <class T>
using HeldBy = std::conditional_t<std::is_void_v<T>, Done, T>;

// Tells this process from others, on any computer.
inline std::uint64_t process_token() {
  static const std::uint64_t token = [] {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(getpid()) << 40 ^
           static_cast<std::uint64_t>(now.tv_sec) << 30 ^ static_cast<std::uint64_t>(now.tv_nsec);
  }();
  return token;
}

// What the task leaves; a look that comes too early, which is a mistake, sees that it is not there.
enum class ResultState : std::uint8_t { None, There, Failed };

class ResultBase {
 public:
  [[nodiscard]] ResultState state() const noexcept {
    return static_cast<ResultState>(__atomic_load_n(&state_, __ATOMIC_ACQUIRE));
  }

 protected:
  void become(ResultState state) noexcept {
    __atomic_store_n(&state_, static_cast<std::uint8_t>(state), __ATOMIC_RELEASE);
  }

 private:
  std::uint8_t state_ = 0;
};

// One that is more than its bytes: its task stays in the process that spawns it.
template <class T>
class LocalResult : public ResultBase {
 public:
  void set(T&& value) {
    value_.emplace(std::move(value));
    become(ResultState::There);
  }
  void fail(std::exception_ptr failure, std::uint64_t) {
    failure_ = std::move(failure);
    become(ResultState::Failed);
  }
  [[nodiscard]] std::exception_ptr failure() const { return failure_; }
  [[nodiscard]] const T& value() const noexcept { return *value_; }
  [[nodiscard]] T& value() noexcept { return *value_; }

 private:
  std::optional<T> value_;
  std::exception_ptr failure_;
};

// One that is no more than its bytes, which come from whatever process the task runs in. So does
// what it throws, as the type's name and what it says; in the same process it is itself.
template <class T>
class ResultOfBytes : public ResultBase {
 public:
  void set(T&& value) {
    ::new (static_cast<void*>(bytes_)) T(std::move(value));
    become(ResultState::There);
  }
  // `home`: the process of the future.
  void fail(const std::exception_ptr& failure, std::uint64_t home) {
#if defined(__cpp_exceptions)
    home_ = home;
    std::exception_ptr named = failure;
    exception_kind()->name(&named, type_, sizeof type_, what_, sizeof what_);
    failure_ = home == process_token() ? new std::exception_ptr(failure) : nullptr;
#endif
    become(ResultState::Failed);
  }
  [[nodiscard]] std::exception_ptr failure() const {
#if defined(__cpp_exceptions)
    if (home_ == process_token() && failure_ != nullptr) return *failure_;
    const std::unique_ptr<std::exception_ptr> revived(
        static_cast<std::exception_ptr*>(exception_kind()->revive(type_, what_)));
    return *revived;
#else
    return nullptr;
#endif
  }
  void drop() noexcept {
    if (state() == ResultState::Failed) delete failure_;
  }
  [[nodiscard]] const T& value() const noexcept {
    return *std::launder(reinterpret_cast<const T*>(bytes_));
  }
  [[nodiscard]] T& value() noexcept { return *std::launder(reinterpret_cast<T*>(bytes_)); }

 private:
  alignas(T) std::byte bytes_[sizeof(T)];
  std::uint64_t home_ = 0;
  std::exception_ptr* failure_ = nullptr;
  char type_[128];
  char what_[256];
};

template <class T>
using Result =
    std::conditional_t<is_bytes<HeldBy<T>>, ResultOfBytes<HeldBy<T>>, LocalResult<HeldBy<T>>>;

// What futures have. The access of the task, and what goes between processes, is the result alone.
template <class T>
struct SharedResult {
  Result<T> result;
  std::atomic<bool> is_asked{false};  // somebody will see what the task throws
  // What the task has been given: memory that it declares must be there until it has ended.
  std::vector<std::shared_ptr<void>> inputs;

  SharedResult() = default;
  SharedResult(const SharedResult&) = delete;
  SharedResult& operator=(const SharedResult&) = delete;
  ~SharedResult() {
    if constexpr (is_bytes<HeldBy<T>>) result.drop();
  }
  void ask() noexcept { is_asked.store(true, std::memory_order_relaxed); }
};
template <class T>
using ResultPointer = std::shared_ptr<SharedResult<T>>;

template <class T>
myr_access access_to_result(const SharedResult<T>* shared, unsigned flags) noexcept {
  if (shared == nullptr) return myr_make_access(nullptr, 0, flags | MYR_MAYBE);
  return myr_make_access(&shared->result, sizeof shared->result, flags);
}

// Throws what the task threw, or that there is no result.
template <class R>
void check_result(const R* result) {
  const ResultState state = result == nullptr ? ResultState::None : result->state();
  if (state == ResultState::There) return;
#if defined(__cpp_exceptions)
  if (state == ResultState::Failed) std::rethrow_exception(result->failure());
  throw BrokenFuture(
      "a future has no result: it is of no task, or of one that was cancelled; or of another "
      "task's, for which a wait here does not wait: name it by in(future) there");
#else
  std::abort();
#endif
}

// A task keeps the memory of its result, where it was spawned.
struct ResultKeeper {
  std::shared_ptr<const void> result;
};

// A task's function, which leaves what it returns or throws in the result.
template <class F, class R>
struct Producer {
  F function;
  R* result;
  std::uint64_t home;

  template <class... P>
  void operator()(R&, const ResultKeeper&, P&&... passed) {
    const auto call = [&]() -> decltype(auto) {
      return call_with(std::move(function), static_cast<P&&>(passed)...);
    };
    if constexpr (std::is_void_v<decltype(call())>) {
      call();
      result->set(Done{});
    } else {
      result->set(call());
    }
  }
  template <class Call>
  void run(const Call& call) {
    std::exception_ptr failure = outcome_of(call);
    if (failure != nullptr) result->fail(std::move(failure), home);
    const myr_failure_taker own = taker();
    myr_take_event_failure(&own);
  }
  [[nodiscard]] myr_failure_taker taker() const noexcept {
    return {sizeof(myr_failure_taker), &event_failed, result, {home}};
  }
  // What the function itself has thrown comes first.
  static int event_failed(const myr_failure_taker* taker, myr_exception exception) {
    auto* result = static_cast<R*>(taker->to);
    std::exception_ptr failure = taken_over(exception);
    if (result->state() != ResultState::Failed) result->fail(std::move(failure), taker->words[0]);
    return 1;
  }
};
template <class F, class R>
inline constexpr bool is_wrapper<Producer<F, R>> = true;

template <class T>
const Result<T>* result_in(const SharedResult<T>* shared) noexcept {
  return shared == nullptr ? nullptr : &shared->result;
}

// What in(future) declares; the task gets the value, or fails as the future's task did.
template <class T>
struct ResultRead {
  SharedResult<T>* shared;

  [[nodiscard]] const Result<T>* ask() const noexcept {
    if (shared != nullptr) shared->ask();
    return result_in(shared);
  }
};
template <class T>
struct Argument<Access<ResultRead<T>>> : AccessArgument<ResultRead<T>, 1> {
  using Stored = const Result<T>*;
  static Stored store(const Access<ResultRead<T>>& a) noexcept { return a.passed.ask(); }
  static const HeldBy<T>& pass(Stored stored) {
    check_result(stored);
    return stored->value();
  }
};
template <class T>
inline constexpr bool names_owners<Access<ResultRead<T>>> = IsOwner<Result<T>>::value;

// The same in uses(): see Guarded. A weak access waits for nothing, so nothing is known.
template <class T>
struct ResultGuard {
  const Result<T>* result;
  bool is_weak;
  void check() const {
    if (!is_weak) check_result(result);
  }
};
template <class T>
ResultGuard<T> guard_of(const Access<ResultRead<T>>& a) noexcept {
  return {a.passed.ask(), (a.accesses[0].flags & MYR_WEAK) != 0};
}

// What in(each(futures)) declares; and what a task gets that reads them all.
template <class T>
struct ManyResults {
  std::vector<ResultPointer<T>> all;
  unsigned flags;
  const myr_site* site;

  void ask() const noexcept {
    for (const ResultPointer<T>& one : all) {
      if (one != nullptr) one->ask();
    }
  }
};
template <class T>
void check_results(const std::vector<ResultPointer<T>>& all) {
  for (const ResultPointer<T>& one : all) check_result(result_in(one.get()));
}
template <class T>
struct Argument<ManyResults<T>> {
  using A = ManyResults<T>;
  using Stored = std::vector<ResultPointer<T>>;
  static std::size_t count(const A& a) noexcept { return a.all.size(); }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    for (const ResultPointer<T>& one : a.all) *next++ = access_to_result(one.get(), a.flags);
  }
  static Stored&& store(A&& a) noexcept {
    a.ask();
    return std::move(a.all);
  }
  static Stored&& pass(Stored& stored) {
    check_results<T>(stored);
    return std::move(stored);
  }
};
template <class T>
inline constexpr bool is_access<ManyResults<T>> = true;
template <class T>
inline constexpr bool is_many_accesses<ManyResults<T>> = true;
template <class T>
inline constexpr bool names_owners<ManyResults<T>> = IsOwner<Result<T>>::value;

template <class T>
struct ManyResultsGuard {
  std::vector<ResultPointer<T>> all;
  void check() const { check_results<T>(all); }
};
template <class T>
ManyResultsGuard<T> guard_of(const ManyResults<T>& a) {
  a.ask();
  if ((a.flags & MYR_WEAK) != 0) return {};
  return {a.all};
}

}  // namespace detail

template <>
struct serialize<detail::ResultKeeper> {
  static std::string_view save(const detail::ResultKeeper&) { return {}; }
  static detail::ResultKeeper load(std::string_view) { return {}; }
};

}  // namespace myr::inline v0
