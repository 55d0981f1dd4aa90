// SPDX-License-Identifier: Apache-2.0
//
// Myrmidon's C++ interface: typed accesses, closures as tasks, regions as objects. A thin layer
// over myr.h, header only, with the same rules (docs/semantics.md).
//
// clang-format off
//   myr::Region tree = myr::Region::create();
//   Node* root = tree.make<Node>();
//   myr::spawn(build, myr::inout(tree), root, 20);          // a function and its arguments
//   myr::spawn([](const Grid& a, Grid& b) { ... }, myr::in(a), myr::out(b));
//   myr::wait(myr::in(tree));                               // main may look at the tree
//   myr::wait_all();                                        // rethrows what a task threw
//
// What a task's function receives for each argument of spawn(); out(), inout(), concurrent() and
// commutative() are like in(), without the const:
//
//   argument   received     what is declared
//   in(x)      const T&     x, any lvalue but a pointer or a Region (out(x), inout(x): T&)
//   in(p)      T*           where p points: the whole object if myr::Region made it, else one T
//   in(p, n)   T*           n elements from p on
//   in(tile)   Tile<T>      a rectangle of a row-major matrix, see tile()
//   in(r)      Region       the region and everything in it
//   reduce(x, op)  T&       x; the function gets a copy of its own, see reduce()
//   else       the value    nothing; the value is copied or moved into the task
// clang-format on
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <myr/exception.hpp>
#include <myr/memory.hpp>
#include <myr/owner.hpp>
#include <myr/saved_closure.hpp>
#include <new>
#include <source_location>
#include <tuple>
#include <type_traits>
#include <utility>

namespace myr {

namespace detail {

// The compiler's own word for the place of a call, __builtin_source_location(), has these members.
static_assert(std::is_standard_layout_v<myr_site> && offsetof(myr_site, file) == 0 &&
              offsetof(myr_site, function) == sizeof(char*) &&
              offsetof(myr_site, line) == 2 * sizeof(char*) &&
              offsetof(myr_site, column) == offsetof(myr_site, line) + sizeof(unsigned));

}  // namespace detail

// A rectangle of a row-major matrix: rows of `columns` elements, `stride` elements apart.
template <class T>
struct Tile {
  T* data;
  std::size_t rows;
  std::size_t columns;
  std::size_t stride;
  T& operator()(std::size_t row, std::size_t column) const noexcept {
    return data[row * stride + column];
  }
};
template <class T>
[[nodiscard]] Tile<T> tile(T* data, std::size_t rows, std::size_t columns,
                           std::size_t stride) noexcept {
  return {data, rows, columns, stride};
}

// A handle on a region; copying it copies only the handle. The region is freed by free() or with
// its parent, not when the handle goes out of scope.
class Region {
 public:
  constexpr Region() noexcept : id_(MYR_ROOT) {}  // the root region
  constexpr explicit Region(myr_region id) noexcept : id_(id) {}

