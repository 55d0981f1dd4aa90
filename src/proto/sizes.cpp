// SPDX-License-Identifier: Apache-2.0
#include "proto/sizes.hpp"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "proto/fields.hpp"

namespace myr::proto {

namespace {

template <class T>
std::uint64_t bytes_of_list(const std::vector<T>& list) {
  return list.size() * sizeof(T);
}
template <class T, std::uint32_t N>
std::uint64_t bytes_of_list(const base::SmallVector<T, N>& list) {
  return list.size() > N ? list.size() * sizeof(T) : 0;  // others are part of the message
}

// Scopes of a SerialTime are not the message's: it shares them with others.
template <class Type>
std::uint64_t bytes_owned_by(const Type& value) {
  std::uint64_t bytes = 0;
  if constexpr (std::is_trivially_copyable_v<Type> || std::is_same_v<Type, SerialTime>) {
    // It owns nothing.
  } else if constexpr (List<Type>) {
    bytes = bytes_of_list(value);
    for (const auto& element : value) bytes += bytes_owned_by(element);
  } else if constexpr (Pointer<Type>) {
    if (value != nullptr) bytes = sizeof *value + bytes_owned_by(*value);
  } else {
    visit_fields(value, [&bytes](const auto& field) { bytes += bytes_owned_by(field); });
  }
  return bytes;
}

template <class Type>
std::size_t count_parts(const Type& value) {
  std::size_t parts = 0;
  if constexpr (requires { value.parts(); }) {
    parts = value.parts();
  } else if constexpr (requires { Type::kParts; }) {
    parts = (value.*Type::kParts).size();
    // What lies in it counts with the list; only what that points to counts beside it.
    visit_fields(value, [&parts]<class Field>(const Field& field) {
      if constexpr (Pointer<Field>) parts += count_parts(field);
    });
  } else if constexpr (Pointer<Type>) {
    if (value != nullptr) parts = count_parts(*value);
  } else if constexpr (Fields<Type>) {
    visit_fields(value, [&parts](const auto& field) { parts += count_parts(field); });
  }
  return parts;
}

}  // namespace

std::uint64_t bytes_of(const Message& message) {
  return sizeof message.to +
         std::visit([](const auto& body) { return sizeof body + bytes_owned_by(body); },
                    message.body);
}

std::uint32_t parts_of(const Body& body) {
  const std::size_t parts =
      std::visit([](const auto& message) { return count_parts(message); }, body);
  return static_cast<std::uint32_t>(std::max<std::size_t>(parts, 1));
}

}  // namespace myr::proto
