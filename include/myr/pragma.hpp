// SPDX-License-Identifier: Apache-2.0
//
// What the code that myrcc writes for C++ is made of: a task is made in place, from the accesses
// that its pragma declares and a closure. For translated programs only; nothing here is meant to be
// called by hand. C++14, as translated programs may be older than myr.hpp.
//
//   ::myr::pragma::task(MYR_PRAGMA_SITE("main", 5), myr_piece(...))([=]() mutable { ... });
#pragma once

#include <myr/pragma.h>

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <myr/exception.hpp>
#include <myr/owner.hpp>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#define MYR_PRAGMA_SITE(function, column)                                \
  ([]() noexcept -> const myr_site* {                                    \
    static const myr_site site = {__FILE__, function, __LINE__, column}; \
    return &site;                                                        \
  }())

// Gives `object` a name that another object around it has as well.
#define MYR_PRAGMA_NAME(name, object)                                                         \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") auto&& name = \
      object;                                                                                 \
  _Pragma("GCC diagnostic pop")

namespace myr {
namespace pragma {

using detail::IsObject;
using detail::IsOwner;

// An access to objects that may own others. So is a list with `owners` set.
template <class Access>
struct Owning : Access {
  explicit Owning(const Access& access) : Access(access) {}
};
template <class T, class Access>
using IfOwner = std::enable_if_t<IsOwner<T>::value, Owning<Access>>;

inline bool owns() noexcept { return false; }
template <class... More>
bool owns(const myr_list& list, const More&... more) noexcept;
template <class Access, class... More>
bool owns(const Owning<Access>&, const More&...) noexcept {
  return true;
}
template <class Access, class... More>
bool owns(const Access&, const More&... more) noexcept {
  return owns(more...);
}
template <class... More>
bool owns(const myr_list& list, const More&... more) noexcept {
  return list.owners != 0 || owns(more...);
}

// Each calls the others, whatever comes first.
template <class... More>
std::size_t count_of(const myr_access& access, const More&... more) noexcept;
template <class... More>
std::size_t count_of(const myr_box& box, const More&... more) noexcept;
template <class... More>
std::size_t count_of(const myr_list& list, const More&... more) noexcept;
template <class... More>
void put(myr_access* next, const myr_access& access, const More&... more) noexcept;
template <class... More>
void put(myr_access* next, const myr_box& box, const More&... more) noexcept;
template <class... More>
void put(myr_access* next, const myr_list& list, const More&... more) noexcept;

inline std::size_t count_of() noexcept { return 0; }
template <class... More>
std::size_t count_of(const myr_access&, const More&... more) noexcept {
  return 1 + count_of(more...);
}
template <class... More>
std::size_t count_of(const myr_box& box, const More&... more) noexcept {
  return myr_box_count(box) + count_of(more...);
}
template <class... More>
std::size_t count_of(const myr_list& list, const More&... more) noexcept {
  return list.count + count_of(more...);
}

inline void put(myr_access*) noexcept {}
template <class... More>
void put(myr_access* next, const myr_access& access, const More&... more) noexcept {
  *next = access;
  put(next + 1, more...);
}
template <class... More>
void put(myr_access* next, const myr_box& box, const More&... more) noexcept {
  put(myr_put_box(next, box), more...);
}
template <class... More>
void put(myr_access* next, const myr_list& list, const More&... more) noexcept {
  put(myr_put_list(next, list), more...);
}

template <class... Accesses>
void wait(const myr_site* site, const Accesses&... accesses) {
  const std::size_t count = count_of(accesses...);
  const std::unique_ptr<myr_access[]> list(new myr_access[count + 1]);
  put(list.get(), accesses...);
  myr_wait_at(list.get(), count, site);
}
inline void wait_all(const myr_site* site) {
  myr_wait_all_at(site);
  detail::rethrow_failure();
}

// The region that a pragma names: a C id, or a handle of myr.hpp.
inline myr_region region_of(myr_region region) noexcept { return region; }
template <class Region>
auto region_of(const Region& region) noexcept -> decltype(region.id()) {
  return region.id();
}

// An object that a task uses, and how: as a copy, or the caller's own. `T` is as the task sees it.
template <class T>
class Copied {
 public:
  template <class U>
  explicit Copied(U&& value) : value_(std::forward<U>(value)) {}
  T& get() noexcept { return value_; }