  // Creates a region inside `parent`; see myr_region_new().
  [[nodiscard]] static Region create(Region parent = {}, int level_hint = 0,
                                     const void* site = __builtin_source_location()) {
    return Region(myr_region_new_at(parent.id_, level_hint, static_cast<const myr_site*>(site)));
  }
  // Frees all objects (without running destructors) and sub-regions, after the tasks that use them.
  void free(const void* site = __builtin_source_location()) const {
    myr_region_free_at(id_, static_cast<const myr_site*>(site));
  }
  // Tasks that use something in it, and have not begun, need not run: see myr_region_cancel().
  void cancel(const void* site = __builtin_source_location()) const {
    myr_region_cancel_at(id_, static_cast<const myr_site*>(site));
  }
  // Objects in it hold addresses of memory that is in no region: see myr_region_keep_here(). The
  // calls that make objects say so by themselves where T has a destructor of its own, or virtual
  // functions.
  void keep_here(const void* site = __builtin_source_location()) const {
    myr_region_keep_here_at(id_, static_cast<const myr_site*>(site));
  }
  // Constructs one T in this region, as T(args...); an aggregate, and what has no such constructor,
  // as T{args...}.
  template <class T, class... Args>
  [[nodiscard]] T* make(Args&&... args) const {
    static_assert(alignof(T) <= 64, "objects are aligned to 64 bytes");
    void* const fresh = myr_alloc_at(sizeof(T), id_, nullptr);
    if constexpr (detail::IsOwner<T>::value) keep_here(nullptr);
    return detail::build_in(fresh, [&](void* memory) {
      if constexpr (std::is_constructible_v<T, Args...> && !std::is_aggregate_v<T>) {
        return ::new (memory) T(std::forward<Args>(args)...);
      } else {
        return ::new (memory) T{std::forward<Args>(args)...};
      }
    });
  }
  // Constructs `count` value-initialised T side by side, as one object.
  template <class T>
  [[nodiscard]] T* make_array(std::size_t count,
                              const void* site = __builtin_source_location()) const {
    static_assert(alignof(T) <= 64, "objects are aligned to 64 bytes");
    void* const memory =
        myr_alloc_at(detail::bytes_of(count, sizeof(T)), id_, static_cast<const myr_site*>(site));
    if constexpr (detail::IsOwner<T>::value) keep_here(site);
    return detail::build_array<T>(memory, count);
  }
  // The same for an array that is divided into blocks of so many bytes; see myr_alloc_blocks().
  template <class T>
  [[nodiscard]] T* make_blocks(std::size_t count, std::size_t block_bytes,
                               const void* site = __builtin_source_location()) const {
    static_assert(alignof(T) <= 64, "objects are aligned to 64 bytes");
    void* const memory = myr_alloc_blocks_at(detail::bytes_of(count, sizeof(T)), block_bytes, id_,
                                             static_cast<const myr_site*>(site));
    if constexpr (detail::IsOwner<T>::value) keep_here(site);
    return detail::build_array<T>(memory, count);
  }
  [[nodiscard]] constexpr myr_region id() const noexcept { return id_; }
  friend constexpr bool operator==(Region, Region) noexcept = default;

