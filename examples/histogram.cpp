// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/6-checking.md: tasks count letters, and each says all that it touches.
#include <array>
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>
#include <string>
#include <vector>

using Counts = std::array<int, 256>;

void count(const std::string& text, Counts& counts) {
  for (const unsigned char letter : text) counts[letter] += 1;
}

int main() {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < 26; ++i)
    texts.push_back(std::string(i + 1, static_cast<char>('a' + i)) + "z");
  Counts counts{};
  for (const std::string& text : texts) myr::spawn(count, myr::in(text), myr::inout(counts));
  myr::wait(myr::in(counts));
  std::printf("a: %d, z: %d\n", counts['a'], counts['z']);
  myr::wait_all();
}
