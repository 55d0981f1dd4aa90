// SPDX-License-Identifier: Apache-2.0
//
// How strings, and vectors of what is no more than its bytes, go to another process as arguments of
// tasks: see myr::serialize in saved_closure.hpp. To be included wherever such tasks are spawned.
#pragma once

#include <myr/cxx20.hpp>

#include <cstring>
#include <myr/myr.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace myr {

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

}  // namespace myr