 private:
  myr_region id_;
};

// Destroys and frees an object made by Region::make(), after the tasks that use it.
template <class T>
void destroy(T* object, const void* site = __builtin_source_location()) {
  if (object == nullptr) return;
  const myr_access access = myr_make_access(object, sizeof(T), MYR_INOUT | MYR_WHOLE);
  myr_wait_at(&access, 1, static_cast<const myr_site*>(site));
  object->~T();
  myr_free_at(object, static_cast<const myr_site*>(site));
}

namespace detail {

// An argument with declared accesses. `Passed` is what the task's function receives.
template <class Passed>
struct Access {
  Passed passed;
  myr_access access;
  const myr_site* site;
};
template <class T>
struct Reference {
  T* pointer;
};
template <class T>
struct TileAccess {
  Tile<T> passed;
  unsigned flags;
  const myr_site* site;
};

template <unsigned Mode, class T>
auto make_access(T& value, const void* where) noexcept {
  const auto* site = static_cast<const myr_site*>(where);
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_same_v<Plain, Region>) {
    return Access<Region>{value, myr_region_access(value.id(), Mode), site};
  } else if constexpr (std::is_pointer_v<Plain>) {
    using Element = std::remove_pointer_t<Plain>;
    constexpr std::size_t bytes = std::is_void_v<Element> ? 0 : sizeof(*value);
    return Access<Plain>{value, myr_make_access(value, bytes, Mode | MYR_WHOLE), site};
  } else {
    using Target = std::conditional_t<Mode == MYR_IN, const T, T>;
    return Access<Reference<Target>>{
        {std::addressof(value)}, myr_make_access(std::addressof(value), sizeof(T), Mode), site};
  }
}
template <unsigned Mode, class T>
Access<T*> make_range(T* first, std::size_t count, const void* site) noexcept {
  const auto access =
      myr_make_access(count == 0 ? nullptr : first, bytes_of(count, sizeof(T)), Mode);
  return {first, access, static_cast<const myr_site*>(site)};
}

// How spawn() and wait() handle one argument: `Stored` is kept in the task, fill() writes count()
// accesses, and pass() turns what is stored into what the function receives.
template <class A>
struct Argument {
  using Stored = std::decay_t<A>;
  static std::size_t count(const A&) noexcept { return 0; }
  static const myr_site* site(const A&) noexcept { return nullptr; }
  static void fill(const A&, myr_access*&) noexcept {}
  template <class U>
  static U&& store(U&& value) noexcept {
    return std::forward<U>(value);
  }
  static Stored&& pass(Stored& stored) noexcept { return std::move(stored); }
};
template <class P>
struct Argument<Access<P>> {
  using Stored = P;
  static std::size_t count(const Access<P>&) noexcept { return 1; }
  static const myr_site* site(const Access<P>& a) noexcept { return a.site; }
  static void fill(const Access<P>& a, myr_access*& next) noexcept { *next++ = a.access; }
  static P store(const Access<P>& a) noexcept { return a.passed; }
  static P pass(P stored) noexcept { return stored; }
};
template <class T>
struct Argument<Access<Reference<T>>> {
  using A = Access<Reference<T>>;
  using Stored = T*;
  static std::size_t count(const A&) noexcept { return 1; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept { *next++ = a.access; }
  static T* store(const A& a) noexcept { return a.passed.pointer; }
  static T& pass(T* stored) noexcept { return *stored; }
};
template <class T>
struct Argument<TileAccess<T>> {
  using A = TileAccess<T>;
  using Stored = Tile<T>;
  static bool dense(const A& a) noexcept { return a.passed.stride == a.passed.columns; }
  static std::size_t count(const A& a) noexcept { return dense(a) ? 1 : a.passed.rows; }
  static const myr_site* site(const A& a) noexcept { return a.site; }
  static void fill(const A& a, myr_access*& next) noexcept {
    const Tile<T>& t = a.passed;
    const std::size_t ranges = count(a);
    const std::size_t row_bytes = bytes_of(t.columns, sizeof(T));
    const std::size_t bytes = dense(a) ? bytes_of(t.rows, row_bytes) : row_bytes;
    for (std::size_t row = 0; row < ranges; ++row) {
      const T* const first = element_at(t.data, saturated_product(row, t.stride));
      *next++ = myr_make_access(bytes == 0 ? nullptr : first, bytes, a.flags);
    }
  }
  static Tile<T> store(const A& a) noexcept { return a.passed; }
  static Tile<T> pass(Tile<T> stored) noexcept { return stored; }
};
template <class T, class Op>
struct Reduction;  // of reduction.hpp
template <class T, class Op>
struct Combination;  // of reduction.hpp
template <class A>
inline constexpr bool is_reduction = false;
template <class T, class Op>
inline constexpr bool is_reduction<Reduction<T, Op>> = true;
template <class A>
using ArgumentOf = Argument<std::remove_cvref_t<A>>;

// Does an access name objects that may own others?
template <class A>
inline constexpr bool names_owners = false;
template <class T>
inline constexpr bool names_owners<Access<T*>> = IsOwner<T>::value;
template <class T>
inline constexpr bool names_owners<Access<Reference<T>>> = IsOwner<T>::value;
template <class T>
inline constexpr bool names_owners<TileAccess<T>> = IsOwner<T>::value;

// Runs code of the user's. What it throws is the running task's failure; then returns false.
template <class Work>
bool attempt(const Work& work) {
#if defined(__cpp_exceptions)
  try {
    work();
  } catch (...) {
    myr_task_failed(caught_exception());
    return false;
  }
#else
  work();
#endif
  return true;
}

// Writes the accesses of an argument, if it is a reduction or if it is none.
template <bool kReductions, class A>
void fill_some(const A& argument, myr_access*& next) noexcept {
  if constexpr (is_reduction<A> == kReductions) ArgumentOf<A>::fill(argument, next);
}

template <class F, class... A>
struct Closure {
  F function;
  std::tuple<typename ArgumentOf<A>::Stored...> stored;

