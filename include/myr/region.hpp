// SPDX-License-Identifier: Apache-2.0
//
// Regions as objects: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/frontend.h>

#include <cstddef>
#include <memory>
#include <myr/memory.hpp>
#include <myr/owner.hpp>
#include <new>
#include <source_location>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

namespace detail {

// What the compiler calls the place of a call, __builtin_source_location(), has these members.
static_assert(std::is_standard_layout_v<myr_site> && offsetof(myr_site, file) == 0 &&
              offsetof(myr_site, function) == sizeof(char*) &&
              offsetof(myr_site, line) == 2 * sizeof(char*) &&
              offsetof(myr_site, column) == offsetof(myr_site, line) + sizeof(unsigned));

// For the message that names the line: the place of a call that takes any arguments.
class CallSite {
 public:
  explicit constexpr CallSite(const void* site) noexcept
      : site_(static_cast<const myr_site*>(site)) {}
  [[nodiscard]] constexpr const myr_site* get() const noexcept { return site_; }

 private:
  const myr_site* site_;
};

template <class T>
void destroy_made(void* first, std::size_t count) {
  while (count > 0) std::destroy_at(static_cast<T*>(first) + --count);
}
// They are to be destroyed before they are freed.
template <class T>
T* note_made(T* first, std::size_t count, myr_region region, const myr_site* site) {
  if constexpr (!std::is_trivially_destructible_v<T>) {
    if (count != 0) myr_made_at(first, count, &destroy_made<T>, region, site);
  }
  return first;
}

}  // namespace detail

// A handle on a region; copying it copies only the handle. The region is freed by free(), or with
// its parent, or by its OwnedRegion. One that is made from nothing is no region, as a null pointer
// is no object: as an access it declares nothing.
class Region {
 public:
  constexpr Region() noexcept : id_(MYR_NO_REGION) {}
  constexpr explicit Region(myr_region id) noexcept : id_(id) {}

  // In which all others are.
  [[nodiscard]] static constexpr Region root() noexcept { return Region(MYR_ROOT); }
  // Creates a region inside `parent`; see myr_region_new().
  [[nodiscard]] static Region create(Region parent = root(), int level_hint = 0,
                                     const void* site = __builtin_source_location()) {
    return Region(myr_region_new_at(parent.id_, level_hint, static_cast<const myr_site*>(site)));
  }
  // Frees all that is in it, after the tasks that use it; what make() and the like have made is
  // destroyed first. Does nothing if it is no region, or the machine has ended, which frees all.
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

  // Constructs one T in this region, as T(args...), or as T{args...} if it has no such constructor.
  template <class T>
  [[nodiscard]] T* make(
      detail::CallSite site = detail::CallSite(__builtin_source_location())) const {
    return build<T>(site);
  }
  template <class T, class A>
  [[nodiscard]] T* make(
      A&& a, detail::CallSite site = detail::CallSite(__builtin_source_location())) const {
    return build<T>(site, std::forward<A>(a));
  }
  template <class T, class A, class B>
  [[nodiscard]] T* make(
      A&& a, B&& b, detail::CallSite site = detail::CallSite(__builtin_source_location())) const {
    return build<T>(site, std::forward<A>(a), std::forward<B>(b));
  }
  template <class T, class A, class B, class C>
  [[nodiscard]] T* make(
      A&& a, B&& b, C&& c,
      detail::CallSite site = detail::CallSite(__builtin_source_location())) const {
    return build<T>(site, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
  }
  template <class T, class A, class B, class C, class D>
  [[nodiscard]] T* make(
      A&& a, B&& b, C&& c, D&& d,
      detail::CallSite site = detail::CallSite(__builtin_source_location())) const {
    return build<T>(site, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c),
                    std::forward<D>(d));
  }
  template <class T, class A, class B, class C, class D, class... More>
  [[nodiscard]] T* make(A&& a, B&& b, C&& c, D&& d, More&&... more) const {
    return build<T>(detail::CallSite(nullptr), std::forward<A>(a), std::forward<B>(b),
                    std::forward<C>(c), std::forward<D>(d), std::forward<More>(more)...);
  }
  // Constructs `count` value-initialised T side by side, as one object.
  template <class T>
  [[nodiscard]] T* make_array(std::size_t count,
                              const void* site = __builtin_source_location()) const {
    return build_all<T>(detail::allocate(detail::bytes_of(count, sizeof(T)), 0, id_, site), count,
                        static_cast<const myr_site*>(site));
  }
  // The same for an array that is divided into blocks of so many bytes; see myr_alloc_blocks().
  template <class T>
  [[nodiscard]] T* make_blocks(std::size_t count, std::size_t block_bytes,
                               const void* site = __builtin_source_location()) const {
    const std::size_t bytes = detail::bytes_of(count, sizeof(T));
    const std::size_t size = block_bytes == 0 ? 1 : block_bytes;  // 0 is no size either
    return build_all<T>(detail::allocate(bytes, size, id_, site), count,
                        static_cast<const myr_site*>(site));
  }

  [[nodiscard]] constexpr myr_region id() const noexcept { return id_; }
  // Is it one?
  constexpr explicit operator bool() const noexcept { return id_ != MYR_NO_REGION; }
  friend constexpr bool operator==(Region, Region) noexcept = default;

 private:
  template <class T, class... Args>
  T* build(detail::CallSite site, Args&&... args) const {
    static_assert(alignof(T) <= 64, "objects are aligned to 64 bytes");
    constexpr bool takes =
        std::is_constructible_v<T, Args...> || requires { T{std::declval<Args>()...}; };
    static_assert(takes, "make<T>(args...): no T can be constructed from these arguments");
    void* const fresh = detail::allocate(sizeof(T), 0, id_, site.get());
    if constexpr (detail::IsOwner<T>::value) keep_here(site.get());
    T* const made = detail::build_in(fresh, [&](void* memory) {
      if constexpr (std::is_constructible_v<T, Args...>) {
        return ::new (memory) T(std::forward<Args>(args)...);
      } else if constexpr (takes) {
        return ::new (memory) T{std::forward<Args>(args)...};
      } else {
        return static_cast<T*>(memory);
      }
    });
    return detail::note_made(made, 1, id_, site.get());
  }
  template <class T>
  T* build_all(void* memory, std::size_t count, const myr_site* site) const {
    static_assert(alignof(T) <= 64, "objects are aligned to 64 bytes");
    if constexpr (detail::IsOwner<T>::value) keep_here(site);
    return detail::note_made(detail::build_array<T>(memory, count), count, id_, site);
  }

  myr_region id_;
};

// Destroys and frees an object made by Region::make(), or all of an array, after the tasks that use
// it. For an object with virtual functions, a pointer to any of its bases will do.
template <class T>
void destroy(T* object, const void* site = __builtin_source_location()) {
  if (object == nullptr) return;
  const auto* const at = static_cast<const myr_site*>(site);
  void* whole = const_cast<std::remove_cv_t<T>*>(object);
  if constexpr (std::is_polymorphic_v<T>) {
    whole = const_cast<void*>(dynamic_cast<const volatile void*>(object));
  }
  if constexpr (std::is_trivially_destructible_v<T>) {
    myr_free_at(whole, at);
  } else {
    myr_destroy_at(whole, &detail::destroy_made<T>, at);
  }
}

}  // namespace myr::inline v0
