// SPDX-License-Identifier: Apache-2.0
//
// Futures, which are results of tasks: a part of myr.hpp.
//
//   myr::Future<long> sum = myr::async(sum_of, myr::in(tree), root);
//   myr::spawn(report, myr::in(sum));          // gets a const long&, when it is there
//   std::printf("%ld\n", sum.get());           // waits for this task alone; throws what it threw
#pragma once

#include <myr/cxx20.hpp>

#include <memory>
#include <myr/myr.hpp>
#include <myr/result.hpp>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace myr::inline v0 {

template <class T = void>
class Future;

namespace detail {

struct SpawnFuture;
struct InsideFuture;

// Awaited by a coroutine that goes on at once: its worker runs others meanwhile, as in a wait.
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

// What a task will return, from async(). The task that called that may ask for it; others are given
// it by in(future), as all that has an owner: it can be moved, not copied. Its end waits for the
// task. get() throws what the task throws, and a task that names the future by in(future), also in
// uses(), fails with it instead of running; if nobody has asked, it goes to the next wait_all() of
// the task's spawner, as any task's exception.
template <class T>
class [[nodiscard]] Future {
 public:
  Future() noexcept = default;  // of nothing
  Future(Future&&) noexcept = default;
  Future& operator=(Future&& other) noexcept {
    Future taken(std::move(other));
    std::swap(shared_, taken.shared_);
    std::swap(site_, taken.site_);
    return *this;
  }
  Future(const Future&) = delete;
  Future& operator=(const Future&) = delete;
  ~Future() {
    if (shared_ == nullptr) return;
    await(MYR_INOUT, site_);
    const bool has_failed = shared_->result.state() == detail::ResultState::Failed;
    if (has_failed && !shared_->is_asked) detail::pass_on(shared_->result.failure(), site_);
  }

  // Is there a task?
  [[nodiscard]] bool valid() const noexcept { return shared_ != nullptr; }
  // Returns when the task has ended, with its children.
  void wait(const void* site = __builtin_source_location()) const { await(MYR_IN, site); }
  // Is the result there, or the task's exception? As myr::is_ready() and wait_for().
  [[nodiscard]] bool is_ready(const void* site = __builtin_source_location()) const {
    return wait_for_ns(0, site);
  }
  template <detail::IsDuration D>
  [[nodiscard]] bool wait_for(const D& timeout,
                              const void* site = __builtin_source_location()) const {
    return wait_for_ns(detail::nanoseconds_of(timeout), site);
  }
  // Waits. Then it has the result, or throws what the task, or a child of it, has thrown.
  decltype(auto) get(const void* site = __builtin_source_location()) const& {
    settle(MYR_IN, site);
    if constexpr (!std::is_void_v<T>) return std::as_const(shared_->result).value();
  }
  // The same for tasks that read the result, before it is taken away.
  T get(const void* site = __builtin_source_location()) && {
    Future taken(std::move(*this));
    taken.settle(MYR_INOUT, site);
    if constexpr (!std::is_void_v<T>) return std::move(taken.shared_->result.value());
  }
  // A task that gets the result; its own. A future that is no more than a value on the way,
  // `async(f).then(g)`, goes with that task, and nobody waits here.
  template <class F>
  [[nodiscard]] auto then(F&& function, const void* site = __builtin_source_location()) const&;
  template <class F>
  [[nodiscard]] auto then(F&& function, const void* site = __builtin_source_location()) &&;

  // For coroutines: waits as get() does, so that it need not be left and come back to.
  auto operator co_await() const& noexcept { return Awaiter<const Future&>{{}, *this}; }
  auto operator co_await() && noexcept { return Awaiter<Future&&>{{}, std::move(*this)}; }

  // For in(future).
  template <unsigned kMode>
  [[nodiscard]] auto declared(const myr_site* site) const noexcept {
    static_assert(kMode == MYR_IN, "a future can only be read: write in(future)");
    return detail::Access<detail::ResultRead<T>>{
        {shared_.get()}, {detail::access_to_result(shared_.get(), MYR_IN)}, site};
  }