 private:
  std::remove_const_t<T> value_;
};
template <class T>
class Referred {
 public:
  explicit Referred(T& object) noexcept : object_(std::addressof(object)) {}
  T& get() noexcept { return *object_; }

 private:
  T* object_;
};
template <class T>
class Moved {
 public:
  explicit Moved(T&& value) : value_(std::move(value)) {}
  T&& get() noexcept { return std::move(value_); }

 private:
  T value_;
};

template <class T, class = void>
struct IsPointerLike : std::false_type {};
template <class T>
struct IsPointerLike<T, decltype(static_cast<void>(std::declval<const T&>().operator->()))>
    : std::true_type {};

// Whether `Reach`, a function from an object to the memory that an access names, leads to the same
// type of memory for constant objects: so do pointers, iterators and the like: a copy leads
// to the same memory. An owner of memory, such as a container, makes its elements constant as well.
template <class Reach, class T, class = void>
struct IsHandle : std::false_type {};
template <class Reach, class T>
struct IsHandle<Reach, T,
                std::enable_if_t<std::is_same<decltype(std::declval<Reach&>()(std::declval<T&>())),
                                              decltype(std::declval<Reach&>()(
                                                  std::declval<const T&>()))>::value>> {
  using Memory = std::remove_reference_t<decltype(std::declval<Reach&>()(std::declval<T&>()))>;
  static constexpr bool value = !std::is_const<Memory>::value || IsPointerLike<T>::value;
};

// 0: the object itself; 1: a copy; 2: the object if the memory is within it, else a copy.
template <class T, class Reach>
constexpr int how_to_hold() {
  using Plain = std::remove_cv_t<T>;
  return std::is_scalar<Plain>::value                ? 1
         : !std::is_class<Plain>::value              ? 0
         : !std::is_copy_constructible<Plain>::value ? 0
         : std::is_trivially_copyable<Plain>::value  ? 2
         : IsHandle<Reach, Plain>::value             ? 1
                                                     : 0;
}

template <class T>
class Either {
 public:
  template <class Reach>
  Either(T& object, Reach& reach) : value_(object), object_(nullptr) {
    const volatile void* const at = std::addressof(reach(object));
    const std::less_equal<const volatile void*> not_after{};
    const T* const begin = std::addressof(object);
    if (not_after(begin, at) && !not_after(begin + 1, at)) object_ = std::addressof(object);
  }
  T& get() noexcept { return object_ == nullptr ? value_ : *object_; }

