// SPDX-License-Identifier: Apache-2.0
//
// How strings, vectors of what is no more than its bytes, and types with myr::parts_of go to
// another process as arguments of tasks: see myr::serialize in saved_closure.hpp. To be included
// wherever such tasks are spawned.
#pragma once

#include <myr/cxx20.hpp>

#include <cstdint>
#include <cstring>
#include <memory>
#include <myr/myr.hpp>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace myr::inline v0 {

template <>
struct serialize<std::string> {
  static std::string save(const std::string& value) { return value; }
  static std::string load(std::string_view bytes) { return std::string(bytes); }
};

template <class T>
  requires(std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>)
struct serialize<std::vector<T>> {
  static std::string save(const std::vector<T>& value) {
    return {reinterpret_cast<const char*>(value.data()), value.size() * sizeof(T)};
  }
  static std::vector<T> load(std::string_view bytes) {
    std::vector<T> value(bytes.size() / sizeof(T));
    if (!value.empty()) std::memcpy(value.data(), bytes.data(), bytes.size());
    return value;
  }
};

namespace detail {

template <class P>
inline constexpr bool is_saved_part =
    std::is_lvalue_reference_v<P> &&
    (is_bytes<std::remove_reference_t<P>> || Saved<std::remove_reference_t<P>>);
template <class... P>
constexpr bool are_saved_parts(const std::tuple<P...>*) {
  return (... && is_saved_part<P>);
}
template <class T>
concept SavedByParts = Tied<T> && std::is_default_constructible_v<T> && requires(T& x) {
  requires are_saved_parts(static_cast<decltype(parts_of<T>::of(x))*>(nullptr));
};

template <class P>
void save_part(const P& part, std::string& to) {
  if constexpr (is_bytes<P>) {
    to.append(reinterpret_cast<const char*>(std::addressof(part)), sizeof part);
  } else {
    const auto saved = serialize<P>::save(part);
    const std::uint64_t size = saved.size();
    save_part(size, to);
    to.append(saved.data(), saved.size());
  }
}
template <class P>
void load_part(P& part, std::string_view& from) {
  std::uint64_t size = sizeof part;
  if constexpr (is_bytes<P>) {
    std::memcpy(std::addressof(part), from.data(), size);
  } else {
    load_part(size, from);
    part = serialize<P>::load(from.substr(0, size));
  }
  from.remove_prefix(size);
}

}  // namespace detail

template <detail::SavedByParts T>
struct serialize<T> {
  static std::string save(const T& value) {
    std::string bytes;
    std::apply([&](const auto&... member) { (detail::save_part(member, bytes), ...); },
               parts_of<T>::of(value));
    return bytes;
  }
  static T load(std::string_view bytes) {
    T value{};
    std::apply([&](auto&... member) { (detail::load_part(member, bytes), ...); },
               parts_of<T>::of(value));
    return value;
  }
};

}  // namespace myr::inline v0
