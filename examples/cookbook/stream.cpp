// SPDX-License-Identifier: Apache-2.0
//
// An endless stream: a window of results, each taken in turn, the oldest first.
#include <cstddef>
#include <cstdio>
#include <deque>
#include <myr/myr.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

// What arrives: a chunk of measurements. The 500th is broken.
std::vector<double> receive(int number) {
  std::vector<double> chunk(300);
  for (std::size_t i = 0; i < chunk.size(); ++i) chunk[i] = static_cast<double>(number + i) / 8;
  if (number == 500) chunk.clear();
  return chunk;
}

double mean(const std::vector<double>& chunk) {
  if (chunk.empty()) throw std::runtime_error("an empty chunk");
  double sum = 0;
  for (const double value : chunk) sum += value;
  return sum / static_cast<double>(chunk.size());
}

int main() {
  std::deque<myr::Future<double>> window;
  double highest = 0;
  int done = 0;
  const auto take_oldest = [&] {
    myr::Future<double> oldest = std::move(window.front());
    window.pop_front();
    const double value = oldest.get();  // throws what its task has thrown
    if (value > highest) highest = value;
    done += 1;
  };
  try {
    for (int number = 0;; ++number) {
      if (window.size() == 16) take_oldest();
      window.push_back(myr::async(mean, receive(number)));  // the chunk moves into the task
    }
  } catch (const std::runtime_error& failure) {
    std::printf("%d chunks, highest mean %.4f, then %s\n", done, highest, failure.what());
  }
}
