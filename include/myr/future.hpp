// SPDX-License-Identifier: Apache-2.0
//
// Futures, which are results of tasks: a part of myr.hpp.
//
//   myr::Future<long> sum = myr::async(sum_of, myr::in(tree), root);
//   myr::spawn(report, myr::in(sum));          // gets a const long&, when it is there
//   std::printf("%ld\n", sum.get());           // waits for this task alone; throws what it threw
#pragma once

#include <myr/cxx20.hpp>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <exception>
#include <memory>
#include <myr/myr.hpp>
#include <myr/outcome.hpp>
#include <new>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace myr {

// A future has no result: its task was cancelled, or is another task's.
class BrokenFuture : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// In place of the result of a function that returns nothing.
struct Done {};

template <class T = void>
class Future;

namespace detail {

struct SpawnFuture;

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

// What the task leaves; who looks too early, which is a mistake, sees that it is not there.
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

template <class T>
std::shared_ptr<Result<T>> new_result() {
  if constexpr (is_bytes<HeldBy<T>>) {
    return std::shared_ptr<Result<T>>(new Result<T>, [](Result<T>* result) {
      result->drop();
      delete result;
    });
  } else {
    return std::make_shared<Result<T>>();
  }
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
  [[nodiscard]] myr_failure_taker taker() const noexcept { return {&event_failed, result, {home}}; }
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

// What in(future) declares; the task gets the value, or fails as the future's task did.
template <class T>
struct ResultRead {
  const Result<T>* result;
};
template <class T>
struct Argument<Access<ResultRead<T>>> : AccessArgument<ResultRead<T>, 1> {
  using Stored = const Result<T>*;
  static Stored store(const Access<ResultRead<T>>& a) noexcept { return a.passed.result; }
  static const HeldBy<T>& pass(Stored stored) {
    check_result(stored);
    return stored->value();
  }
};
template <class T>
inline constexpr bool names_owners<Access<ResultRead<T>>> = IsOwner<Result<T>>::value;

// What a coroutine awaits that goes on at once: its worker runs others meanwhile, as in a wait.
struct NeverSuspended {
  template <class Handle>
  void await_suspend(Handle) const noexcept {}
};
template <class... A>
struct Ready : NeverSuspended {
  std::tuple<A...> accesses;
  [[nodiscard]] bool await_ready() const {
    std::apply([](const A&... all) { wait(all...); }, accesses);
    return true;
  }
  void await_resume() const noexcept {}
};

}  // namespace detail

template <>
struct serialize<detail::ResultKeeper> {
  static std::string_view save(const detail::ResultKeeper&) { return {}; }
  static detail::ResultKeeper load(std::string_view) { return {}; }
};

// What a task will return, from async(). The task that called that may ask for it; others are given
// it by in(future), as all that has an owner: it can be moved, not copied. Its end waits for the
// task. What the task throws, get() throws, and a task that reads the future by in(future) fails
// with it instead of running; if nobody has asked, it goes to the next wait_all() of who spawned
// the task, as any task's exception.
template <class T>
class [[nodiscard]] Future {
 public:
  Future() noexcept = default;  // of nothing
  Future(Future&&) noexcept = default;
  Future& operator=(Future&& other) noexcept {
    Future taken(std::move(other));
    std::swap(result_, taken.result_);
    std::swap(is_asked_, taken.is_asked_);
    std::swap(site_, taken.site_);
    return *this;
  }
  Future(const Future&) = delete;
  Future& operator=(const Future&) = delete;
  ~Future() {
    if (result_ == nullptr) return;
    await(MYR_INOUT, site_);
    if (is_asked_ || result_->state() != detail::ResultState::Failed) return;
    detail::pass_on(result_->failure(), site_);
  }

  // Is there a task?
  [[nodiscard]] bool valid() const noexcept { return result_ != nullptr; }
  // Returns when the task has ended, with its children.
  void wait(const void* site = __builtin_source_location()) const { await(MYR_IN, site); }
  // Waits. Then it has the result, or throws what the task, or a child of it, has thrown.
  decltype(auto) get(const void* site = __builtin_source_location()) const& {
    settle(site);
    if constexpr (!std::is_void_v<T>) return result_->value();
  }
  T get(const void* site = __builtin_source_location()) && {
    Future taken(std::move(*this));
    taken.settle(site);
    if constexpr (!std::is_void_v<T>) return std::move(taken.result_->value());
  }
  // A task that gets the result; its own.
  template <class F>
  [[nodiscard]] auto then(F&& function) const;

