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
template <class Type>
concept Variant = requires { std::variant_size<Type>::value; };

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
    } else if constexpr (std::is_same_v<Type, BytesView>) {
      put(static_cast<std::uint64_t>(value.size()));
      bytes_.insert(bytes_.end(), value.begin(), value.end());
    } else if constexpr (Variant<Type>) {
      put(static_cast<std::uint8_t>(value.index()));
      std::visit([this](const auto& one) { put(one); }, value);
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
    } else if constexpr (std::is_same_v<Type, BytesView>) {
      value = take_bytes();
    } else if constexpr (Variant<Type>) {
      take_variant(value, std::make_index_sequence<std::variant_size_v<Type>>());
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
  std::span<const std::byte> take_bytes() {
    std::uint64_t size = 0;
    take(size);
    if (!check(size <= bytes_.size())) return {};
    const std::span<const std::byte> taken = bytes_.first(size);
    bytes_ = bytes_.subspan(size);
    return taken;
  }
  template <class Type, std::size_t... kKinds>
  void take_variant(Type& value, std::index_sequence<kKinds...>) {
    using Take = void (*)(Decoder&, Type&);
    constexpr std::array<Take, sizeof...(kKinds)> takers{
        +[](Decoder& self, Type& into) { self.take(into.template emplace<kKinds>()); }...};
    std::uint8_t kind = 0;
    take(kind);
    if (check(kind < takers.size())) takers[kind](*this, value);
  }
  // Each element takes a byte at least, so a wrong length cannot take much memory.
  template <class Type>
  void take_list(Type& list) {
    if constexpr (std::is_same_v<Type, Bytes>) {
      const std::span<const std::byte> taken = take_bytes();
      list.assign(taken.begin(), taken.end());
      return;
    }
    std::uint64_t size = 0;
    take(size);
    if (!check(size <= bytes_.size())) return;
    for (std::uint64_t i = 0; i < size && is_right_; ++i) {
      typename Type::value_type element{};
      take(element);
      list.push_back(std::move(element));
    }
  }

  std::span<const std::byte> bytes_;
  bool is_right_ = true;
};

}  // namespace

void encode(const Frame& frame, Bytes& bytes) { Encoder(bytes).put(frame); }

std::optional<Frame> decode(std::span<const std::byte>& bytes) {
  Decoder decoder(bytes);
  std::optional<Frame> frame(std::in_place);
  decoder.take(*frame);
  if (!decoder.is_right()) return {};
  bytes = decoder.rest();
  return frame;
}

}  // namespace myr::proto
