// SPDX-License-Identifier: Apache-2.0
//
// docs/user/algorithms.md: sorting.
#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <myr/algorithm.hpp>
#include <numeric>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

constexpr std::size_t kSorted[] = {0, 1, 2, 3, 8191, 8192, 8193, 16'385, 40'000};

// In several orders, by the number of the order.
std::vector<int> numbers_in_order(int order, std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count) + 1);
  std::vector<int> made(count, 7);
  if (order == 1 || order == 3) std::iota(made.begin(), made.end(), 0);
  if (order == 2) std::iota(made.rbegin(), made.rend(), 0);
  if (order == 3) {
    for (std::size_t i = 0; i < count / 100; ++i) {
      std::swap(made[random() % count], made[random() % count]);
    }
  }
  if (order == 4) {
    for (int& one : made) one = static_cast<int>(random() % 1000);
  }
  return made;
}

}  // namespace

TEST_CASE("sorted as by the standard library") {
  for (const std::size_t size : kSorted) {
    for (int order = 0; order < 5; ++order) {
      std::vector<int> v = numbers_in_order(order, size);
      std::vector<int> expected = v;
      std::sort(expected.begin(), expected.end(), std::greater<>());
      myr::sort(v, std::greater<>());
      CHECK(v == expected);
      std::vector<std::pair<int, int>> pairs(size);
      v = numbers_in_order(order, size);
      for (std::size_t i = 0; i < size; ++i) pairs[i] = {v[i], static_cast<int>(i)};
      std::vector<std::pair<int, int>> pairs_expected = pairs;
      const auto by_first = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::stable_sort(pairs_expected.begin(), pairs_expected.end(), by_first);
      myr::stable_sort(pairs, by_first);
      CHECK(pairs == pairs_expected);
    }
  }
}

TEST_CASE("elements that own something, and parts of what has elements") {
  const std::vector<int> numbers = numbers_in_order(4, 20'000);
  std::vector<std::string> texts;
  std::vector<std::unique_ptr<int>> pointers;
  for (const int one : numbers) {
    texts.push_back("a text that is too long to be kept inside: " + std::to_string(one));
    pointers.push_back(std::make_unique<int>(one));
  }
  std::vector<std::string> expected = texts;
  std::sort(expected.begin() + 100, expected.end() - 100);
  myr::sort(std::span(texts).subspan(100, texts.size() - 200));
  CHECK(texts == expected);
  myr::stable_sort(pointers, [](const auto& a, const auto& b) { return *a < *b; });
  CHECK(std::is_sorted(pointers.begin(), pointers.end(),
                       [](const auto& a, const auto& b) { return *a < *b; }));
  int plain[] = {3, 1, 2};
  myr::sort(plain);
  CHECK(std::is_sorted(plain, plain + 3));
}

TEST_CASE("elements whose move may throw") {
  struct Careful {
    Careful() = default;
    explicit Careful(int n) : number(n) {}
    Careful(const Careful&) = default;
    Careful& operator=(const Careful&) = default;
    Careful(Careful&& other) noexcept(false) : number(other.number) {}
    Careful& operator=(Careful&& other) noexcept(false) {
      number = other.number;
      return *this;
    }
    ~Careful() = default;
    int number = 0;
  };
  std::vector<Careful> v;
  for (const int one : numbers_in_order(4, 20'000)) v.emplace_back(one);
  const auto less = [](const Careful& a, const Careful& b) { return a.number < b.number; };
  myr::sort(v, less);
  CHECK(std::is_sorted(v.begin(), v.end(), less));
}

TEST_CASE("a comparison that throws once loses no element that others have merged") {
  for (const std::size_t size : {40'000, 100'000}) {
    const std::vector<int> numbers = numbers_in_order(4, size);
    std::atomic<std::size_t> calls{0};
    std::size_t end = ~std::size_t{0};
    for (const unsigned part : {0U, 1U, 2U, 10U}) {  // how much is left then, in 300ths
      std::vector<std::unique_ptr<int>> v;
      for (const int one : numbers) v.push_back(std::make_unique<int>(one));
      const std::size_t when = part == 0 ? end : end - end * part / 300;
      calls = 0;
      const auto less = [&](const auto& a, const auto& b) {
        if (++calls == when) throw std::runtime_error("once");
        return a == nullptr ? b != nullptr : b != nullptr && *a < *b;
      };
      try {
        myr::sort(v, less);
      } catch (const std::runtime_error&) {
      }
      if (part == 0) end = calls;
      CHECK(std::count(v.begin(), v.end(), nullptr) <= static_cast<long>(size / 4096 + 1));
    }
  }
}

TEST_CASE("a comparison that throws leaves elements that are valid") {
  for (const std::size_t allowed : {0, 30'000, 200'000}) {
    std::vector<std::shared_ptr<int>> v;
    for (const int one : numbers_in_order(4, 30'000)) v.push_back(std::make_shared<int>(one));
    const std::vector<std::weak_ptr<int>> all(v.begin(), v.end());
    std::atomic<std::size_t> calls{0};
    const auto less = [&](const std::shared_ptr<int>& a, const std::shared_ptr<int>& b) {
      if (++calls > allowed) throw std::runtime_error("compared often enough");
      return a == nullptr ? b != nullptr : b != nullptr && *a < *b;
    };
    CHECK_THROWS_WITH_AS(myr::sort(v, less), "compared often enough", std::runtime_error);
    const auto lost = std::count_if(all.begin(), all.end(), [](auto& p) { return p.expired(); });
    CHECK(lost <= 30'000 / 4096 + 1);
    CHECK(std::count(v.begin(), v.end(), nullptr) == lost);
    calls = 0;
    const auto whole = [](const auto& a, const auto& b) {
      return a == nullptr ? b != nullptr : b != nullptr && *a < *b;
    };
    myr::stable_sort(v, whole);
    CHECK(std::is_sorted(v.begin(), v.end(), whole));
  }
  wait_all();
}

}  // namespace myr::conformance
