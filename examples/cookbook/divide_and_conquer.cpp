// SPDX-License-Identifier: Apache-2.0
//
// Merge sort: halves are sorted by tasks, and merged by a task behind both.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>
#include <span>
#include <vector>

using Part = std::span<unsigned>;

void merge(Part all, Part room, std::size_t half) {
  std::merge(all.begin(), all.begin() + half, all.begin() + half, all.end(), room.begin());
  std::copy(room.begin(), room.end(), all.begin());
}

void sort(Part all, Part room) {
  if (all.size() < 10'000) {
    std::sort(all.begin(), all.end());
    return;
  }
  const std::size_t half = all.size() / 2;
  myr::spawn(sort, myr::inout(all.first(half)), myr::out(room.first(half)));
  myr::spawn(sort, myr::inout(all.subspan(half)), myr::out(room.subspan(half)));
  myr::spawn(merge, myr::inout(all), myr::out(room), half);
}  // no wait: whoever uses `all` next comes after the merge

int main() {
  std::vector<unsigned> numbers(1'000'000), room(numbers.size());
  unsigned random = 1;
  for (unsigned& number : numbers) number = random = random * 1'664'525 + 1'013'904'223;
  myr::spawn(sort, myr::inout(Part(numbers)), myr::out(Part(room)));
  myr::wait_all();
  std::printf("%s, median %u\n",
              std::is_sorted(numbers.begin(), numbers.end()) ? "sorted" : "not sorted",
              numbers[numbers.size() / 2]);
}
