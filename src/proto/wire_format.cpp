// SPDX-License-Identifier: Apache-2.0
#include "proto/wire_format.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <variant>

#include "proto/fields.hpp"

namespace myr::proto {

namespace {

template <class Type>
concept Number = std::is_arithmetic_v<Type> || std::is_enum_v<Type>;

class Encoder {
 public:
  explicit Encoder(Bytes& bytes) noexcept : bytes_(bytes) {}

  template <class Type>
  void put(const Type& value) {
    if constexpr (Number<Type>) {
      const auto* const first = reinterpret_cast<const std::byte*>(&value);
      bytes_.insert(bytes_.end(), first, first + sizeof value);
    } else if constexpr (std::is_same_v<Type, SerialTime>) {
      put(value.counts());
    } else if constexpr (List<Type>) {
      put(static_cast<std::uint64_t>(value.size()));
      if constexpr (std::is_same_v<Type, Bytes>) {
        bytes_.insert(bytes_.end(), value.begin(), value.end());
      } else {
        for (const auto& element : value) put(element);
      }
    } else if constexpr (Pointer<Type>) {
      put(value != nullptr);
      if (value != nullptr) put(*value);
    } else {
      visit_fields(value, [this](const auto& field) { put(field); });
    }
  }

 private:
  Bytes& bytes_;
};

class Decoder {
 public:
  explicit Decoder(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  [[nodiscard]] bool is_right() const noexcept { return is_right_; }
  [[nodiscard]] std::span<const std::byte> rest() const noexcept { return bytes_; }

  // Once something was wrong, values stay as they are.
  template <class Type>
  void take(Type& value) {
    if constexpr (Number<Type>) {
      take_number(value);
    } else if constexpr (std::is_same_v<Type, SerialTime>) {
      std::vector<std::uint64_t> counts;
      take(counts);
      if (check(!counts.empty())) value = SerialTime::of_counts(counts);
    } else if constexpr (List<Type>) {
      take_list(value);
    } else if constexpr (Pointer<Type>) {
      bool is_there = false;
      take(is_there);
      if (!is_there) return;
      value = std::make_unique<typename Type::element_type>();
      take(*value);
    } else {
      visit_fields(value, [this](auto& field) { take(field); });
    }
  }

 private:
  bool check(bool is_right) noexcept {
    is_right_ = is_right_ && is_right;
    return is_right_;
  }
  template <class Type>
  void take_number(Type& value) {
    if (!check(bytes_.size() >= sizeof value)) return;
    if constexpr (std::is_same_v<Type, bool>) {
      value = bytes_.front() != std::byte{0};  // any other byte in a bool is undefined
    } else {
      std::memcpy(&value, bytes_.data(), sizeof value);
    }
    bytes_ = bytes_.subspan(sizeof value);
  }
  // Each element takes a byte at least, so a wrong length cannot take much memory.
  template <class Type>
  void take_list(Type& list) {
    std::uint64_t size = 0;
    take(size);
    if (!check(size <= bytes_.size())) return;
    if constexpr (std::is_same_v<Type, Bytes>) {
      list.assign(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(size));
      bytes_ = bytes_.subspan(size);
      return;
    }
    for (std::uint64_t i = 0; i < size && is_right_; ++i) {
      typename Type::value_type element{};
      take(element);
      list.push_back(std::move(element));
    }
  }

  std::span<const std::byte> bytes_;
  bool is_right_ = true;
};

template <std::size_t kKind>
void take_body(Decoder& decoder, Body& body) {
  decoder.take(body.emplace<kKind>());
}

using TakeBody = void (*)(Decoder& decoder, Body& body);
template <std::size_t... kKinds>
constexpr std::array<TakeBody, sizeof...(kKinds)> takers(std::index_sequence<kKinds...>) {
  return {take_body<kKinds>...};
}
constexpr auto kTakers = takers(std::make_index_sequence<std::variant_size_v<Body>>());

}  // namespace

void encode(const Message& message, Bytes& bytes) {
  Encoder encoder(bytes);
  encoder.put(message.to);
  encoder.put(static_cast<std::uint8_t>(message.body.index()));
  std::visit([&](const auto& body) { encoder.put(body); }, message.body);
}

std::optional<Message> decode(std::span<const std::byte>& bytes) {
  Decoder decoder(bytes);
  Message message;
  std::uint8_t kind = 0;
  decoder.take(message.to);
  decoder.take(kind);
  if (!decoder.is_right() || kind >= kTakers.size()) return {};
  kTakers[kind](decoder, message.body);
  if (!decoder.is_right()) return {};
  bytes = decoder.rest();
  return message;
}

}  // namespace myr::proto
