// SPDX-License-Identifier: Apache-2.0
//
// MYR_CHECKED: what an iteration uses through a view, and has not declared, is misuse.
#ifndef MYR_CHECKED
#define MYR_CHECKED
#endif
#include <doctest/doctest.h>

#include <cstddef>
#include <functional>
#include <myr/myr.hpp>
#include <myr/process.hpp>
#include <string>
#include <vector>

namespace {

using namespace myr;

std::string text_of_failure() {
  try {
    wait_all();
  } catch (const Misuse& misuse) {
    return std::string(misuse.what());
  }
  return "nothing";
}

}  // namespace

TEST_CASE("an iteration that uses what it has not declared fails") {
  throw_errors();
  std::vector<double> a(1000, 1), b(1000);
  for_each(range(1, 999), in(a, part.grow(1)), out(b, part),
           [](auto i, auto x, auto y) { y[i] = x[i - 1] + x[i + 1]; });
  CHECK(text_of_failure() == "nothing");
  for_each(range(1, 999), in(a, part.grow(0, 1)), out(b, part), [](auto i, auto x, auto y) {
    if (i != 437) y[i] = x[i + 1];
    if (i == 437) y[i] = x[i - 1];
  });
  CHECK(
      text_of_failure().find("uses element 436, and declares here that it uses 437 to 438 only") !=
      std::string::npos);
  double sum = 0;
  reduce_each(range(1000), reduce(sum, std::plus<>()), in(a, part),
              [](auto i, auto x) { return x[i == 500 ? 0 : i]; });
  CHECK(text_of_failure().find("uses element 0,") != std::string::npos);
  myr_set_error_handler(nullptr);
}

TEST_CASE("in both directions of a matrix, and among objects") {
  throw_errors();
  std::vector<int> a(100 * 100, 1);
  const auto all = tile(a.data(), 100, 100, 100);
  for_each(Range2{{0, 100}, {0, 100}}, inout(all, part),
           [](auto i, auto j, auto x) { x(i, j) += i == 50 && j == 50 ? x(i, j + 1) : 1; });
  CHECK(text_of_failure().find("uses element 51,") != std::string::npos);
  std::vector<int*> objects;
  for (int i = 0; i < 20; ++i) objects.push_back(Region::root().make<int>(i));
  for_each(range(20), inout(each(objects), part), [](auto i, auto x) { x[i] = x[i < 19 ? i : 0]; });
  CHECK(text_of_failure().find("uses element 0,") != std::string::npos);
  myr_set_error_handler(nullptr);
}

TEST_CASE("in every direction of a cube, and with numbers below 0") {
  throw_errors();
  std::vector<int> a(10 * 10 * 10, 1);
  const auto all = cube(a.data(), 10, 10, 10);
  const auto add = [](int i, int j, int k, auto x) { x(i, j, k) += i == 5 ? x(i, j - 1, k) : 1; };
  for_each(range(1, 10), range(1, 10), range(1, 10), inout(all, parts(part, part.grow(1, 0), part)),
           add);
  CHECK(text_of_failure() == "nothing");
  for_each(range(1, 10), range(1, 10), range(1, 10), inout(all, parts(part.grow(1), part, part)),
           add);
  CHECK(text_of_failure().find("uses element 0, and declares here that it uses 1 to 1 only") !=
        std::string::npos);
  std::vector<int> b(20, 1);
  for_each(range(-10, 10), inout(b.data() + 10, part), [](int i, auto x) { x[i] += i; });
  for_each(range(-5, 15), inout(b, part.grow(5)), [](int i, auto x) { x[i + 5] += 1; });
  CHECK(text_of_failure() == "nothing");
  for_each(grain(1), range(-10, 10), inout(b.data() + 10, part),
           [](int i, auto x) { x[i] += i == 3 ? x[-1] : 0; });
  CHECK(text_of_failure().find("declares here that it uses 3 to 3 only") != std::string::npos);
  for_each(range(30), inout(b, part), [](auto i, auto x) { x[i] = 1; });
  CHECK(text_of_failure().find("uses element 20, and declares here that it uses none") !=
        std::string::npos);
  std::vector<int> v(100, 1);
  for_each(inout(v), [](int& x) { x += 1; });
  CHECK(text_of_failure() == "nothing");
  myr_set_error_handler(nullptr);
}
