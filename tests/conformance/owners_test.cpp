// SPDX-License-Identifier: Apache-2.0
//
// Objects that are more than their bytes: they own others, point to themselves, or to tables of the
// program's. docs/semantics.md, "Machines"; what it takes on several processes is in
// docs/user/clusters.md.
#include <array>
#include <atomic>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "support.hpp"

namespace myr::conformance {
namespace {

// Longer than what a std::string has room for in itself, which points to itself if it is short.
std::string text_of(int i) {
  return i % 2 == 0 ? std::to_string(i)
                    : "a text that no std::string has in itself " + std::to_string(i);
}

struct Shape {
  virtual std::size_t corners() const { return 3; }
};
struct Square : Shape {
  std::size_t corners() const override { return 4; }
};
struct Named {
  Square shape;  // so the type itself has no virtual functions
  int number = 0;
};
struct Shared {
  int value = 0;
};
struct Left : virtual Shared {};
struct Both : Left, virtual Shared {};  // with a table, but without virtual functions

struct TextNode {
  TextNode* next = nullptr;
  std::string text;
  std::unique_ptr<std::array<std::string, 2>> more;
};

static_assert(detail::IsOwner<std::string[2][3]>::value && detail::IsOwner<const Square>::value);
static_assert(detail::IsOwner<std::array<Square, 2>>::value && detail::IsOwner<Named>::value);
static_assert(detail::IsOwner<std::tuple<int, std::string>>::value && detail::IsOwner<Both>::value);
static_assert(!detail::IsOwner<std::tuple<int, double>>::value && !detail::IsOwner<void>::value);
static_assert(!detail::IsOwner<std::pair<int, double>>::value && !detail::IsOwner<int*>::value);
static_assert(!detail::IsOwner<std::atomic<int>>::value && !detail::IsOwner<const int[4]>::value);

TextNode* make_list(Region region, int count) {
  TextNode* head = nullptr;
  for (int i = 0; i < count; ++i) {
    TextNode* const node = region.make<TextNode>();
    node->next = head;
    node->text = text_of(i);
    node->more = std::make_unique<std::array<std::string, 2>>();
    (*node->more)[1] = text_of(i + 1);
    head = node;
  }
  return head;
}

std::size_t length_of(const TextNode* node) {
  std::size_t sum = 0;
  for (; node != nullptr; node = node->next) sum += node->text.size() + (*node->more)[1].size();
  return sum;
}

constexpr int kNodes = 20;
constexpr std::size_t kLength = [] {
  std::size_t sum = 0;
  const auto one = [](std::size_t i) {
    return (i % 2 == 0 ? 0 : std::string_view("a text that no std::string has in itself ").size()) +
           (i < 10 ? 1 : 2);
  };
  for (std::size_t i = 0; i < kNodes; ++i) sum += one(i) + one(i + 1);
  return sum;
}();

}  // namespace

TEST_CASE("tiles of objects that own others") {
  constexpr int kSide = 8;
  std::vector<std::string> texts;
  for (int i = 0; i < kSide * kSide; ++i) texts.push_back(text_of(i));
  const auto all = tile(texts.data(), kSide, kSide, kSide);
  for (std::size_t row = 0; row < kSide; ++row) {
    spawn(
        [](Tile<std::string> own) {
          for (std::size_t i = 0; i < own.columns; ++i) own(0, i) += text_of(1);
        },
        inout(tile(texts.data() + row * kSide, 1, kSide, kSide)));
  }
  for_each(Range{0, kSide}, inout(all, part), [=](std::size_t i) { all(i, 0) += '.'; });
  for_each(Range{0, kSide}, by_part([=](Range rows) {
             return inout(tile(all.data + rows.from * kSide, rows.size(), kSide, kSide));
           }),
           [=](std::size_t i) { all(i, 1) += '.'; });
  for_each(tiles(2, 8), Range2{{0, kSide}, {0, kSide}}, inout(all, part),
           [=](std::size_t i, std::size_t j) { all(i, j) += '.'; });
  wait_all();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string dots = i % kSide < 2 ? ".." : ".";
    CHECK(texts[i] == text_of(static_cast<int>(i)) + text_of(1) + dots);
  }
}

