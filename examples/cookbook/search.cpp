// SPDX-License-Identifier: Apache-2.0
//
// A search that stops all others when one has found what is wanted: queens on a board.
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <myr/myr.hpp>
#include <vector>

constexpr std::size_t kQueens = 16;
using Board = std::array<int, kQueens>;  // the column of the queen in each row

struct Try {
  Board board{};  // its first two queens are given
  bool is_solved = false;
};

bool fits(const Board& board, std::size_t row, int column) {
  for (std::size_t above = 0; above < row; ++above) {
    const int apart = std::abs(board[above] - column);
    if (apart == 0 || apart == static_cast<int>(row - above)) return false;
  }
  return true;
}

bool solve(Board& board, std::size_t row, const myr::Scope& scope) {
  if (row == kQueens) return true;
  if (scope.is_cancelled()) return false;  // somebody else has a solution
  for (int column = 0; column < static_cast<int>(kQueens); ++column) {
    board[row] = column;
    if (fits(board, row, column) && solve(board, row + 1, scope)) return true;
  }
  return false;
}

int main() {
  std::vector<Try> tries;
  for (int i = 0; i < static_cast<int>(kQueens * kQueens); ++i) {
    tries.push_back({{i / static_cast<int>(kQueens), i % static_cast<int>(kQueens)}});
  }
  myr::Scope scope;
  for (Try& one : tries) {
    scope.spawn(
        [&scope](Try& mine) {
          mine.is_solved = fits(mine.board, 1, mine.board[1]) && solve(mine.board, 2, scope);
          if (mine.is_solved) scope.cancel();
        },
        myr::inout(one));
  }
  scope.wait();
  for (const Try& one : tries) {
    if (!one.is_solved) continue;
    bool is_right = true;
    for (std::size_t row = 1; row < kQueens; ++row) {
      is_right = is_right && fits(one.board, row, one.board[row]);
    }
    std::printf("%zu queens, %s\n", kQueens, is_right ? "none attacks another" : "wrong");
    break;
  }
}