 private:
  friend struct detail::SpawnFuture;
  friend struct detail::InsideFuture;

  template <class Ref>
  struct Awaiter : detail::NeverSuspended {
    Ref future;
    [[nodiscard]] bool await_ready() const {
      future.wait();
      return true;
    }
    decltype(auto) await_resume() { return static_cast<Ref>(future).get(); }
  };

  explicit Future(detail::ResultPointer<T> shared, const myr_site* site) noexcept
      : shared_(std::move(shared)), site_(site) {}
  [[nodiscard]] bool wait_for_ns(std::uint64_t timeout, const void* site) const {
    const myr_access own = detail::access_to_result(shared_.get(), MYR_IN);
    return myr_wait_for_at(timeout, &own, 1, static_cast<const myr_site*>(site)) != 0;
  }
  void await(unsigned mode, const void* site) const {
    const myr_access own = detail::access_to_result(shared_.get(), mode);
    myr_wait_at(&own, 1, static_cast<const myr_site*>(site));
  }
  void settle(unsigned mode, const void* site) const {
    await(mode, site);
    if (shared_ != nullptr) shared_->ask();
    detail::check_result(detail::result_in(shared_.get()));
  }

  detail::ResultPointer<T> shared_;
  const myr_site* site_ = nullptr;
};

namespace detail {

// What futures are, for tasks that read them or are given them.
struct InsideFuture {
  template <class T>
  static const ResultPointer<T>& shared(const Future<T>& future) noexcept {
    return future.shared_;
  }
  template <class T>
  static const myr_site* site(const Future<T>& future) noexcept {
    return future.site_;
  }
  template <class T>
  static void hand_over(Future<T>& future, std::vector<std::shared_ptr<void>>& inputs) {
    inputs.push_back(future.shared_);
    future.shared_ = nullptr;
  }
};

// In a task: the result of one that has ended, and so no longer needs what it was given.
template <class T>
SharedResult<T>& ended(SharedResult<T>* shared) {
  if (shared != nullptr) shared->inputs.clear();
  check_result(result_in(shared));
  return *shared;
}

// A future that is given to a task, which gets the value, to keep if `kKeeps`. While there is no
// task, its end waits as the future's does.
template <class T, bool kKeeps>
struct GivenResult {
  Future<T> future;
  const myr_site* site;
  void hand_over(std::vector<std::shared_ptr<void>>& inputs) {
    InsideFuture::hand_over(future, inputs);
  }
};
template <class T, bool kKeeps>
struct Argument<GivenResult<T, kKeeps>> {
  using A = GivenResult<T, kKeeps>;
  using Stored = SharedResult<T>*;
  static constexpr std::size_t count(const A&) noexcept { return 1; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    *next++ = access_to_result(store(a), kKeeps ? MYR_INOUT : MYR_IN);
  }
  static Stored store(const A& a) noexcept { return InsideFuture::shared(a.future).get(); }
  static decltype(auto) pass(Stored stored) {
    if constexpr (kKeeps) {
      return std::move(ended(stored).result.value());
    } else {
      return std::as_const(ended(stored).result).value();
    }
  }
};
// The same for many; the task gets the results where they are.
template <class T>
struct GivenResults {
  std::vector<Future<T>> futures;
  void hand_over(std::vector<std::shared_ptr<void>>& inputs) {
    for (Future<T>& one : futures) InsideFuture::hand_over(one, inputs);
  }
};
template <class T>
struct Argument<GivenResults<T>> {
  using A = GivenResults<T>;
  using Stored = std::vector<SharedResult<T>*>;
  static std::size_t count(const A& a) noexcept { return a.futures.size(); }
  static const myr_site* site(const A& a) noexcept {
    return a.futures.empty() ? nullptr : InsideFuture::site(a.futures.front());
  }
  static void fill(const A& a, myr_access*& next) noexcept {
    for (SharedResult<T>* one : store(a)) *next++ = access_to_result(one, MYR_INOUT);
  }
  static Stored store(const A& a) {
    Stored all;
    for (const Future<T>& one : a.futures) all.push_back(InsideFuture::shared(one).get());
    return all;
  }
  static Stored& pass(Stored& stored) {
    for (SharedResult<T>* one : stored) ended(one);
    return stored;
  }
};
template <class T, bool kKeeps>
inline constexpr bool is_access<GivenResult<T, kKeeps>> = true;
template <class T, bool kKeeps>
inline constexpr bool names_owners<GivenResult<T, kKeeps>> = true;
template <class T>
inline constexpr bool names_owners<GivenResults<T>> = true;

struct SpawnFuture {
  template <class U, class F, class... A>
  auto operator()(How how, const U& uses, F&& function, A&&... arguments) const {
    using Function = std::decay_t<F>;
    using T = decltype(call_with(std::declval<Function>(), std::declval<PassedFor<A>>()...));
    static_assert(!std::is_reference_v<T>,
                  "a future has a value of its own: let the function return that, or a pointer");
    static_assert(std::is_void_v<T> || std::is_move_constructible_v<T>,
                  "what the function of async() returns must be movable");
    const myr_site* site = first_site(Argument<U>::site(uses), ArgumentOf<A>::site(arguments)...);
    Future<T> future(std::make_shared<SharedResult<T>>(), site);
    Result<T>& result = future.shared_->result;
    SpawnTask()(how, uses,
                Producer<Function, Result<T>>{std::forward<F>(function), &result, process_token()},
                make_access<MYR_OUT>(result, site), ResultKeeper{future.shared_},
                std::forward<A>(arguments)...);
    (hand_over(arguments, future), ...);
    return future;
  }

