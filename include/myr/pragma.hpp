// SPDX-License-Identifier: Apache-2.0
//
// What the code that myrcc writes for C++ uses besides pragma.h: the accesses that a pragma
// declares, what a task keeps of objects, and where its exceptions go. For translated programs; not
// meant to be called by hand. C++14, as such programs may be older than myr.hpp.
#pragma once

#include <myr/pragma.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <myr/exception.hpp>
#include <myr/owner.hpp>
#include <myr/sanitized.hpp>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

// Gives `object` a name that another object around it has as well.
#define MYR_PRAGMA_NAME(name, object)                                                         \
  _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wshadow\"") auto&& name = \
      object;                                                                                 \
  _Pragma("GCC diagnostic pop")

// Around a task's statement, within braces: an exception must not leave it. `fails`: a Thrown*.
#if defined(__cpp_exceptions)
#define MYR_PRAGMA_TRY try
#define MYR_PRAGMA_CATCH(fails) \
  catch (...) {                 \
    ::myr::pragma::fail(fails); \
  }
#else
#define MYR_PRAGMA_TRY
#define MYR_PRAGMA_CATCH(fails) static_cast<void>(fails);
#endif

namespace myr {
inline namespace v0 {
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

// An access to a container, and one to its elements.
struct Held {
  myr_access object;
  myr_access elements;
};

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
std::size_t count_of(const Held& held, const More&... more) noexcept;
template <class... More>
void put(myr_access* next, const myr_access& access, const More&... more) noexcept;
template <class... More>
void put(myr_access* next, const myr_box& box, const More&... more) noexcept;
template <class... More>
void put(myr_access* next, const myr_list& list, const More&... more) noexcept;
template <class... More>
void put(myr_access* next, const Held& held, const More&... more) noexcept;

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
template <class... More>
std::size_t count_of(const Held&, const More&... more) noexcept {
  return 2 + count_of(more...);
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
template <class... More>
void put(myr_access* next, const Held& held, const More&... more) noexcept {
  next[0] = held.object;
  next[1] = held.elements;
  put(next + 2, more...);
}

// The accesses of a task or a wait, side by side.
template <std::size_t N, bool IsFixed>
struct Room {
  explicit Room(std::size_t) {}
  myr_access* get() { return first; }
  const myr_access* get() const { return first; }
  myr_access first[N];
};
template <std::size_t N>
struct Room<N, false> {
  explicit Room(std::size_t count) : first(new myr_access[count + 1]) {}
  myr_access* get() const { return first.get(); }
  std::unique_ptr<myr_access[]> first;
};
template <std::size_t N, bool IsFixed>
struct AccessList {
  const myr_access* list() const { return room.get(); }
  Room<N, IsFixed> room;
  std::size_t count;
  bool owners;
};

// Whether each is one access.
template <class... Accesses>
struct AreSingle : std::true_type {};
template <class First, class... More>
struct AreSingle<First, More...>
    : std::integral_constant<bool, std::is_base_of<myr_access, First>::value &&
                                       AreSingle<More...>::value> {};

template <class... Accesses>
auto accesses(const Accesses&... all) {
  const std::size_t count = count_of(all...);
  AccessList<sizeof...(all), AreSingle<Accesses...>::value> made{
      Room<sizeof...(all), AreSingle<Accesses...>::value>(count), count, owns(all...)};
  put(made.room.get(), all...);
  return made;
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

// A value whose copy is the one that the task keeps, so it takes the content along. Bytes stay
// bytes.
template <class T, bool IsBytes = std::is_trivially_copy_constructible<T>::value>
struct Carried {
  template <class U>
  Carried(std::nullptr_t, U&& given) : value(std::forward<U>(given)) {}
  T value;
};
template <class T>
struct Carried<T, false> {
  template <class U>
  Carried(std::nullptr_t, U&& given) : value(std::forward<U>(given)) {}
  Carried(const Carried& other) : value(std::move(other.value)) {}
  mutable T value;
};

// An object that a task uses, and how: as a copy, or the caller's own. `T` is as the task sees it.
template <class T>
class Copied {
 public:
  explicit Copied(const T& value) : carried_(nullptr, value) {}
  T& get() noexcept { return carried_.value; }

 private:
  Carried<std::remove_const_t<T>> carried_;
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
  explicit Moved(T&& value) : carried_(nullptr, std::move(value)) {}
  T&& get() noexcept { return std::move(carried_.value); }

 private:
  Carried<std::remove_const_t<T>> carried_;
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

// Whether it can be copied, and what it holds; a container says so of itself in any case.
template <class T, class = void>
struct IsCopyable : std::is_copy_constructible<T> {};
template <class T>
struct IsCopyable<T, std::enable_if_t<!std::is_same<T, typename T::value_type>::value>>
    : std::integral_constant<bool, std::is_copy_constructible<T>::value &&
                                       IsCopyable<typename T::value_type>::value> {};

// 0: the object itself; 1: a copy; 2: the object if the memory is within it, else a copy.
template <class T, class Reach>
constexpr int how_to_hold() {
  using Plain = std::remove_cv_t<T>;
  return std::is_scalar<Plain>::value               ? 1
         : !std::is_class<Plain>::value             ? 0
         : !IsCopyable<Plain>::value                ? 0
         : std::is_trivially_copyable<Plain>::value ? 2
         : IsHandle<Reach, Plain>::value            ? 1
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

// The same if the function takes a value or a constant reference, of a type that is known.
template <class T>
using Value = std::conditional_t<
    !std::is_lvalue_reference<T>::value, Moved<std::remove_reference_t<T>>,
    Copied<std::conditional_t<std::is_array<std::remove_reference_t<T>>::value ||
                                  std::is_function<std::remove_reference_t<T>>::value,
                              std::decay_t<T>, std::remove_reference_t<T>>>>;

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

// Whether a loop's iterations can be counted before it runs.
template <class T, class = void>
struct IsCountable : std::false_type {};
template <class T>
struct IsCountable<T, decltype(static_cast<void>(std::declval<T>() - std::declval<T>()),
                               static_cast<void>(std::declval<T>() + 1))> : std::true_type {};

// The exception of a task that runs at once, until its caller has it.
class Thrown {
 public:
  // Where the task's exception goes; nullptr: to whoever waits for the task.
  Thrown* at_once(const myr_next_task& next) noexcept {
    return myr_runs_at_once(&next) ? this : nullptr;
  }
#if defined(__cpp_exceptions)
  void keep() { exception_ = detail::caught(); }
  void rethrow() {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::exception_ptr exception_;
#else
  void rethrow() noexcept {}
#endif
};

#if defined(__cpp_exceptions)
inline void fail(Thrown* thrown) {
  if (thrown != nullptr) return thrown->keep();
  myr_task_failed(detail::caught_exception());
}
#endif

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

}  // namespace pragma
}  // namespace v0
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
inline void myr_list_add(myr_list* list, const myr::pragma::Held& held) {
  myr_list_add(list, held.object);
  myr_list_add(list, held.elements);
}
inline void myr_list_add(myr_list* list, const myr::pragma::Owning<myr::pragma::Held>& held) {
  list->owners = 1;
  myr_list_add(list, static_cast<const myr::pragma::Held&>(held));
}
template <class Held>
auto myr_list_add_joined(myr_list* list, const Held& held)
    -> std::enable_if_t<std::is_base_of<myr::pragma::Held, Held>::value> {
  myr_list_add(list, held);
}

namespace myr {
inline namespace v0 {
namespace pragma {

// Whether its elements lie together, as those of a vector, a text or a view.
template <class T, class = void>
struct IsContainer : std::false_type {};
template <class T>
struct IsContainer<T, decltype(static_cast<void>(std::declval<T&>().data() +
                                                 std::declval<const T&>().size()))>
    : std::is_same<std::remove_cv_t<std::remove_pointer_t<decltype(std::declval<T&>().data())>>,
                   std::remove_cv_t<typename T::value_type>> {};

// Elements, with the room for more.
template <class T>
auto room_of(const T& object, int) -> decltype(static_cast<std::size_t>(object.capacity())) {
  return object.capacity() > object.size() ? object.capacity() : object.size();
}
template <class T>
std::size_t room_of(const T& object, long) {
  return object.size();
}

// The access that names an object; a container stands for its elements, too. An earlier task that
// is just changing it comes first, as the object orders the two, and what is read here then is of
// no use.
template <class T>
auto place(T& object, unsigned flags)
    -> std::enable_if_t<!IsContainer<T>::value,
                        decltype(myr_piece(std::addressof(object), sizeof(object), flags))> {
  return myr_piece(std::addressof(object), sizeof(object), flags);
}
template <class T>
auto place(T& object, unsigned flags)
    -> std::enable_if_t<IsContainer<T>::value,
                        std::conditional_t<IsOwner<T>::value, Owning<Held>, Held>> {
  const volatile void* const whole = std::addressof(object);
  const detail::Glance glance;
  const volatile void* const first = object.data();
  const auto inside = reinterpret_cast<std::uintptr_t>(first) -  // of an array, or a short text
                      reinterpret_cast<std::uintptr_t>(whole);
  const std::size_t bytes = room_of(object, 0) * sizeof(*object.data());
  const bool is_elsewhere = inside >= sizeof(object) && bytes < (std::size_t{1} << 46);
  const Held held{myr_piece(whole, sizeof(object), flags),
                  myr_piece(first, is_elsewhere ? bytes : 0, flags | MYR_HELD)};
  return std::conditional_t<IsOwner<T>::value, Owning<Held>, Held>{held};
}

}  // namespace pragma
}  // namespace v0
}  // namespace myr
