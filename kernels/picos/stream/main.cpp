// SPDX-License-Identifier: Apache-2.0
//
// The frame of stream_deps and, compiled with STREAM_BARRIERS, of stream_barr: runs the steps of
// STREAM with and without tasks, and compares with what they amount to.
#include <cmath>
#include <cstdint>
#include <string>

#include "common/blocks.hpp"
#include "common/program.hpp"
#include "picos/stream/stream.h"

namespace {

constexpr double kRoundError = 1e-15;  // relative, of a number in a round

#ifdef STREAM_BARRIERS
constexpr bool kBarriers = true;
constexpr const char* kName = "stream_barr";
constexpr const char* kText = "The steps of STREAM in blocks, with a barrier after each";
#else
constexpr bool kBarriers = false;
constexpr const char* kName = "stream_deps";
constexpr const char* kText = "The steps of STREAM in blocks, ordered by dependences alone";
#endif

struct Arrays {
  Arrays(std::size_t block_count, std::size_t block_size, std::size_t rounds)
      : a(block_count, block_size),
        b(block_count, block_size),
        c(block_count, block_size),
        program{block_count, block_size, rounds, kBarriers, a.data(), b.data(), c.data()} {}
  void fill() const;
  [[nodiscard]] bool same_bits(const Arrays& other) const {
    return a.same_bits(other.a) && b.same_bits(other.b) && c.same_bits(other.c);
  }
  kernels::Blocks<double> a;
  kernels::Blocks<double> b;
  kernels::Blocks<double> c;
  stream program;
};

// Every number is another one, so that a block in the wrong place is noticed.
double start_of(std::size_t index) { return 1 + static_cast<double>(index) * 0x1p-26; }

void Arrays::fill() const {
  for (std::size_t block = 0; block < a.count(); ++block) {
    for (std::size_t i = 0; i < a.elements(); ++i) a[block][i] = start_of(block * a.elements() + i);
  }
  b.fill(0);
  c.fill(0);
}

// With factor s, a round leaves b = s a, c = (1 + s) a and a' = (2 s + s s) a.
std::string verify(const Arrays& arrays) {
  const double s = STREAM_FACTOR;
  const auto rounds = static_cast<double>(arrays.program.rounds);
  const double before = std::pow(2 * s + s * s, rounds - 1);
  const double error = kRoundError * (rounds + 1);
  const auto differs = [&](double seen, double wanted) {
    return !(std::abs(seen - wanted) <= error * std::abs(wanted));
  };
  for (std::size_t block = 0; block < arrays.a.count(); ++block) {
    for (std::size_t i = 0; i < arrays.a.elements(); ++i) {
      const double a = before * start_of(block * arrays.a.elements() + i);
      if (differs(arrays.a[block][i], (2 * s + s * s) * a) || differs(arrays.b[block][i], s * a) ||
          differs(arrays.c[block][i], (1 + s) * a)) {
        return "a number of block " + std::to_string(block);
      }
    }
  }
  return "";
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program(kName, kText);
  std::size_t size = 131072;
  std::size_t task = 16384;
  std::size_t rounds = 10;
  program.option("size", size, {STREAM_LINE, 1 << 28}, "numbers, a multiple of a block's");
  program.option("task", task, {STREAM_LINE, 1 << 28}, "numbers of a block, a multiple of 8");
  program.option("rounds", rounds, {1, 1000}, "rounds of four steps");
  program.named("64", "--size 64 --task 8");
  program.named("16x16", "--size 256 --task 32");
  program.named("16x128", "--size 2048 --task 256");
  program.named("128x128", "--size 16384 --task 2048");
  program.named("128x1024", "--size 131072 --task 16384");
  program.named("4096x4096", "--size 16777216 --task 2097152");
  program.parse(argc, argv);
  program.require(task % STREAM_LINE == 0, "--task must be a multiple of 8");
  program.require(size % task == 0, "--size must be a multiple of --task");

  Arrays expected(size / task, task, rounds);
  Arrays result(size / task, task, rounds);
  return program.run({
      .prepare = [&] { expected.fill(), result.fill(); },
      .serial = [&] { stream_serial(&expected.program); },
      .parallel = [&] { stream_tasks(&result.program); },
      .same = [&] { return result.same_bits(expected); },
      .verify = [&] { return verify(result); },
  });
}