  static constexpr bool is_all_bytes =
      (is_bytes<F> && ... && is_bytes<typename ArgumentOf<A>::Stored>);
  template <class T>
  static constexpr bool travels = is_bytes<T> || Saved<T>;
  static constexpr bool is_saved = (travels<F> && ... && travels<typename ArgumentOf<A>::Stored>);

  static void run(void* memory, const myr_access* accesses) {
    auto* self = static_cast<Closure*>(memory);
    const Destroy destroy{self};
    if (accesses == MYR_CANCELLED) return;
    attempt([self] {
      self->call(std::index_sequence_for<A...>{});
      self->combine();
    });
  }

  // The same in two, for a task that reduces.
  static void run_first(void* memory, const myr_access* accesses) {
    auto* self = *static_cast<Closure**>(memory);
    if (accesses == MYR_CANCELLED) return;
    attempt([self] { self->call(std::index_sequence_for<A...>{}); });
  }
  static void run_second(void* memory, const myr_access* accesses) {
    auto* self = static_cast<Closure*>(memory);
    const Destroy destroy{self};
    if (accesses == MYR_CANCELLED) return;
    attempt([self] { self->combine(); });
  }
  static constexpr myr_two_bodies kInTwo{&run, &run_first, &run_second};

 private:
  struct Destroy {
    Closure* closure;
    ~Destroy() { closure->~Closure(); }
  };

