// SPDX-License-Identifier: Apache-2.0
//
// Multiplies two matrices after Strassen, with and without tasks. The numbers are small integers,
// so that every product is exact and the check need not tolerate any error.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "common/exact_product.hpp"
#include "common/program.hpp"
#include "hwse/strassen/strassen.h"
#include "methods/tiles/multiply.h"

namespace {

constexpr std::uint64_t kSeed = 1969;
constexpr std::size_t kAlignment = 64;

struct Free {
  void operator()(float* memory) const { std::free(memory); }
};

class Matrix {
 public:
  Matrix(std::size_t side, std::size_t leaf)
      : side_(side),
        leaf_(leaf),
        numbers_(static_cast<float*>(std::aligned_alloc(kAlignment, side * side * sizeof(float)))) {
    if (numbers_ == nullptr) throw std::bad_alloc();
    std::fill_n(data(), side * side, 0.0F);
  }
  [[nodiscard]] std::size_t size() const { return side_; }
  [[nodiscard]] float* data() const { return numbers_.get(); }
  [[nodiscard]] float& at(std::size_t row, std::size_t column) const {
    std::size_t first = 0;
    for (std::size_t half = side_ / 2; half >= leaf_; half /= 2) {
      first += half * half * (2 * (row / half % 2) + column / half % 2);
    }
    return numbers_.get()[first + row % leaf_ * leaf_ + column % leaf_];
  }
  [[nodiscard]] bool same(const Matrix& other) const {
    return std::equal(data(), data() + side_ * side_, other.data());
  }

 private:
  std::size_t side_;
  std::size_t leaf_;
  std::unique_ptr<float, Free> numbers_;
};

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("strassen", "Matrix product after Strassen, down to leaves");
  std::size_t size = 1024;
  std::size_t task = 64;
  std::string style = "tasks";
  program.option("size", size, {2 * TILE_STEP, 8192},
                 "rows of a matrix, the leaf's times 2, 4, ...");
  program.option("task", task, {TILE_STEP, 4096}, "rows of a leaf, a multiple of 16");
  program.styles(style);
  program.parse(argc, argv);
  program.require(task % TILE_STEP == 0, "--task must be a multiple of 16");
  program.require(size % task == 0 && size != task && kernels::is_power_of_two(size / task),
                  "--size must be --task times 2, 4, 8, ...");

  const bool loops = style == "loops";
  const Matrix a(size, task);
  const Matrix b(size, task);
  const Matrix expected(size, task);
  const Matrix result(size, task);
  kernels::fill_with_whole_numbers(a, kSeed);
  kernels::fill_with_whole_numbers(b, kSeed + 1);
  const strassen plain{size, task, loops, a.data(), b.data(), expected.data()};
  const strassen tasks{size, task, loops, a.data(), b.data(), result.data()};
  return program.run({
      .prepare = [&] { std::fill_n(result.data(), size * size, 0.0F); },
      .serial = [&] { strassen_serial(&plain); },
      .parallel = [&] { strassen_tasks(&tasks); },
      .same = [&] { return result.same(expected); },
      .verify = [&] { return kernels::check_product(a, b, result); },
  });
}
