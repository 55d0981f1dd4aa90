// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/3-regions.md: a recursion that waits nowhere.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>
#include <span>
#include <vector>

void sort(std::span<int> all) {
  if (all.size() < 4096) {
    std::sort(all.begin(), all.end());
    return;
  }
  const int pivot = all[all.size() / 2];
  const auto less = std::partition(all.begin(), all.end(), [=](int x) { return x < pivot; });
  const auto more = std::partition(less, all.end(), [=](int x) { return x == pivot; });
  myr::spawn(sort, myr::inout(std::span(all.begin(), less)));
  myr::spawn(sort, myr::inout(std::span(more, all.end())));
}

int main() {
  std::vector<int> numbers(2'000'000);
  unsigned x = 1;
  for (int& number : numbers) {
    x = x * 1'664'525 + 1'013'904'223;
    number = static_cast<int>(x >> 8);
  }
  myr::spawn(sort, myr::inout(std::span(numbers)));
  myr::wait(myr::in(numbers));
  std::printf("%s\n", std::is_sorted(numbers.begin(), numbers.end()) ? "sorted" : "not sorted");
}