  template <std::size_t... I>
  void call(std::index_sequence<I...>) {
    static_cast<void>(std::move(function)(ArgumentOf<A>::pass(std::get<I>(stored))...));
    each_reduction([](auto& reduction) { reduction.has_result = true; });
  }
  void combine() {
    each_reduction([](auto& reduction) {
      if (reduction.has_result) reduction.combine();
    });
  }
  template <class Use>
  void each_reduction(const Use& use) {
    const auto use_one = [&use]<class S>(S& one) {
      if constexpr (is_reduction<S>) use(one);
    };
    std::apply([&use_one](auto&... one) { (use_one(one), ...); }, stored);
  }
};

// What the function receives for an argument of spawn().
template <class A>
using PassedFor = decltype(ArgumentOf<A>::pass(std::declval<typename ArgumentOf<A>::Stored&>()));

template <class T>
inline constexpr bool is_shared = false;  // for the messages of in(), out() and inout()

template <class A>
inline constexpr bool is_access = false;
template <class P>
inline constexpr bool is_access<Access<P>> = true;
template <class T>
inline constexpr bool is_access<TileAccess<T>> = true;
template <class Footprint, bool kOwners>
struct PartAccess;  // of loop.hpp
template <class A>
inline constexpr bool is_part_access = false;
template <class F, bool kOwners>
inline constexpr bool is_part_access<PartAccess<F, kOwners>> = true;

// The parameters of a function, or of an object with one operator().
template <class... P>
struct Parameters {
  static constexpr std::size_t count = sizeof...(P);
};
template <class R, class... P>
Parameters<P...> parameters_of(R (*)(P...));
template <class R, class C, class... P>
Parameters<P...> parameters_of(R (C::*)(P...));
template <class R, class C, class... P>
Parameters<P...> parameters_of(R (C::*)(P...) const);
template <class F>
concept OneOperator = requires { parameters_of(&F::operator()); };
template <class F>
concept KnownFunction = OneOperator<F> || requires(F f) { parameters_of(f); };

template <class F, class... P>
concept TakesAll = requires(F&& function, P&&... passed) {
  static_cast<F&&>(function)(static_cast<P&&>(passed)...);
};

// What is wrong with a task, for the messages of spawn().
enum class Problem {
  None,
  Part,
  Copy,
  Align,
  Callable,
  Count,
  Constant,
  Value,
  Variable,
  Object,
  Pointer,
  Type
};

template <class A, class Passed, class Parameter>
constexpr Problem problem_of_argument() {
  using From = std::remove_cvref_t<Passed>;
  using To = std::remove_cvref_t<Parameter>;
  using Behind = std::remove_pointer_t<From>;
  using Wanted = std::remove_pointer_t<To>;
  if (std::is_convertible_v<Passed, Parameter>) return Problem::None;
  if (std::is_same_v<From, To> && is_access<A> && std::is_pointer_v<To>) return Problem::Variable;
  if (std::is_same_v<From, To>) return is_access<A> ? Problem::Constant : Problem::Value;
  if (std::is_same_v<std::remove_cv_t<Behind>, To>) return Problem::Object;
  if (std::is_same_v<From, std::remove_cv_t<Wanted>>) return Problem::Pointer;
  return std::is_same_v<std::remove_cv_t<Behind>, Wanted> ? Problem::Constant : Problem::Type;
}
template <class... A, class... P>
constexpr Problem problem_of_arguments(Parameters<P...>) {
  Problem first = Problem::None;
  const auto note = [&](Problem one) { first = first == Problem::None ? one : first; };
  (note(problem_of_argument<std::remove_cvref_t<A>, PassedFor<A>, P>()), ...);
  return first == Problem::None ? Problem::Type : first;
}

template <class F, class... A>
constexpr Problem problem_of_task() {
  using Function = std::decay_t<F>;
  constexpr bool copies =
      std::is_constructible_v<Function, F> &&
      (... && std::is_constructible_v<typename ArgumentOf<A>::Stored,
                                      decltype(ArgumentOf<A>::store(std::declval<A>()))>);
  if constexpr ((... || is_part_access<std::remove_cvref_t<A>>)) {
    return Problem::Part;
  } else if constexpr (!copies) {
    return Problem::Copy;
  } else if constexpr (alignof(Closure<Function, std::remove_cvref_t<A>...>) > 16) {
    return Problem::Align;
  } else if constexpr (TakesAll<Function, PassedFor<A>...>) {
    return Problem::None;
  } else if constexpr (!KnownFunction<Function>) {
    return std::is_class_v<Function> ? Problem::Type : Problem::Callable;
  } else {
    const auto parameters = [] {
      if constexpr (OneOperator<Function>) {
        return decltype(parameters_of(&Function::operator())){};
      } else {
        return decltype(parameters_of(std::declval<Function>())){};
      }
    }();
    if constexpr (parameters.count != sizeof...(A)) {
      return Problem::Count;
    } else {
      return problem_of_arguments<A...>(parameters);
    }
  }
}

inline const myr_site* first_site() noexcept { return nullptr; }
template <class... Rest>
const myr_site* first_site(const myr_site* site, Rest... rest) noexcept {
  return site != nullptr ? site : first_site(rest...);
}

}  // namespace detail

// Declare how a task, or a wait, uses an argument. See the table at the head of this file.
template <class T>
[[nodiscard]] auto in(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_IN>(x, site);
}
template <class T>
[[nodiscard]] auto in(T* const&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_IN>(x, site);
}
template <class T>
[[nodiscard]] auto in(const T&& x, const void* site = __builtin_source_location()) noexcept {
  static_assert(detail::is_shared<T>,
                "a temporary is gone before the task runs: declare a variable");
  return detail::make_access<MYR_IN>(x, site);
}
[[nodiscard]] inline auto in(Region&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_IN>(x, site);
}
template <class T>
[[nodiscard]] auto in(T* first, std::size_t count,
                      const void* site = __builtin_source_location()) noexcept {
  return detail::make_range<MYR_IN>(first, count, site);
}
template <class T>
[[nodiscard]] auto in(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_IN, static_cast<const myr_site*>(site)};
}
template <class T>
[[nodiscard]] auto out(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_OUT>(x, site);
}
template <class T>
[[nodiscard]] auto out(T* const&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_OUT>(x, site);
}
template <class T>
[[nodiscard]] auto out(const T&& x, const void* site = __builtin_source_location()) noexcept {
  static_assert(detail::is_shared<T>,
                "a temporary is gone before the task runs: declare a variable");
  return detail::make_access<MYR_OUT>(x, site);
}
[[nodiscard]] inline auto out(Region&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_OUT>(x, site);
}
template <class T>
[[nodiscard]] auto out(T* first, std::size_t count,
                       const void* site = __builtin_source_location()) noexcept {
  return detail::make_range<MYR_OUT>(first, count, site);
}
template <class T>
[[nodiscard]] auto out(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_OUT, static_cast<const myr_site*>(site)};
}
template <class T>
[[nodiscard]] auto inout(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_INOUT>(x, site);
}
template <class T>
[[nodiscard]] auto inout(T* const&& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_INOUT>(x, site);
}
template <class T>
[[nodiscard]] auto inout(const T&& x, const void* site = __builtin_source_location()) noexcept {
  static_assert(detail::is_shared<T>,
                "a temporary is gone before the task runs: declare a variable");
  return detail::make_access<MYR_INOUT>(x, site);
}
[[nodiscard]] inline auto inout(Region&& x,
                                const void* site = __builtin_source_location()) noexcept {
  return detail::make_access<MYR_INOUT>(x, site);
}
template <class T>
[[nodiscard]] auto inout(T* first, std::size_t count,
                         const void* site = __builtin_source_location()) noexcept {
  return detail::make_range<MYR_INOUT>(first, count, site);
}
template <class T>
[[nodiscard]] auto inout(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_INOUT, static_cast<const myr_site*>(site)};
}

