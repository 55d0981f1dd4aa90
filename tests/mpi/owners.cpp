// SPDX-License-Identifier: Apache-2.0
//
// Pragmas in C++ on machines of several processes: tasks with a copy of what is more than its
// bytes, or whose accesses name such objects, stay where they are spawned.
#include <array>
#include <cstdio>
#include <string>
#include <vector>

static const std::string kLong = "longer than what a std::string has room for in itself: ";

int main() {
  constexpr int kCount = 8;
  std::array<std::size_t, kCount> sizes{};
  std::vector<int> list;
  std::vector<std::string> texts(kCount, kLong);
  std::string table[2][2];
  for (int i = 0; i < kCount; ++i) {
    const std::string copy = kLong + std::to_string(i);
#pragma omp task out(sizes[i])
    sizes[i] = copy.size();
#pragma omp task inout(list)
    list.push_back(i);
  }
#pragma omp taskloop nogroup inout(texts[i])
  for (int i = 0; i < kCount; ++i) texts[i] += std::to_string(i);
#pragma omp task inout({texts[i], i = 0; kCount})
  for (std::string& text : texts) text += '.';
#pragma omp task out(table[0; 2][1; 1])
  table[0][1] = table[1][1] = kLong;
#pragma omp taskwait
  std::size_t sum = 0;
  for (int i = 0; i < kCount; ++i) sum += sizes[i] + texts[i].size() + list[i];
  std::printf("%zu\n", sum + table[0][1].size() + table[1][1].size() - 18 * kLong.size());
}