 private:
  template <class A, class T>
  static void hand_over(A& argument, Future<T>& to) {
    if constexpr (requires { argument.hand_over(to.shared_->inputs); }) {
      argument.hand_over(to.shared_->inputs);
    }
  }
};

// in(each(futures)).
template <unsigned kMode, class T>
ManyResults<T> access_to_each(Each<const Future<T>> all, const myr_site* site) {
  static_assert(kMode == MYR_IN, "futures can only be read: write in(each(futures))");
  ManyResults<T> many{{}, MYR_IN, site};
  for (std::size_t i = 0; i < all.size; ++i) {
    many.all.push_back(InsideFuture::shared(all.pointers[i]));
  }
  return many;
}

// For when_all().
template <class T>
auto result_argument(const Future<T>& future) noexcept {
  return future.template declared<MYR_IN>(InsideFuture::site(future));
}
template <class T>
GivenResult<T, true> result_argument(Future<T>&& future) noexcept {
  const myr_site* const site = InsideFuture::site(future);
  return {std::move(future), site};
}
template <class T>
inline constexpr bool is_future = false;
template <class T>
inline constexpr bool is_future<Future<T>> = true;

}  // namespace detail

// Spawns function(arguments...) as spawn() does, for what it returns. The task ends when its
// children have ended, and has their exceptions.
template <class First, class... A>
  requires(!(detail::Unplaced<First, A...> && detail::RightForResult<First, A...>))
[[nodiscard]] auto async(First&& first, A&&... arguments) {
  if constexpr (!detail::RightForResult<First, A...> ||
                detail::Task<First, A...>::kProblem == detail::Problem::Refused) {
    spawn(std::forward<First>(first), std::forward<A>(arguments)...);  // says why
    return Future<void>();
  } else {
    return detail::make_task(detail::SpawnFuture(), detail::Uses<>(), detail::How(),
                             std::forward<First>(first), std::forward<A>(arguments)...);
  }
}
template <class F>
  requires(detail::Unplaced<F> && detail::RightForResult<F>)
[[nodiscard]] auto async(F&& function,
                         detail::Here here = detail::Here(__builtin_source_location())) {
  return detail::make_task(detail::SpawnFuture(), here, detail::How(), std::forward<F>(function));
}
template <class F, class A>
  requires(detail::Unplaced<F, A> && detail::RightForResult<F, A>)
[[nodiscard]] auto async(F&& first, A&& second,
                         detail::Here here = detail::Here(__builtin_source_location())) {
  return detail::make_task(detail::SpawnFuture(), here, detail::How(), std::forward<F>(first),
                           std::forward<A>(second));
}
template <class F, class A, class B>
  requires(detail::Unplaced<F, A, B> && detail::RightForResult<F, A, B>)
[[nodiscard]] auto async(F&& first, A&& second, B&& third,
                         detail::Here here = detail::Here(__builtin_source_location())) {
  return detail::make_task(detail::SpawnFuture(), here, detail::How(), std::forward<F>(first),
                           std::forward<A>(second), std::forward<B>(third));
}

MYR_REFUSED("a name of several functions: write [](auto&... x) { return f(x...); }")
inline detail::Refused async(...) { return {}; }

namespace detail {

// A function without parameters, to run behind a task that returns nothing.
template <class T, class F>
auto behind_result(F&& function) {
  if constexpr (std::is_void_v<T>) {
    return [work = std::forward<F>(function)](Done) mutable { return std::move(work)(); };
  } else {
    return std::decay_t<F>(std::forward<F>(function));
  }
}

}  // namespace detail

template <class T>
template <class F>
auto Future<T>::then(F&& function, const void* site) const& {
  return async(detail::behind_result<T>(std::forward<F>(function)),
               declared<MYR_IN>(static_cast<const myr_site*>(site)));
}
template <class T>
template <class F>
auto Future<T>::then(F&& function, const void* site) && {
  auto work = detail::behind_result<T>(std::forward<F>(function));
  constexpr bool kKeeps = std::is_invocable_v<decltype(work), detail::HeldBy<T>>;
  return async(std::move(work), detail::GivenResult<T, kKeeps>{std::move(*this),
                                                               static_cast<const myr_site*>(site)});
}

// The results of all, when all are there, as a tuple; a Done for one that has no result. Futures
// that are given away, as temporaries are, go with the task that waits for them.
template <class... F>
  requires(... && detail::is_future<std::remove_cvref_t<F>>)
[[nodiscard]] auto when_all(F&&... futures) {
  return async(
      []<class... R>(R&&... results) {
        return std::tuple<std::remove_cvref_t<R>...>(std::forward<R>(results)...);
      },
      detail::result_argument(std::forward<F>(futures))...);
}
// As many as there are, as a vector of their results.
template <class T>
[[nodiscard]] auto when_all(std::vector<Future<T>>&& futures) {
  const auto collect = [](const std::vector<detail::SharedResult<T>*>& all) {
    std::vector<detail::HeldBy<T>> values;
    values.reserve(all.size());
    for (auto* one : all) values.push_back(std::move(one->result.value()));
    return values;
  };
  return detail::SpawnFuture()(detail::How(), detail::Uses<>(), collect,
                               detail::GivenResults<T>{std::move(futures)});
}
template <class T>
[[nodiscard]] auto when_all(const std::vector<Future<T>>& futures,
                            const void* site = __builtin_source_location()) {
  const auto collect = [](const std::vector<detail::ResultPointer<T>>& all) {
    std::vector<detail::HeldBy<T>> values;
    values.reserve(all.size());
    for (const auto& one : all) values.push_back(std::as_const(one->result).value());
    return values;
  };
  return detail::SpawnFuture()(detail::How(), detail::Uses<>(), collect, in(each(futures), site));
}

// For coroutines: waits as wait() does.
//   co_await myr::ready(myr::in(x));
template <class... A>
[[nodiscard]] detail::Ready<A...> ready(A... accesses) {
  return {{}, {accesses...}};
}

}  // namespace myr::inline v0
