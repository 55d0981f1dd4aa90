// SPDX-License-Identifier: Apache-2.0
//
// Every kind of frame and of message, with random contents: what is encoded comes back, and bytes
// that are cut off are noticed.
#include "proto/wire_format.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <memory>
#include <random>
#include <type_traits>
#include <utility>
#include <variant>

#include "proto/fields.hpp"

using namespace myr;
using namespace myr::proto;

namespace {

class RandomFrames {
 public:
  explicit RandomFrames(std::uint64_t seed) : random_(seed) {}

  template <class Type>
  void fill(Type& value) {
    if constexpr (std::is_same_v<Type, bool>) {
      value = random_() % 2 == 0;
    } else if constexpr (std::is_arithmetic_v<Type> || std::is_enum_v<Type>) {
      value = static_cast<Type>(random_() >> random_() % 64);
    } else if constexpr (std::is_same_v<Type, SerialTime>) {
      std::vector<std::uint64_t> counts(1 + random_() % 4);
      for (std::uint64_t& count : counts) count = random_();
      value = SerialTime::of_counts(counts);
    } else if constexpr (std::is_same_v<Type, BytesView>) {
      fill(viewed_.emplace_back());
      value = viewed_.back();
    } else if constexpr (List<Type>) {
      for (std::uint64_t left = random_() % 6; left != 0; --left) {
        typename Type::value_type element{};
        fill(element);
        value.push_back(std::move(element));
      }
    } else if constexpr (Pointer<Type>) {
      if (random_() % 4 == 0) return;  // nullptr
      value = std::make_unique<typename Type::element_type>();
      fill(*value);
    } else {
      visit_fields(value, [this](auto& field) { fill(field); });
    }
  }

  // One of each kind; of a kind that nobody can encode there would be none.
  [[nodiscard]] std::vector<Frame> one_of_each() {
    std::vector<Frame> frames;
    add_each(frames, std::type_identity<Frame>(),
             std::make_index_sequence<std::variant_size_v<Frame>>());
    return frames;
  }

 private:
  template <class Kinds, std::size_t... kKinds>
  void add_each(std::vector<Frame>& frames, std::type_identity<Kinds>,
                std::index_sequence<kKinds...>) {
    (add(frames, std::variant_alternative_t<kKinds, Kinds>()), ...);
  }
  template <class Kind>
  void add(std::vector<Frame>& frames, Kind one) {
    if constexpr (std::is_same_v<Kind, Message>) {
      add_each(frames, std::type_identity<Body>(),
               std::make_index_sequence<std::variant_size_v<Body>>());
    } else {
      fill(one);
      if constexpr (std::is_constructible_v<Body, Kind>) {
        Message message;
        fill(message.to);
        message.body = std::move(one);
        frames.emplace_back(std::move(message));
      } else {
        frames.emplace_back(std::move(one));
      }
    }
  }

  std::mt19937_64 random_;
  std::deque<Bytes> viewed_;  // what views are of
};

template <class Type>
bool are_equal(const Type& a, const Type& b) {
  if constexpr (std::is_same_v<Type, BytesView>) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  } else if constexpr (requires { std::variant_size<Type>::value; }) {
    return a.index() == b.index() &&
           std::visit(
               [&](const auto& one) {
                 return are_equal(one, std::get<std::remove_cvref_t<decltype(one)>>(b));
               },
               a);
  } else if constexpr (List<Type>) {
    bool are = a.size() == b.size();
    for (std::size_t i = 0; are && i < a.size(); ++i) are = are_equal(a[i], b[i]);
    return are;
  } else if constexpr (Pointer<Type>) {
    return a == nullptr || b == nullptr ? a == b : are_equal(*a, *b);
  } else if constexpr (Fields<Type>) {
    std::vector<const void*> others;
    visit_fields(b, [&](const auto& field) { others.push_back(&field); });
    bool are = true;
    std::size_t index = 0;
    visit_fields(a, [&](const auto& field) {
      using Field = std::remove_cvref_t<decltype(field)>;
      are = are && are_equal(field, *static_cast<const Field*>(others[index++]));
    });
    return are;
  } else {
    return a == b;
  }
}

}  // namespace

static_assert(kFieldCount<PagesDemanded> == 0 && kFieldCount<Spawn> == 1);
static_assert(kFieldCount<Access> == 8 && kFieldCount<Task> == 13);

TEST_CASE("frames of each kind come back from their bytes") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomFrames random(seed);
    const std::vector<Frame> frames = random.one_of_each();
    CHECK(frames.size() == std::variant_size_v<Frame> - 1 + std::variant_size_v<Body>);
    Bytes bytes;
    for (const Frame& frame : frames) encode(frame, bytes);
    std::span<const std::byte> rest(bytes);
    for (const Frame& frame : frames) {
      CAPTURE(frame.index());
      CHECK(holds<Message>(rest) == std::holds_alternative<Message>(frame));
      CHECK(holds<Welcome>(rest) == std::holds_alternative<Welcome>(frame));
      CHECK(holds<Timeline>(rest) == std::holds_alternative<Timeline>(frame));
      const auto decoded = decode(rest);
      REQUIRE(decoded.has_value());
      CHECK(are_equal(*decoded, frame));
    }
    CHECK(rest.empty());
  }
}

TEST_CASE("bytes that are cut off are no frame") {
  RandomFrames random(1);
  for (const Frame& frame : random.one_of_each()) {
    CAPTURE(frame.index());
    Bytes bytes;
    encode(frame, bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      std::span<const std::byte> cut(bytes.data(), size);
      CHECK_FALSE(decode(cut).has_value());
    }
  }
}

TEST_CASE("a wrong kind or length is no frame") {
  Bytes bytes;
  encode(Message{.to = 1, .body = PagesDemanded{}}, bytes);
  bytes.back() = std::byte{std::variant_size_v<Body>};
  std::span<const std::byte> wrong(bytes);
  CHECK_FALSE(decode(wrong).has_value());
  bytes.front() = std::byte{std::variant_size_v<Frame>};
  std::span<const std::byte> wrong_frame(bytes);
  CHECK_FALSE(decode(wrong_frame).has_value());

  bytes.clear();
  encode(Message{.to = 1, .body = PagesGranted{}}, bytes);
  for (std::size_t i = bytes.size() - sizeof(std::uint64_t); i < bytes.size(); ++i) {
    bytes[i] = std::byte{0xff};
  }
  std::span<const std::byte> endless(bytes);
  CHECK_FALSE(decode(endless).has_value());

  bytes.clear();
  encode(Share{}, bytes);
  bytes.back() = std::byte{0xff};
  std::span<const std::byte> endless_view(bytes);
  CHECK_FALSE(decode(endless_view).has_value());
}
