// SPDX-License-Identifier: Apache-2.0
//
// The public headers with the warnings that a careful user has on: they are errors here.
#include <myr/myr.h>

#include <myr/myr.hpp>
#include <vector>

void use_all_kinds_of_accesses(double* numbers, std::size_t count) {
  myr::Region region = myr::Region::create();
  int* const object = region.make<int>(1);
  myr::spawn(
      myr::uses(myr::inout(region)),
      [](const double* from, int* to) { *to = static_cast<int>(*from); }, myr::in(numbers, count),
      myr::out(object));
  myr::wait(myr::in(numbers, count));
}

struct Sum {
  int total = 0;
  [[nodiscard]] int get() const { return total; }
};
int use_members_and_texts(const Sum& sum) {
  myr::spawn([](const char*, const char16_t*, const wchar_t*) {}, "text", u"text", L"text");
  return myr::async(&Sum::get, myr::in(sum)).get();
}

void use_loops(std::vector<double>& from, double* to) {
  double sum = 0;
  myr::for_each(myr::grain(16), myr::Range{1, from.size() - 1}, myr::in(from, myr::part.grow(1)),
                myr::out(to, myr::part),
                [=, p = from.data()](std::size_t i) { to[i] = p[i - 1] + p[i + 1]; });
  myr::reduce_each(myr::Range{0, from.size()}, myr::reduce(sum, std::plus<>()),
                   myr::in(from, myr::part), [p = from.data()](std::size_t i) { return p[i]; });
  myr::for_each(myr::tiles(2, 2), myr::Range2{{0, 4}, {0, 4}},
                myr::out(myr::tile(to, 4, 4, 4), myr::part),
                [=](std::size_t i, std::size_t j) { to[4 * i + j] = 0; });
  myr::wait(myr::in(sum));
}
