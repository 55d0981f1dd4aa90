// SPDX-License-Identifier: Apache-2.0
//
// Every kind of message, with random contents: what is encoded comes back, and bytes that are cut
// off are noticed.
#include "proto/wire_format.hpp"

#include <doctest/doctest.h>

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

class RandomMessages {
 public:
  explicit RandomMessages(std::uint64_t seed) : random_(seed) {}

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

 private:
  std::mt19937_64 random_;
};

template <class Type>
bool are_equal(const Type& a, const Type& b) {
  if constexpr (List<Type>) {
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

bool are_equal(const Message& a, const Message& b) {
  return a.to == b.to && a.body.index() == b.body.index() &&
         std::visit(
             [&](const auto& body) {
               return are_equal(body, std::get<std::remove_cvref_t<decltype(body)>>(b.body));
             },
             a.body);
}

// One of each kind; of a kind that nobody can encode there would be none.
template <std::size_t... kKinds>
std::vector<Message> one_of_each(std::uint64_t seed, std::index_sequence<kKinds...>) {
  RandomMessages random(seed);
  std::vector<Message> messages(sizeof...(kKinds));
  for (Message& message : messages) random.fill(message.to);
  (random.fill(messages[kKinds].body.emplace<kKinds>()), ...);
  return messages;
}
std::vector<Message> one_of_each(std::uint64_t seed) {
  return one_of_each(seed, std::make_index_sequence<std::variant_size_v<Body>>());
}

}  // namespace

static_assert(kFieldCount<PagesDemanded> == 0 && kFieldCount<Spawn> == 1);
static_assert(kFieldCount<Access> == 8 && kFieldCount<Task> == 13);

TEST_CASE("messages of each kind come back from their bytes") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<Message> messages = one_of_each(seed);
    Bytes bytes;
    for (const Message& message : messages) encode(message, bytes);
    std::span<const std::byte> rest(bytes);
    for (const Message& message : messages) {
      CAPTURE(message.body.index());
      const auto decoded = decode(rest);
      REQUIRE(decoded.has_value());
      CHECK(are_equal(*decoded, message));
    }
    CHECK(rest.empty());
  }
}

TEST_CASE("bytes that are cut off are no message") {
  for (const Message& message : one_of_each(1)) {
    CAPTURE(message.body.index());
    Bytes bytes;
    encode(message, bytes);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      std::span<const std::byte> cut(bytes.data(), size);
      CHECK_FALSE(decode(cut).has_value());
    }
  }
}

TEST_CASE("a wrong kind or length is no message") {
  Bytes bytes;
  encode({.to = 1, .body = PagesDemanded{}}, bytes);
  bytes.back() = std::byte{std::variant_size_v<Body>};
  std::span<const std::byte> wrong(bytes);
  CHECK_FALSE(decode(wrong).has_value());

  bytes.clear();
  encode({.to = 1, .body = PagesGranted{}}, bytes);
  for (std::size_t i = bytes.size() - sizeof(std::uint64_t); i < bytes.size(); ++i) {
    bytes[i] = std::byte{0xff};
  }
  std::span<const std::byte> endless(bytes);
  CHECK_FALSE(decode(endless).has_value());
}
