// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: how closures that are more than their bytes go to other processes.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/frontend.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <tuple>
#include <type_traits>

namespace myr::inline v0 {

// How a task's argument that is more than its bytes goes to another process: specialise it for its
// type with
//   static std::string save(const T& value);     // any container of bytes with data() and size()
//   static T load(std::string_view bytes);       // of what save() has returned
// <myr/serialize.hpp> has strings and vectors. Tasks with other such arguments stay where they are
// spawned; so do they if save() throws.
template <class T>
struct serialize;

namespace detail {

// May a copy of the bytes stand for it, in another process?
template <class T>
inline constexpr bool is_bytes =
    std::is_trivially_copy_constructible_v<T> && std::is_trivially_destructible_v<T>;
// If not, its user may have said what does.
template <class T>
concept Saved = !std::is_empty_v<T> && requires(const T& value, std::string_view bytes) {
  serialize<T>::save(value).data();
  T(serialize<T>::load(bytes));
};

// How a closure with members that are saved goes to another process.
template <class Task>
struct SavedClosure {
  using Put = void (*)(void*, const void*, std::size_t);

  // Calls `visit` with each member that is more than its bytes.
  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    const auto one = [&visit](auto& member) {
      if constexpr (!is_bytes<std::remove_cvref_t<decltype(member)>>) visit(member);
    };
    one(self.function);
    std::apply([&one](auto&... stored) { (one(stored), ...); }, self.stored);
  }
  static int save(const void* closure, void* image, Put put, void* to) {
    const auto work = [&] {
      each(*static_cast<const Task*>(closure), [&]<class T>(const T& member) {
        const auto offset = reinterpret_cast<const std::byte*>(std::addressof(member)) -
                            static_cast<const std::byte*>(closure);
        std::memset(static_cast<std::byte*>(image) + offset, 0, sizeof member);
        const auto saved = serialize<T>::save(member);
        const std::uint64_t size = saved.size();
        put(to, &size, sizeof size);
        put(to, saved.data(), saved.size());
      });
    };
    return attempt(work);
  }
  static int load(void* closure, const void* saved, std::size_t) {
    const auto* next = static_cast<const char*>(saved);
    const auto work = [&] {
      each(*static_cast<Task*>(closure), [&]<class T>(T& member) {
        std::uint64_t size = 0;
        std::memcpy(&size, next, sizeof size);
        next += sizeof size;
        ::new (static_cast<void*>(std::addressof(member)))
            T(serialize<T>::load(std::string_view(next, size)));
        next += size;
      });
    };
    return attempt(work);
  }
  static constexpr myr_closure_kind kind{sizeof(myr_closure_kind), &save, &load};

 private:
  template <class Work>
  static int attempt(const Work& work) {
#if defined(__cpp_exceptions)
    try {
      work();
    } catch (...) {
      return 1;
    }
#else
    work();
#endif
    return 0;
  }
};

}  // namespace detail
}  // namespace myr::inline v0
