// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/4-loops.md: heat along a rod again, as a loop that the runtime cuts.
#include <cstdio>
#include <myr/myr.hpp>
#include <utility>
#include <vector>

int main() {
  std::vector<double> a(100'000), b(a.size());
  a[500] = 1'000'000;
  for (int step = 0; step < 100; ++step) {
    myr::for_each(myr::range(1, a.size() - 1), myr::in(a, myr::part.grow(1)),
                  myr::out(b, myr::part), [](auto i, auto from, auto to) {
                    to[i] = (from[i - 1] + from[i] + from[i + 1]) / 3;
                  });
    std::swap(a, b);
  }
  myr::wait_all();
  std::printf("%.3f\n", a[500]);
}
