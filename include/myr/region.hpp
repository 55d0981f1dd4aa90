// SPDX-License-Identifier: Apache-2.0
//
// Regions as objects: a part of myr.hpp.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <memory>
#include <myr/memory.hpp>
#include <myr/owner.hpp>
#include <new>
#include <source_location>
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
}  // namespace myr
