// SPDX-License-Identifier: Apache-2.0
//
// The longest common subsequence of two texts, by tiles of the table.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <myr/myr.hpp>
#include <string>
#include <vector>

constexpr std::size_t kLength = 2'000, kTile = 200, kWidth = kLength + 1;

std::string text(unsigned seed) {
  std::string letters(kLength, 'a');
  for (char& letter : letters) letter = "acgt"[(seed = seed * 1'664'525 + 1'013'904'223) >> 30];
  return letters;
}

int main() {
  const std::string a = text(1);
  const std::string b = text(2);
  std::vector<int> table(kWidth * kWidth);  // row 0 and column 0 stay 0
  for (std::size_t row = 1; row < kWidth; row += kTile) {
    for (std::size_t column = 1; column < kWidth; column += kTile) {
      int* const first = &table[row * kWidth + column];
      const char* const down = &a[row - 1];
      const char* const right = &b[column - 1];
      myr::spawn(
          [down, right](const int*, myr::Tile<const int>, myr::Tile<int> tile) {
            for (std::size_t i = 0; i < kTile; ++i) {
              for (std::size_t j = 0; j < kTile; ++j) {
                int* const here = &tile(i, j);
                *here = down[i] == right[j] ? *(here - kWidth - 1) + 1
                                            : std::max(*(here - kWidth), *(here - 1));
              }
            }
          },
          myr::in(first - kWidth - 1, kTile + 1),           // the row above, and its corner
          myr::in(myr::tile(first - 1, kTile, 1, kWidth)),  // the column to the left
          myr::out(myr::tile(first, kTile, kTile, kWidth)));
    }
  }
  myr::wait_all();
  std::printf("%d\n", table.back());
}
