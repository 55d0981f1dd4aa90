// SPDX-License-Identifier: Apache-2.0
//
// European options after Black and Scholes: generates a market, prices it with and without tasks,
// and checks the prices by the error function and by the parity of puts and calls.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "bddt/black_scholes/black_scholes.h"
#include "common/blocks.hpp"
#include "common/program.hpp"
#include "common/random.hpp"

namespace {

constexpr std::uint64_t kSeed = 1973;
constexpr double kPolynomialError = 7.5e-8;  // of the normal distribution in work.c
constexpr double kParityError = 1e-12;

struct Market {
  Market(std::size_t block_count, std::size_t block_size)
      : options(block_count, block_size), prices(block_count, block_size) {
    program = {block_count,           block_size,          options.data(), prices.data(),
               options.region().id(), prices.region().id()};
  }
  kernels::Blocks<option> options;
  kernels::Blocks<double> prices;
  black_scholes program;
};

// In pairs: a call, then the put of the same contract. The ranges are those of PARSEC's input.
void generate(const Market& market) {
  kernels::Random random(kSeed);
  const auto between = [&](double low, double high) {
    return low + (high - low) * random.uniform();
  };
  option contract{};
  bool second = false;
  for (std::size_t block = 0; block < market.program.block_count; ++block) {
    for (std::size_t i = 0; i < market.program.block_size; ++i, second = !second) {
      if (!second) {
        const double spot = between(20, 150);
        contract = {.spot = spot,
                    .strike = spot * between(0.5, 1.5),
                    .rate = between(0.025, 0.1),
                    .volatility = between(0.05, 0.65),
                    .years = between(0.05, 1),
                    .kind = OPTION_CALL};
      }
      contract.kind = second ? OPTION_PUT : OPTION_CALL;
      market.options[block][i] = contract;
    }
  }
}

double normal_distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// The formula once more, with the error function of the C library.
double closed_form(const option& o) {
  const double deviation = o.volatility * std::sqrt(o.years);
  const double d1 = (std::log(o.spot / o.strike) + o.rate * o.years) / deviation + deviation / 2;
  const double sign = o.kind == OPTION_CALL ? 1 : -1;
  return sign *
         (o.spot * normal_distribution(sign * d1) -
          o.strike * std::exp(-o.rate * o.years) * normal_distribution(sign * (d1 - deviation)));
}

std::string describe(const char* what, std::size_t index, double error) {
  return std::string(what) + " of option " + std::to_string(index) + " is off by " +
         std::to_string(error);
}

// Comparisons are written so that a price that is not a number fails.
std::string verify(const Market& market) {
  const std::size_t size = market.program.block_size;
  double call = 0;
  for (std::size_t n = 0; n < market.program.block_count * size; ++n) {
    const option& o = market.options[n / size][n % size];
    const double price = market.prices[n / size][n % size];
    const double scale = o.spot + o.strike;
    const double error = std::abs(price - closed_form(o));
    if (!(error <= kPolynomialError * scale)) return describe("the price", n, error);
    if (o.kind == OPTION_CALL) {
      call = price;
      continue;
    }
    const double parity = call - price - (o.spot - o.strike * std::exp(-o.rate * o.years));
    if (!(std::abs(parity) <= kParityError * scale)) return describe("the parity", n, parity);
  }
  return "";
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("black_scholes", "Prices of European options, a task for each block");
  std::size_t size = 1 << 21;
  std::size_t task = 512;
  program.option("size", size, {1, 1 << 26}, "options, a multiple of the block's");
  program.option("task", task, {1, 1 << 20}, "options of a block");
  program.named("2M-B512", "--size 2097152 --task 512");  // paper 3; the others: paper 4
  for (const int block : {8, 16, 32, 64, 128, 256}) {
    const std::string task_option = " --task " + std::to_string(block);
    program.named("4K-B" + std::to_string(block), "--size 4096" + task_option);
    program.named("16K-B" + std::to_string(block), "--size 16384" + task_option);
  }
  program.parse(argc, argv);
  program.require(size % task == 0, "--size must be a multiple of --task");

  Market expected(size / task, task);
  Market result(size / task, task);
  generate(expected);
  generate(result);
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  return program.run({
      .prepare = [&] { expected.prices.fill(unknown), result.prices.fill(unknown); },
      .serial = [&] { black_scholes_serial(&expected.program); },
      .parallel = [&] { black_scholes_tasks(&result.program); },
      .same = [&] { return result.prices.same_bits(expected.prices); },
      .verify = [&] { return verify(result); },
  });
}
