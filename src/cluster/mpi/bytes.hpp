// SPDX-License-Identifier: Apache-2.0
//
// What processes of a job write into messages, and read there: values as they are in memory. What
// another process has sent is not trusted to be as long as it should be.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "base/contract.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

using transport::mpi::Bytes;

template <class Type>
[[nodiscard]] Bytes bytes_of(const Type& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

template <class Type>
void put(Bytes& bytes, const Type* values, std::size_t count) {
  const auto* const first = reinterpret_cast<const std::byte*>(values);
  bytes.insert(bytes.end(), first, first + count * sizeof(Type));
}
template <class Type>
void put(Bytes& bytes, const Type& value) {
  put(bytes, &value, 1);
}

// The first ones, which are taken off.
[[nodiscard]] inline std::span<const std::byte> read_bytes(std::span<const std::byte>& bytes,
                                                           std::size_t count) {
  MYR_ASSERT(bytes.size() >= count);
  const std::span<const std::byte> first = bytes.first(count);
  bytes = bytes.subspan(count);
  return first;
}
template <class Type>
void read_into(std::span<const std::byte>& bytes, Type& value) {
  std::memcpy(&value, read_bytes(bytes, sizeof value).data(), sizeof value);
}
template <class Type>
[[nodiscard]] Type read_value(std::span<const std::byte>& bytes) {
  Type value;
  read_into(bytes, value);
  return value;
}
// All of them, as values of one type.
template <class Type>
[[nodiscard]] std::vector<Type> read_all(std::span<const std::byte> bytes) {
  MYR_ASSERT(bytes.size() % sizeof(Type) == 0);
  std::vector<Type> values(bytes.size() / sizeof(Type));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace myr::cluster::mpi