// Like inout(), for tasks that may run in any order and at the same time as each other: they make
// that safe themselves, with atomics or locks. Not for regions.
template <class T>
[[nodiscard]] auto concurrent(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_CONCURRENT > (x, site);
}
template <class T>
[[nodiscard]] auto concurrent(T* const&& x,
                              const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_CONCURRENT > (x, site);
}
template <class T>
[[nodiscard]] auto concurrent(T* first, std::size_t count,
                              const void* site = __builtin_source_location()) noexcept {
  return detail::make_range < MYR_INOUT | MYR_CONCURRENT > (first, count, site);
}
template <class T>
[[nodiscard]] auto concurrent(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_INOUT | MYR_CONCURRENT, static_cast<const myr_site*>(site)};
}
// Like inout(), for tasks that may run in any order, but one at a time.
template <class T>
[[nodiscard]] auto commutative(T& x, const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_COMMUTATIVE > (x, site);
}
template <class T>
[[nodiscard]] auto commutative(T* const&& x,
                               const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_COMMUTATIVE > (x, site);
}
[[nodiscard]] inline auto commutative(Region&& x,
                                      const void* site = __builtin_source_location()) noexcept {
  return detail::make_access < MYR_INOUT | MYR_COMMUTATIVE > (x, site);
}
template <class T>
[[nodiscard]] auto commutative(T* first, std::size_t count,
                               const void* site = __builtin_source_location()) noexcept {
  return detail::make_range < MYR_INOUT | MYR_COMMUTATIVE > (first, count, site);
}
template <class T>
[[nodiscard]] auto commutative(Tile<T> t, const void* site = __builtin_source_location()) noexcept {
  return detail::TileAccess<T>{t, MYR_INOUT | MYR_COMMUTATIVE, static_cast<const myr_site*>(site)};
}

// The access is ordered as declared, but the task only passes the data on to its children.
template <class P>
[[nodiscard]] detail::Access<P> notransfer(detail::Access<P> a) noexcept {
  a.access.flags = static_cast<std::uint16_t>(a.access.flags | MYR_NOTRANSFER);
  return a;
}

// The same, and the task itself need not wait for earlier ones: what it spawns does, and its waits.
template <class P>
[[nodiscard]] detail::Access<P> weak(detail::Access<P> a) noexcept {
  a.access.flags = static_cast<std::uint16_t>(a.access.flags | MYR_NOTRANSFER | MYR_WEAK);
  return a;
}

