// SPDX-License-Identifier: Apache-2.0
//
// The Fourier transform of a matrix, with and without tasks: of random numbers, or of what a file
// holds. run.py transforms a photograph.
#include <cmath>
#include <complex>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "bddt/fft2d/fft2d.h"
#include "common/blocks.hpp"
#include "common/files.hpp"
#include "common/program.hpp"
#include "common/random.hpp"

namespace {

using Complex = std::complex<double>;

constexpr std::uint64_t kSeed = 1965;
constexpr int kProbes = 4;
constexpr double kProbeError = 1e-13;

struct FreePlan {
  void operator()(fft_plan* plan) const { fft_plan_free(plan); }
};

struct Matrix {
  Matrix(std::size_t tile_count, std::size_t side, const fft_plan* plan)
      : panels(tile_count, tile_count * side * side),
        program{tile_count, side, panels.data(), panels.region().id(), plan} {}
  [[nodiscard]] std::size_t size() const { return program.tile_count * program.side; }
  [[nodiscard]] complex_number& at(std::size_t row, std::size_t column) const {
    const std::size_t side = program.side;
    const std::size_t tile = column / side;
    return panels[row / side][(tile * side + row % side) * side + column % side];
  }
  kernels::Blocks<complex_number> panels;
  fft2d program;
};

// The numbers to transform, row by row.
std::vector<double> random_numbers(std::size_t count) {
  kernels::Random random(kSeed);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = random.uniform();
  return numbers;
}

void write_result(const std::string& path, const Matrix& m) {
  kernels::write_file(path, [&](std::ostream& file) {
    for (std::size_t row = 0; row < m.size(); ++row) {
      for (std::size_t column = 0; column < m.size(); ++column) {
        kernels::put(file, &m.at(row, column));
      }
    }
  });
}

void fill(const Matrix& m, const std::vector<double>& input) {
  for (std::size_t row = 0; row < m.size(); ++row) {
    for (std::size_t column = 0; column < m.size(); ++column) {
      m.at(row, column) = {input[row * m.size() + column], 0};
    }
  }
}

// The transform of x as the sums that define it.
std::vector<Complex> slow_transform(const std::vector<double>& x) {
  const std::size_t n = x.size();
  std::vector<Complex> roots(n);
  for (std::size_t k = 0; k < n; ++k) {
    roots[k] =
        std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n));
  }
  std::vector<Complex> result(n);
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t i = 0; i < n; ++i) result[k] += x[i] * roots[i * k % n];
  }
  return result;
}

// With W the matrix of the transform, F = W A W; so u F v = (W u) A (W v) for any u and v. All
// numbers of F count in this, and a random u and v leave no error a place to hide.
std::string verify(const Matrix& result, const std::vector<double>& input) {
  const std::size_t n = result.size();
  kernels::Random random(kSeed + 1);
  double norm = 0;
  for (const double number : input) norm += number * number;
  norm = std::sqrt(norm) * static_cast<double>(n);
  for (int probe = 0; probe < kProbes; ++probe) {
    std::vector<double> u(n);
    std::vector<double> v(n);
    for (std::size_t i = 0; i < n; ++i) u[i] = 2 * random.uniform() - 1;
    for (std::size_t i = 0; i < n; ++i) v[i] = 2 * random.uniform() - 1;
    const std::vector<Complex> left = slow_transform(u);
    const std::vector<Complex> right = slow_transform(v);
    Complex seen = 0;
    Complex wanted = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const complex_number& number = result.at(i, j);
        seen += u[i] * v[j] * Complex(number.re, number.im);
        wanted += input[i * n + j] * (left[i] * right[j]);
      }
    }
    if (!(std::abs(seen - wanted) <= kProbeError * norm)) return "a probe gives another sum";
  }
  return "";
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("fft2d", "Fourier transform of a matrix, by rows and transpositions");
  std::size_t size = 1024;
  std::size_t task = 32;
  std::string input_path;
  std::string output_path;
  program.option("size", size, {4, 8192}, "rows of the matrix, a power of two");
  program.option("task", task, {4, 8192}, "rows of a task, a power of two");
  program.option("input", input_path, "transform the doubles in this file, not random numbers");
  program.option("output", output_path, "write the result to this file, pairs of doubles");
  program.named("1M-32", "--size 1024 --task 32");
  program.parse(argc, argv);
  program.require(kernels::is_power_of_two(size) && kernels::is_power_of_two(task),
                  "--size and --task must be powers of two");
  program.require(size >= task, "--size must not be less than --task");

  const auto input =
      input_path.empty() ? random_numbers(size * size) : kernels::read_file<double>(input_path);
  program.require(input.size() == size * size, input_path + " must hold --size squared numbers");
  const std::unique_ptr<fft_plan, FreePlan> plan(fft_plan_new(size));
  Matrix expected(size / task, task, plan.get());
  Matrix result(size / task, task, plan.get());
  const int status = program.run({
      .prepare = [&] { fill(expected, input), fill(result, input); },
      .serial = [&] { fft2d_serial(&expected.program); },
      .parallel = [&] { fft2d_tasks(&result.program); },
      .same = [&] { return result.panels.same_bits(expected.panels); },
      .verify = [&] { return verify(result, input); },
  });
  if (!output_path.empty()) write_result(output_path, result);
  return status;
}