TEST_CASE("arrays of objects, and members, that have virtual functions or bases") {
  Square squares[4];
  Named named[2];
  std::array<Square, 2> array;
  Both both;
  both.value = 7;
  std::size_t corners[4] = {};
  int value = 0;
  spawn(
      [](const Square(&all)[4], std::size_t& sum) {
        for (const Shape& one : all) sum += one.corners();
      },
      in(squares), inout(corners[0]));
  spawn([](const Named* all,
           std::size_t& sum) { sum += static_cast<const Shape&>(all[1].shape).corners(); },
        in(named, 2), inout(corners[1]));
  spawn(
      [](const std::array<Square, 2>& all, std::size_t& sum) {
        for (const Shape& one : all) sum += one.corners();
      },
      in(array), inout(corners[2]));
  spawn([](const Both& one, int& seen) { seen = static_cast<const Left&>(one).value; }, in(both),
        out(value));
  wait_all();
  CHECK(std::accumulate(corners, corners + 4, std::size_t{0}) == 16 + 4 + 8);
  CHECK(value == 7);
}

TEST_CASE("regions with objects that own others, named as a whole") {
  const Region around = Region::create();
  const Region region = Region::create(around);
  TextNode* const head = make_list(region, kNodes);
  std::string* const texts = region.make_array<std::string>(3);
  texts[2] = text_of(5);
  std::array<std::size_t, 10> lengths{};
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const Region named = i % 2 == 0 ? region : around;
    spawn(
        uses(in(named)),
        [](const TextNode* list, const std::string* own, std::size_t& length) {
          length = length_of(list) + own[2].size();
        },
        static_cast<const TextNode*>(head), static_cast<const std::string*>(texts),
        out(lengths[i]));
  }
  spawn(uses(inout(around)), [](TextNode* list) { list->text += text_of(7); }, head);
  wait(in(around), in(lengths));
  for (const std::size_t length : lengths) CHECK(length == kLength + text_of(5).size());
  CHECK(length_of(head) == kLength + text_of(7).size());
  around.free();
}

TEST_CASE("tasks make objects that own others in a region that keeps them") {
  const Region region = Region::create();
  region.keep_here();
  auto* const head = Region::root().make<TextNode*>(nullptr);
  std::size_t length = 0;
  spawn(
      [](Region own, TextNode** list) {
        *list = make_list(own, kNodes / 2);
        const Region inside = Region::create(own);
        TextNode* last = *list;
        while (last->next != nullptr) last = last->next;
        last->next = inside.make<TextNode>();
        last->next->text = text_of(3);
        last->next->more = std::make_unique<std::array<std::string, 2>>();
      },
      inout(region), out(head));
  spawn(
      uses(in(region)), [](TextNode* const* list, std::size_t& sum) { sum = length_of(*list); },
      in(head), out(length));
  wait(inout(region), inout(head), in(length));
  CHECK(length == length_of(*head));
  CHECK(length > text_of(3).size());
  destroy(head);
  region.free();
}

TEST_CASE("a task has objects that own others in a region of its own") {
  std::array<std::size_t, 8> lengths{};
  const Region all = Region::create();
  for (std::size_t& length : lengths) {
    spawn(
        [](Region given, std::size_t& sum) {
          const Region own = Region::create(given);
          TextNode* const head = make_list(own, kNodes);
          std::size_t parts[2] = {};
          for (std::size_t& part : parts) {
            spawn(
                uses(in(own)),
                [](const TextNode* list, std::size_t& seen) { seen = length_of(list); },
                static_cast<const TextNode*>(head), out(part));
          }
          wait_all();
          sum = parts[0] + parts[1];
          own.free();
        },
        inout(Region::create(all)), out(length));
  }
  wait(in(lengths), inout(all));
  for (const std::size_t length : lengths) CHECK(length == 2 * kLength);
  all.free();
}

TEST_CASE(
    "a step that repeats, with a region in which objects own others from the second time on") {
  const Region region = Region::create();
  int* const count = region.make<int>(0);
  std::string* text = nullptr;
  Recording step;
  for (int i = 0; i < 6; ++i) {
    step.step([&] {
      for (int j = 0; j < 4; ++j) {
        spawn(
            uses(inout(region)),
            [](int* sum, const std::string* own) {
              *sum += own == nullptr ? 1 : static_cast<int>(own->size());
            },
            count, static_cast<const std::string*>(text));
      }
    });
    if (i == 2) text = region.make<std::string>(text_of(11));
  }
  wait(inout(region));
  CHECK(*count == 4 * (3 + 3 * static_cast<int>(text_of(11).size())));
  region.free();
}

}  // namespace myr::conformance
