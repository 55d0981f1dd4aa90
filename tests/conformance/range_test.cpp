// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Loops": what they go over, numbers of any integer type, at their limits.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// The numbers with which a loop over from..to-1 has called its body, from the first on.
template <class I>
void check_numbers(I from, I to) {
  const std::size_t count = static_cast<std::size_t>(to) - static_cast<std::size_t>(from);
  std::vector<I> seen(count);
  const I* const first = seen.data();
  std::vector<int> times(count);
  std::size_t wrong_parts = 0;
  const auto least = grain(1 + count / 100);
  for_each(least, range(from, to), inout(seen), inout(times),
           [from](auto i, std::vector<I>& all, std::vector<int>& hits) {
             static_assert(std::is_same_v<decltype(i), I>);
             const std::size_t at = static_cast<std::size_t>(i) - static_cast<std::size_t>(from);
             all[at] = i;
             hits[at] += 1;
           });
  for_each(least, range(from, to), inout(wrong_parts), by_part([=](const IndexRange<I>& some) {
             return in(
                 first + (static_cast<std::size_t>(some.from) - static_cast<std::size_t>(from)),
                 some.size());
           }),
           [&wrong_parts, from, to](const IndexRange<I>& some) {
             if (some.from < from || some.to > to || some.size() == 0) ++wrong_parts;
           });
  std::size_t sum = 0;
  reduce_each(range(from, to), reduce(sum, std::plus<>()),
              [](I i) { return static_cast<std::size_t>(i); });
  wait_all();
  std::size_t wrong = 0;
  std::size_t expected = 0;
  I next = from;
  for (std::size_t k = 0; k < count; ++k, ++next) {
    wrong += seen[k] == next && times[k] == 1 ? 0 : 1;
    expected += static_cast<std::size_t>(next);
  }
  CHECK(wrong == 0);
  CHECK(wrong_parts == 0);
  CHECK(sum == expected);
}

template <class I>
void check_limits() {
  using Limits = std::numeric_limits<I>;
  constexpr auto kFew = I{5};
  check_numbers<I>(Limits::min(), static_cast<I>(Limits::min() + kFew));
  check_numbers<I>(static_cast<I>(Limits::max() - kFew), Limits::max());
  check_numbers<I>(I{0}, kFew);
  CHECK(range(Limits::min(), Limits::max()).size() ==
        static_cast<std::size_t>(Limits::max()) - static_cast<std::size_t>(Limits::min()));
  CHECK(range(Limits::max(), Limits::min()).size() == 0);
  if constexpr (std::is_signed_v<I>) {
    check_numbers<I>(I{-5}, I{5});
    check_numbers<I>(I{-5}, I{-2});
    check_numbers<I>(I{-100}, I{100});
  }
  if constexpr (sizeof(I) == 1) check_numbers<I>(Limits::min(), Limits::max());
}

template <class R, class I>
constexpr bool has_numbers_of = std::is_same_v<R, IndexRange<I>>;

}  // namespace

TEST_CASE("loops over every type of integer, at its limits") {
  check_limits<std::int8_t>();
  check_limits<std::uint8_t>();
  check_limits<std::int16_t>();
  check_limits<std::uint16_t>();
  check_limits<std::int32_t>();
  check_limits<std::uint32_t>();
  check_limits<std::int64_t>();
  check_limits<std::uint64_t>();
  check_limits<long long>();
  check_limits<char>();
}

TEST_CASE("ranges have the type that both ends have in common") {
  static_assert(has_numbers_of<decltype(range(5)), int>);
  static_assert(has_numbers_of<decltype(range(5U)), unsigned>);
  static_assert(has_numbers_of<decltype(range(-1, 5L)), long>);
  static_assert(has_numbers_of<decltype(range(-1L, 5U)), long>);
  static_assert(has_numbers_of<decltype(range(1, std::size_t{5})), std::size_t>);
  static_assert(has_numbers_of<decltype(range(std::size_t{1}, 5)), std::size_t>);
  static_assert(has_numbers_of<decltype(range(0, 5U)), unsigned>);
  static_assert(range(1, std::size_t{5}).size() == 4);
  CHECK(range(-3, 5).size() == 8);
  CHECK(range(7L, 3).size() == 0);
  CHECK(range(-7).size() == 0);
  CHECK(range(std::size_t{2}, 4).size() == 2);
}