  // For coroutines: waits as get() does, so that it need not be left and come back to.
  auto operator co_await() const& noexcept { return Awaiter{*this}; }

  // For in(future).
  template <unsigned kMode>
  [[nodiscard]] auto declared(const myr_site* site) const noexcept {
    static_assert(kMode == MYR_IN, "a future can only be read: write in(future)");
    is_asked_ = true;
    return detail::Access<detail::ResultRead<T>>{{result_.get()}, {access(MYR_IN)}, site};
  }

 private:
  friend struct detail::SpawnFuture;

  struct Awaiter : detail::NeverSuspended {
    explicit Awaiter(const Future& awaited) noexcept : future(awaited) {}
    const Future& future;
    [[nodiscard]] bool await_ready() const {
      future.wait();
      return true;
    }
    decltype(auto) await_resume() const { return future.get(); }
  };

  explicit Future(std::shared_ptr<detail::Result<T>> result, const myr_site* site) noexcept
      : result_(std::move(result)), site_(site) {}
  [[nodiscard]] myr_access access(unsigned mode) const noexcept {
    if (result_ == nullptr) return myr_make_access(nullptr, 0, mode | MYR_MAYBE);
    return myr_make_access(result_.get(), sizeof *result_, mode);
  }
  void await(unsigned mode, const void* site) const {
    const myr_access own = access(mode);
    myr_wait_at(&own, 1, static_cast<const myr_site*>(site));
  }
  void settle(const void* site) const {
    await(MYR_IN, site);
    is_asked_ = true;
    detail::check_result(result_.get());
  }

  std::shared_ptr<detail::Result<T>> result_;
  mutable bool is_asked_ = false;  // who will see what the task throws
  const myr_site* site_ = nullptr;
};

namespace detail {

struct SpawnFuture {
  template <class U, class F, class... A>
  auto operator()(Priority priority, const U& uses, F&& function, A&&... arguments) const {
    using Function = std::decay_t<F>;
    using T = decltype(call_with(std::declval<Function>(), std::declval<PassedFor<A>>()...));
    static_assert(!std::is_reference_v<T>,
                  "a future has a value of its own: let the function return that, or a pointer");
    static_assert(std::is_void_v<T> || std::is_move_constructible_v<T>,
                  "what the function of async() returns must be movable");
    const myr_site* site = first_site(Argument<U>::site(uses), ArgumentOf<A>::site(arguments)...);
    Future<T> future(new_result<T>(), site);
    SpawnTask()(priority, uses,
                Producer<Function, Result<T>>{std::forward<F>(function), future.result_.get(),
                                              process_token()},
                make_access<MYR_OUT>(*future.result_, site), ResultKeeper{future.result_},
                std::forward<A>(arguments)...);
    return future;
  }
};

}  // namespace detail

// Spawns function(arguments...) as spawn() does, for what it returns. The task ends when its
// children have ended, and has their exceptions.
template <class First, class... A>
[[nodiscard]] auto async(First&& first, A&&... arguments) {
  using detail::SpawnFuture;
  using enum detail::Problem;
  if constexpr (!detail::RightForResult<First, A...> ||
                detail::Task<First, A...>::kProblem == Refused) {
    spawn(std::forward<First>(first), std::forward<A>(arguments)...);  // says why
    return Future<void>();
  } else if constexpr (std::is_same_v<std::remove_cvref_t<First>, Priority>) {
    return detail::make_behind(SpawnFuture(), first, std::forward<A>(arguments)...);
  } else {
    return detail::make_behind(SpawnFuture(), priority(0), std::forward<First>(first),
                               std::forward<A>(arguments)...);
  }
}

template <class T>
template <class F>
auto Future<T>::then(F&& function) const {
  if constexpr (std::is_void_v<T>) {
    return async([work = std::forward<F>(function)](Done) mutable { return std::move(work)(); },
                 in(*this));
  } else {
    return async(std::forward<F>(function), in(*this));
  }
}

// The results of all, when all are there, as a tuple; of one that has no result a Done.
template <class... T>
[[nodiscard]] auto when_all(const Future<T>&... futures) {
  return async([](const detail::HeldBy<T>&... results) { return std::tuple(results...); },
               in(futures)...);
}

// For coroutines: waits as wait() does.
//   co_await myr::ready(myr::in(x));
template <class... A>
[[nodiscard]] detail::Ready<A...> ready(A... accesses) {
  return {{}, {accesses...}};
}

}  // namespace myr