 private:
  std::remove_const_t<T> value_;
  T* object_;
};

template <int How>
struct Hold;
template <>
struct Hold<0> {
  template <class T, class Reach>
  static Referred<T> make(T& object, Reach&) {
    return Referred<T>(object);
  }
};
template <>
struct Hold<1> {
  template <class T, class Reach>
  static Copied<T> make(T& object, Reach&) {
    return Copied<T>(object);
  }
};
template <>
struct Hold<2> {
  template <class T, class Reach>
  static Either<T> make(T& object, Reach& reach) {
    return Either<T>(object, reach);
  }
};

// What a task keeps of an object through which its access leads; `reach` does, from the object.
template <class T, class Reach>
auto hold(T& object, Reach reach) {
  return Hold<how_to_hold<T, Reach>()>::make(object, reach);
}

// Whether what stands before `->`, of type T&&, is a handle that can be kept: an iterator or a
// smart pointer. An owner, such as std::optional, makes its content constant if it is itself.
template <class T, class = void>
struct IsKeptHandle : std::false_type {};
template <class T>
struct IsKeptHandle<T, std::enable_if_t<std::is_same<
                           decltype(std::declval<std::decay_t<T>&>().operator->()),
                           decltype(std::declval<const std::decay_t<T>&>().operator->())>::value>>
    : std::is_constructible<std::decay_t<T>, T&&> {};

// What a task keeps to call a method by `->`: a pointer or handle, or else a pointer to the object.
template <class T>
T* arrow(T* pointer) {
  return pointer;
}
template <class T>
std::enable_if_t<IsKeptHandle<T>::value, std::decay_t<T>> arrow(T&& handle) {
  return std::forward<T>(handle);
}
template <class T, std::enable_if_t<!IsKeptHandle<T>::value, int> = 0>
auto arrow(T&& owner) -> decltype(owner.operator->()) {
  return owner.operator->();
}

// Calls of functions that are known only when a template is used: whether `Call` takes these
// arguments, and whether it would take a temporary as number `I` of them. If not, it may change it.
template <class Call, class = void, class... Args>
struct Takes : std::false_type {};
template <class Call, class... Args>
struct Takes<Call, decltype(std::declval<Call&>()(std::declval<Args>()...)), Args...>
    : std::true_type {};
template <std::size_t I, class Call, class Indexes, class... Args>
struct TakesTemporary;
template <std::size_t I, class Call, std::size_t... J, class... Args>
struct TakesTemporary<I, Call, std::index_sequence<J...>, Args...>
    : Takes<Call, void, std::conditional_t<I == J, std::remove_reference_t<Args>&&, Args>...> {};

// How such a call's argument of type Arg&& is kept: a temporary is moved into the task; what the
// function may change, arrays and what has no copies are the caller's own; all else is copied.
template <bool Temporary, class Arg>
struct Argument;
template <bool Temporary, class T>
struct Argument<Temporary, T&&> {
  using Kept = Moved<T>;
};
template <bool Temporary, class T>
struct Argument<Temporary, T&> {
  static constexpr bool copies = Temporary && !std::is_array<T>::value &&
                                 !std::is_function<T>::value &&
                                 std::is_copy_constructible<std::remove_cv_t<T>>::value;
  static_assert(!copies || !std::is_polymorphic<T>::value,
                "an object of a class with virtual functions cannot be copied into a task without "
                "losing its class: name it in an access, or pass a pointer");
  using Kept = std::conditional_t<copies, Copied<T>, Referred<T>>;
};
template <std::size_t I, class Call, class... Args>
using Kept =
    typename Argument<TakesTemporary<I, Call, std::index_sequence_for<Args...>, Args...>::value,
                      std::tuple_element_t<I, std::tuple<Args...>>>::Kept;

// How the task of a function keeps a parameter of type T. `in_place`: its accesses name what the
// parameter refers to.
template <bool in_place, class T>
struct Gives {
  using Value = std::remove_reference_t<T>;
  static constexpr bool copies = !in_place && std::is_const<Value>::value;
  static_assert(
      !copies || !std::is_lvalue_reference<T>::value || !std::is_class<Value>::value ||
          std::is_copy_constructible<std::remove_cv_t<Value>>::value,
      "this object cannot be copied into a task: name it in an access, or pass a pointer");
  using Kept = typename Argument<copies, T&&>::Kept;
};
template <bool in_place, class T>
using Given = typename Gives<in_place, T>::Kept;

template <class Body>
struct Closure {
  Body body;

  static void run(void* memory, const myr_access* accesses) {
    Closure* const self = static_cast<Closure*>(memory);
    struct Destroy {
      Closure* closure;
      ~Destroy() { closure->~Closure(); }
    } destroy{self};
    if (accesses == MYR_CANCELLED) return;
#if defined(__cpp_exceptions)
    try {
      self->body();
    } catch (...) {
      myr_task_failed(detail::caught_exception());
    }
#else
    self->body();
#endif
  }
};

// While it lives, the tasks that are spawned run at once, if `final`.
class Final {
 public:
  explicit Final(bool final) noexcept { myr_final_depth += final ? 1 : 0; }
  ~Final() { myr_final_depth = outer_; }
  Final(const Final&) = delete;
  Final& operator=(const Final&) = delete;

 private:
  unsigned outer_ = myr_final_depth;
};

// While it lives, no other thread is in this critical region.
class Critical {
 public:
  Critical(myr_critical* critical, const myr_site* site) : critical_(critical) {
    myr_critical_enter(critical, site);
  }
  ~Critical() { myr_critical_leave(critical_); }
  Critical(const Critical&) = delete;
  Critical& operator=(const Critical&) = delete;