namespace detail {

// More accesses than any memory has room for are refused.
constexpr bool is_sized(std::size_t access_count) noexcept { return access_count >> 31 == 0; }

// In place of a task whose closure could not be built: one that uses nothing and does nothing.
inline void submit_nothing(const myr_draft& draft, std::size_t count, const myr_site* site) {
  for (std::size_t i = 0; i < count; ++i) draft.accesses[i] = myr_safe(nullptr);
  myr_draft_keep_here(draft);
  myr_submit_at(draft, [](void*, const myr_access*) {}, site);
}

// Calls build(), which makes a closure in the draft. If that throws, the draft is no task's.
template <class Build>
void build_closure(const myr_draft& draft, std::size_t count, const myr_site* site,
                   const Build& build) {
#if defined(__cpp_exceptions)
  try {
    build();
  } catch (...) {
    submit_nothing(draft, count, site);
    throw;
  }
#else
  build();
#endif
}

// Spawns a task; says what is wrong with it if the compiler knows.
template <class F, class... A>
void spawn_task(int priority, F&& function, A&&... arguments) {
  using enum Problem;
  constexpr Problem problem = problem_of_task<F, A...>();
  static_assert(problem != Part,
                "accesses with `part` are for loops: for_each() and reduce_each()");
  static_assert(problem != Copy,
                "a task gets a copy of its function and of arguments without in(), out() or "
                "inout(), and one of these cannot be copied: write std::move(x), or an access");
  static_assert(problem != Align,
                "what a task gets a copy of can be aligned to 16 bytes at most: write in(x)");
  static_assert(problem != Callable, "the first argument of spawn() must be a function");
  static_assert(problem != Count,
                "the task's function takes more or fewer arguments than spawn() has behind it");
  static_assert(problem != Constant,
                "the task's function wants to change what in() only lets it read, or what is "
                "const: write inout(x) or out(x), or let it take const T& or const T*");
  static_assert(problem != Value,
                "the task's function wants to change an argument of which the task has a copy: "
                "write inout(x) or out(x)");
  static_assert(
      problem != Variable,
      "the task's function takes T*&, but in(p), out(p) and inout(p) of a pointer hand on "
      "its value, for what it points to; for the pointer itself write out(&p) or "
      "inout(&p), and let the function take T**");
  static_assert(problem != Object,
                "the task's function takes an object, but gets a pointer: in(p), out(p) and "
                "inout(p) of a pointer hand on the pointer; write in(*p), or let it take T*");
  static_assert(problem != Pointer,
                "the task's function takes a pointer, but gets an object: in(x), out(x) and "
                "inout(x) hand on x itself; write in(&x), or let it take T&");
  static_assert(problem != Type,
                "the task's function cannot take what spawn() hands on: for in(x) const T&, for "
                "out(x) and inout(x) T&, for in(p) of a pointer T*, else a value");
  if constexpr (problem == None) {
    using Task = Closure<std::decay_t<F>, std::remove_cvref_t<A>...>;
    const std::size_t count = saturated_total(ArgumentOf<A>::count(arguments)...);
    const myr_site* site = first_site(ArgumentOf<A>::site(arguments)...);
    if (!is_sized(count)) myr_spawn_at(nullptr, nullptr, count, site);  // says so
    const myr_draft draft = myr_draft_new_at(sizeof(Task), count, site);
    [[maybe_unused]] myr_access* next = draft.accesses;
    (fill_some<false>(arguments, next), ...);
    (fill_some<true>(arguments, next), ...);
    build_closure(draft, count, site, [&] {
      ::new (draft.closure)
          Task{std::forward<F>(function), {ArgumentOf<A>::store(std::forward<A>(arguments))...}};
    });
    if (priority > 0) myr_draft_priority(draft, priority);
    if constexpr ((names_owners<std::remove_cvref_t<A>> || ...) || !Task::is_saved) {
      myr_draft_keep_here(draft);
    } else if constexpr (!Task::is_all_bytes) {
      myr_draft_save(draft, &SavedClosure<Task>::kind);
    }
    constexpr std::size_t reductions =
        (std::size_t{0} + ... + (is_reduction<std::remove_cvref_t<A>> ? 1 : 0));
    if constexpr (reductions != 0) {
      myr_submit_two_at(draft, &Task::kInTwo, reductions, site);
    } else {
      myr_submit_at(draft, &Task::run, site);
    }
  }
}

}  // namespace detail

