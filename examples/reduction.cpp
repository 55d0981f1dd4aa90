// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/4-loops.md: a sum and a greatest value, with the same bits in every run.
#include <cstddef>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>
#include <vector>

int main() {
  std::vector<double> a(1'000'000);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = 1.0 / static_cast<double>(i + 1);
  double energy = 0;
  double most = 0;
  const auto all = myr::range(a.size());
  myr::reduce_each(all, myr::reduce(energy, std::plus<>()), myr::in(a, myr::part),
                   [](auto i, auto x) { return x[i] * x[i]; });
  myr::reduce_each(all, myr::reduce(most, myr::max_of), myr::in(a, myr::part),
                   [](auto i, auto x) { return x[i]; });
  myr::wait(myr::in(energy), myr::in(most));
  std::printf("%.17g %.1f\n", energy, most);
}