TEST_CASE("arrays with numbers below 0") {
  std::array<int, 20> all{};
  std::vector<int> ends(20);
  int* const middle = all.data() + 10;
  for_each(grain(1), range(-10, 10), out(middle, part), [](int i, auto m) { m[i] = i; });
  // Number -1 of a pointer is used if the loop's numbers begin below 0, and otherwise none is.
  for_each(grain(1), range(-9, 9), in(middle, part.grow(1)), out(ends, part),
           [](int i, auto m, auto e) {
             if (i >= 0) e[i] = m[i - 1] + m[i + 1];
           });
  spawn([](int* first) { *first = 1000; }, inout(all.data(), 1));
  for_each(grain(3), range(-10L, 10), inout(middle, part), [middle](long i) { middle[i] *= 2; });
  wait(in(all));
  CHECK(all[0] == 2000);
  CHECK(all[1] == -18);
  CHECK(all[19] == 18);
  wait(in(ends));
  for (int i = 0; i < 9; ++i) CHECK(ends[static_cast<std::size_t>(i)] == 2 * i);
  wait_all();
}

TEST_CASE("neighbours on both sides of 0 are ordered") {
  constexpr int kHalf = 200;
  std::vector<unsigned> a(2 * kHalf, 1), x = a;
  unsigned* const middle = a.data() + kHalf;
  for (int sweep = 0; sweep < 5; ++sweep) {
    for_each(grain(7), range(1 - kHalf, kHalf), inout(middle, part.grow(1, 0)),
             [](auto i, auto m) { m[i] = 3 * m[i] + m[i - 1]; });
    for (std::size_t i = 1; i < x.size(); ++i) x[i] = 3 * x[i] + x[i - 1];
  }
  wait_all();
  CHECK(a == x);
}

TEST_CASE("objects whose numbers begin below 0, in a region and not") {
  const Region region = Region::create();
  std::vector<int*> objects;
  for (int i = -6; i < 6; ++i) objects.push_back(region.make<int>(i));
  for_each(grain(1), range(-6, 6), inout(each(objects).inside(region).at(-6), part),
           [](int i, auto all) { all[i] += 10 * i; });
  for_each(grain(2), range(-5, 5), in(each(objects).inside(region).at(-6), part.grow(1)),
           [p = objects.data() + 6](int i) { CHECK(*p[i - 1] == 11 * (i - 1)); });
  spawn(uses(inout(region)), [](int** p) { *p[0] = -1; }, objects.data());
  for_each(range(-6, 6), in(each(objects), part), [](int i, auto all) {
    if (i >= 0) CHECK(all[i] == (i == 0 ? -1 : 11 * (i - 6)));
  });
  wait_all();
  region.free();
}

TEST_CASE("pairs and sums of numbers below 0") {
  constexpr int kSize = 30;
  std::vector<int> numbers(kSize * kSize);
  int* const middle = numbers.data() + (kSize / 2) * kSize + kSize / 2;
  for_each(tiles(4, 7), range(-15, 15), range(-15L, 15L), inout(numbers),
           [middle](auto i, auto j, std::vector<int>&) {
             static_assert(std::is_same_v<decltype(i), int> && std::is_same_v<decltype(j), long>);
             middle[i * kSize + j] += i + static_cast<int>(j);
           });
  long sum = 0;
  reduce_each(tiles(8, 8), range(-15, 15), range(-15, 15), reduce(sum, std::plus<>()), in(numbers),
              [middle](int i, int j, const std::vector<int>&) {
                return middle[i * kSize + j] == i + j ? i : 1000;
              });
  int boxes = 0;
  for_each(tiles(10, 30), range(-15, 15), range(-15, 15), reduce(boxes, std::plus<>()),
           [](const Box<int, int>& box, int& own) { own += box.rows.from < 0 ? 1 : 100; });
  wait_all();
  CHECK(sum == -15 * kSize);
  CHECK(boxes == 102);
}

TEST_CASE("of what bodies throw at numbers below 0, the first counts, in a scope, too") {
  const auto body = [](int i) {
    if (i == -3 || i == 4) throw std::runtime_error(std::to_string(i));
  };
  std::string caught;
  for_each(grain(1), range(-8, 8), body);
  try {
    wait_all();
  } catch (const std::runtime_error& thrown) {
    caught = thrown.what();
  }
  CHECK(caught == "-3");
  Scope scope;
  scope.for_each(grain(1), range(-8, 8), body);
  try {
    scope.wait();
  } catch (const std::runtime_error& thrown) {
    caught += thrown.what();
  }
  CHECK(caught == "-3-3");
}

TEST_CASE("the numbers of a view") {
  std::vector<int> v(9, 1);
  for_each(std::views::iota(2, 7), inout(v, part), [](int i, auto all) { all[i] += i; });
  int sum = 0;
  reduce_each(grain(2), std::views::iota(-4, 3), reduce(sum, std::plus<>()),
              [](int i) { return i; });
  wait_all();
  CHECK(v == std::vector<int>{1, 1, 3, 4, 5, 6, 7, 1, 1});
  CHECK(sum == -7);
}

}  // namespace myr::conformance