// Spawns function(arguments...) as a task. The closure is destroyed after it ran, on the worker
// that ran it.
// Cost: one closure constructed in the task; no heap allocation up to a few hundred bytes.
template <class F, class... A>
void spawn(F&& function, A&&... arguments) {
  detail::spawn_task(0, std::forward<F>(function), std::forward<A>(arguments)...);
}

// Of the tasks that are ready, workers run those of a higher priority first: see
// myr_draft_priority(). 0 is that of other tasks.
//   myr::spawn(myr::priority(1), factor, myr::inout(diagonal));
struct Priority {
  int value;
};
[[nodiscard]] constexpr Priority priority(int value) noexcept { return {value}; }
template <class F, class... A>
void spawn(Priority priority, F&& function, A&&... arguments) {
  detail::spawn_task(priority.value, std::forward<F>(function), std::forward<A>(arguments)...);
}

// What holds a task open after its function has returned, until any thread completes it. A handle:
// copies are the same event.
//   myr::spawn([](Buffer& b) { start_read(b, myr::Event::create()); }, myr::out(buffer));
class Event {
 public:
  // Holds the calling task open.
  [[nodiscard]] static Event create(const void* site = __builtin_source_location()) {
    return Event(myr_event_new_at(static_cast<const myr_site*>(site)));
  }
  constexpr explicit Event(myr_event id) noexcept : id_(id) {}
  // It has happened. Any thread, once.
  void complete(const void* site = __builtin_source_location()) const {
    myr_event_complete_at(id_, static_cast<const myr_site*>(site));
  }
  [[nodiscard]] constexpr myr_event id() const noexcept { return id_; }

 private:
  myr_event id_;
};

// Does the calling task use something in a cancelled region? Then it may as well return.
[[nodiscard]] inline bool is_cancelled() { return myr_cancelled() != 0; }

// What a global or static variable holds now, all processes of the machine know from here on: see
// myr_share().
template <class T>
void share(const T& variable, const void* site = __builtin_source_location()) {
  static_assert(std::is_trivially_copyable_v<T>,
                "only variables that are no more than their bytes can be shared");
  myr_share_at(std::addressof(variable), sizeof variable, static_cast<const myr_site*>(site));
}

// Waits until the caller may again use the given memory in the given ways. It does not rethrow what
// tasks have thrown, not even those that wrote this memory: that is up to wait_all().
template <class... A>
void wait(const A&... arguments) {
  static_assert(sizeof...(A) > 0, "wait for what? wait_all() waits for every task");
  static_assert((... && detail::is_access<A>),
                "wait() takes in(x), out(x) or inout(x): what the caller wants to do with x then");
  const std::size_t count = detail::saturated_total(detail::ArgumentOf<A>::count(arguments)...);
  const myr_site* site = detail::first_site(detail::ArgumentOf<A>::site(arguments)...);
  if (!detail::is_sized(count)) myr_wait_at(nullptr, count, site);  // says so
  const std::unique_ptr<myr_access[]> accesses(new myr_access[count]);
  myr_access* next = accesses.get();
  (detail::ArgumentOf<A>::fill(arguments, next), ...);
  myr_wait_at(accesses.get(), count, site);
}

// Waits for all tasks that the caller has spawned, and theirs. Then it rethrows what the first of
// them that threw, in the serial program's order, has thrown; the others' exceptions are dropped.
inline void wait_all(const void* site = __builtin_source_location()) {
  myr_wait_all_at(static_cast<const myr_site*>(site));
  detail::rethrow_failure();
}

}  // namespace myr

#include <myr/loop.hpp>       // for_each(), reduce_each()
#include <myr/recording.hpp>  // Recording
#include <myr/reduction.hpp>  // reduce()
