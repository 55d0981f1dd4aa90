// SPDX-License-Identifier: Apache-2.0
//
// Factors a sparse matrix in blocks, with and without tasks, and checks that the factors multiplied
// are the matrix. Which blocks the factors fill is computed first, as sparse solvers do.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "common/blocks.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "picos/sparse_lu/sparse_lu.h"

namespace {

constexpr std::uint64_t kSeed = 29;
constexpr double kProductError = 1e-14;

// Is the block of the input in use? The pattern is that of the BOTS benchmark.
bool in_input(std::size_t row, std::size_t column) {
  const std::size_t low = std::min(row, column);
  const std::size_t high = std::max(row, column);
  return high - low <= 1 || (row % 2 == 0 && column % 2 == 0 && low % 3 == 0);
}

// For each block, is it in use in the factors?
std::vector<bool> pattern_of_factors(std::size_t n) {
  std::vector<bool> used(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) used[i * n + j] = in_input(i, j);
  }
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = k + 1; i < n; ++i) {
      if (!used[i * n + k]) continue;
      for (std::size_t j = k + 1; j < n; ++j) {
        if (used[k * n + j]) used[i * n + j] = true;
      }
    }
  }
  return used;
}

class Matrix {
 public:
  Matrix(const std::vector<bool>& used, std::size_t n, std::size_t side)
      : storage_(static_cast<std::size_t>(std::count(used.begin(), used.end(), true)), side * side),
        table_(n * n) {
    std::size_t next = 0;
    for (std::size_t i = 0; i < n * n; ++i) table_[i] = used[i] ? storage_[next++] : nullptr;
    program = {n, side, storage_.elements(), table_.data()};
  }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;

  // Random numbers; the diagonal outweighs the rest of its row, so no row need be exchanged.
  void fill() const {
    storage_.fill(0);
    const std::size_t n = program.block_count;
    const std::size_t side = program.side;
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t blocks = 0;
      for (std::size_t j = 0; j < n; ++j) {
        if (!in_input(i, j)) continue;
        blocks += 1;
        kernels::Random random(kernels::scramble(kSeed + i * n + j));
        for (std::size_t k = 0; k < side * side; ++k) {
          table_[i * n + j][k] = 2 * random.uniform() - 1;
        }
      }
      for (std::size_t k = 0; k < side; ++k) {
        table_[i * n + i][k * side + k] += static_cast<double>(blocks * side);
      }
    }
  }
  [[nodiscard]] bool same_bits(const Matrix& other) const {
    return storage_.same_bits(other.storage_);
  }
  // The matrix times x; of the numbers, only those for which take(row, column) holds.
  template <class Take>
  [[nodiscard]] std::vector<double> times(const std::vector<double>& x, const Take& take) const {
    const std::size_t side = program.side;
    std::vector<double> product(x.size());
    for (std::size_t block = 0; block < table_.size(); ++block) {
      if (table_[block] == nullptr) continue;
      for (std::size_t k = 0; k < side * side; ++k) {
        const std::size_t row = block / program.block_count * side + k / side;
        const std::size_t column = block % program.block_count * side + k % side;
        if (take(row, column)) product[row] += table_[block][k] * x[column];
      }
    }
    return product;
  }

 private:
  kernels::Blocks<double> storage_;  // of the blocks in use
  std::vector<double*> table_;

 public:
  sparse_lu program;
};

// L (U x) = A x for a random x.
std::string verify(const Matrix& factors, const Matrix& input) {
  kernels::Random random(kSeed);
  std::vector<double> x(factors.program.block_count * factors.program.side);
  for (double& number : x) number = 2 * random.uniform() - 1;
  const auto upper = factors.times(x, [](std::size_t i, std::size_t j) { return i <= j; });
  auto product = factors.times(upper, [](std::size_t i, std::size_t j) { return i > j; });
  const auto wanted = input.times(x, [](std::size_t, std::size_t) { return true; });
  double largest = 0;
  for (const double number : wanted) largest = std::max(largest, std::abs(number));
  for (std::size_t i = 0; i < x.size(); ++i) {
    product[i] += upper[i];  // L has ones on its diagonal
    if (!(std::abs(product[i] - wanted[i]) <= kProductError * largest)) {
      return "row " + std::to_string(i) + " of L U";
    }
  }
  return "";
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("sparse_lu",
                           "LU factors of a sparse matrix, a task for a step on a block");
  std::size_t size = 128;
  std::size_t task = 16;
  program.option("size", size, {1, 1024}, "blocks in a row of blocks");
  program.option("task", task, {1, 512}, "rows of a block");
  for (const char* blocks : {"32", "128"}) {
    for (const char* side : {"1", "2", "4", "8", "16"}) {
      program.named("N" + std::string(blocks) + "-M" + side,
                    "--size " + std::string(blocks) + " --task " + side);
    }
  }
  program.parse(argc, argv);

  const std::vector<bool> used = pattern_of_factors(size);
  Matrix input(used, size, task);
  Matrix expected(used, size, task);
  Matrix result(used, size, task);
  input.fill();
  return program.run({
      .prepare = [&] { expected.fill(), result.fill(); },
      .serial = [&] { sparse_lu_serial(&expected.program); },
      .parallel = [&] { sparse_lu_tasks(&result.program); },
      .same = [&] { return result.same_bits(expected); },
      .verify = [&] { return verify(result, input); },
  });
}