 private:
  myr_critical* critical_;
};

// A run of a recorded step, if it is one.
class Step {
 public:
  Step(myr_recording* recording, const myr_site* site)
      : recording_(myr_graph_begin_at(recording, site) != 0 ? *recording : nullptr), site_(site) {}
  ~Step() {
    if (recording_ != nullptr) myr_step_end_at(recording_, site_);
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

 private:
  myr_recording recording_;
  const myr_site* site_;
};

inline void barrier(const myr_site* site) {
  myr_barrier_at(site);
  detail::rethrow_failure();
}

// What reductions start with.
template <class T>
T lowest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : (Limits::lowest)();
}
template <class T>
T highest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : (Limits::max)();
}

// A task that has its accesses and lacks its closure. Lives within one expression.
template <class... Accesses>
class Task {
 public:
  Task(const myr_site* site, const Accesses&... accesses) : site_(site), accesses_(accesses...) {}

  // Runs at once, as a part of the caller, if `apart` is false; so do all tasks below it if
  // `final`.
  Task& when(bool apart, bool final) noexcept {
    apart_ = apart;
    final_ = final;
    return *this;
  }
  Task& when(bool apart, bool final, int priority) noexcept {
    priority_ = priority;
    return when(apart, final);
  }

  template <class Body>
  void operator()(Body body) {
    apply(std::move(body), std::index_sequence_for<Accesses...>{});
  }

 private:
  template <class Body, std::size_t... I>
  void apply(Body&& body, std::index_sequence<I...>) {
    using Packed = Closure<Body>;
    static_assert(alignof(Packed) <= 16, "what a task takes along is aligned to 16 bytes");
    myr_check_team(site_);
    if (!apart_ || final_ || myr_final_depth != 0) {
      if (sizeof...(Accesses) != 0) wait(site_, std::get<I>(accesses_)...);
      const Final deeper(final_);
      body();
      return;
    }
    const std::size_t count = count_of(std::get<I>(accesses_)...);
    const myr_draft draft = myr_draft_new_at(sizeof(Packed), count, site_);
    put(draft.accesses, std::get<I>(accesses_)...);
    ::new (draft.closure) Packed{std::move(body)};
    if (priority_ > 0) myr_draft_priority(draft, priority_);
    constexpr bool bytes = std::is_trivially_copy_constructible<Body>::value &&
                           std::is_trivially_destructible<Body>::value;
    if (!bytes || owns(std::get<I>(accesses_)...)) myr_draft_keep_here(draft);
    myr_submit_at(draft, &Packed::run, site_);
  }

  const myr_site* site_;
  std::tuple<Accesses...> accesses_;
  bool apart_ = true;
  bool final_ = false;
  int priority_ = 0;
};

template <class... Accesses>
Task<Accesses...> task(const myr_site* site, const Accesses&... accesses) {
  return Task<Accesses...>(site, accesses...);
}

}  // namespace pragma
}  // namespace myr

// Like those of pragma.h, for objects that may own others.
template <class T>
auto myr_piece(T* first, std::size_t bytes, unsigned flags) -> myr::pragma::IfOwner<T, myr_access> {
  const volatile void* const begin = first;
  return myr::pragma::Owning<myr_access>(myr_piece(begin, bytes, flags));
}
template <class T>
auto myr_object(T* first, std::size_t bytes, unsigned flags)
    -> myr::pragma::IfOwner<T, myr_access> {
  const volatile void* const begin = first;
  return myr::pragma::Owning<myr_access>(myr_object(begin, bytes, flags));
}
template <class T>
auto myr_box_of(T* first, std::size_t bytes, long long rows, std::size_t row_stride,
                long long planes, std::size_t plane_stride, unsigned flags)
    -> myr::pragma::IfOwner<T, myr_box> {
  const volatile void* const begin = first;
  return myr::pragma::Owning<myr_box>(
      myr_box_of(begin, bytes, rows, row_stride, planes, plane_stride, flags));
}
inline void myr_list_add(myr_list* list, const myr::pragma::Owning<myr_access>& access) {
  list->owners = 1;
  myr_list_add(list, static_cast<const myr_access&>(access));
}
inline void myr_list_add_joined(myr_list* list, const myr::pragma::Owning<myr_access>& access) {
  list->owners = 1;
  myr_list_add_joined(list, static_cast<const myr_access&>(access));
}
inline void myr_list_add_box(myr_list* list, const myr::pragma::Owning<myr_box>& box) {
  list->owners = 1;
  myr_list_add_box(list, static_cast<const myr_box&>(box));
}
