// SPDX-License-Identifier: Apache-2.0
//
// Sums, extremes and a histogram of many values, the same bits in every run.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <utility>
#include <vector>

int main() {
  std::vector<double> values(1'000'000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::sin(static_cast<double>(i));

  double sum = 0;
  std::pair<double, std::size_t> largest{-2, 0};  // the value and where it is
  std::array<long, 4> histogram{};
  const auto all = myr::range(values.size());
  myr::reduce_each(all, myr::reduce(sum, std::plus<>()), myr::in(values, myr::part),
                   [](auto i, auto x) { return x[i]; });
  myr::reduce_each(all, myr::reduce(largest, myr::max_of), myr::in(values, myr::part),
                   [](auto i, auto x) { return std::pair(x[i], i); });
  myr::for_each(all, myr::in(values, myr::part), myr::reduce(histogram, std::plus<>()),
                [](auto i, auto x, std::array<long, 4>& own) {
                  own[static_cast<std::size_t>((x[i] + 1) * 1.9999)] += 1;
                });
  myr::wait(myr::in(sum), myr::in(largest), myr::in(histogram));
  std::printf("sum %.17g\n", sum);
  std::printf("largest at %zu\n", largest.second);
  std::printf("%ld %ld %ld %ld\n", histogram[0], histogram[1], histogram[2], histogram[3]);
}
