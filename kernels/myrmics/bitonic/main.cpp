// SPDX-License-Identifier: Apache-2.0
//
// The bitonic sort kernel: options, input, both versions and the check. See README.md.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "chip/place_data.hpp"
#include "common/program.hpp"
#include "common/random.hpp"
#include "myrmics/bitonic/bitonic.h"

namespace {

constexpr std::uint64_t kSeed = 2012;

// Any integers; every fourth from a small range, so that many are equal.
std::vector<int> random_numbers(std::size_t count) {
  kernels::Random random(kSeed);
  std::vector<int> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto any = static_cast<int>(random.next() >> 32);
    numbers[i] = i % 4 == 0 ? any % 1000 : any;
  }
  return numbers;
}

void fill(const bitonic& data, const std::vector<int>& numbers) {
  for (std::size_t i = 0; i < data.tile_total; ++i) {
    std::copy_n(&numbers[i * data.tile_size], data.tile_size, bitonic_tile(&data, 0, i));
  }
}

void spread(const bitonic& data, std::int64_t cycles) {
  std::vector<kernels::DataPlacement> placements;
  for (std::size_t p = 0; p < data.part_count; ++p) {
    const bitonic_part& part = data.part[p];
    placements.push_back({part.region, {}});
    const std::size_t end = bitonic_first_tile(&data, p + 1) - bitonic_first_tile(&data, p);
    for (std::size_t i = 0; i < end; ++i) {
      placements.back().objects.push_back({part.copy[0].tiles[i], part.copy[1].tiles[i]});
    }
  }
  kernels::place_data(data.region, placements, cycles);
}

std::vector<int> result_of(const bitonic& data) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < data.tile_total; ++i) {
    const int* tile = bitonic_tile(&data, data.sorted, i);
    numbers.insert(numbers.end(), tile, tile + data.tile_size);
  }
  return numbers;
}

std::string verify(std::vector<int> input, const std::vector<int>& output) {
  std::sort(input.begin(), input.end());
  const auto wrong = std::mismatch(input.begin(), input.end(), output.begin());
  if (wrong.first == input.end()) return "";
  return "number " + std::to_string(wrong.first - input.begin()) + " in order is " +
         std::to_string(*wrong.second) + ", not " + std::to_string(*wrong.first);
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("bitonic", "Bitonic sort of random integers");
  std::size_t size = 1 << 20;
  std::size_t tile_size = 4096;
  std::size_t part_count = 4;
  std::int64_t placing = 0;
  program.option("size", size, {2, 1 << 30}, "numbers, a power of two");
  program.option("task", tile_size, {1, 1 << 30}, "numbers in a task, likewise");
  program.option("parts", part_count, {1, 4096},
                 "regions, on which the coarse tasks work, likewise; for loops any number");
  program.option("placing", placing, {0, 1'000'000'000},
                 "cycles of a task that places a tile, on a simulated machine");
  program.parse(argc, argv);
  program.require(kernels::is_power_of_two(size) && kernels::is_power_of_two(tile_size),
                  "--size and --task must be powers of two");
  program.require(size >= tile_size * part_count, "--size is less than --task times --parts");

  const std::vector<int> input = random_numbers(size);
  bitonic expected{};
  expected.tile_total = size / tile_size;
  expected.tile_size = tile_size;
  bitonic result = expected;
  result.part_count = part_count;
  expected.part_count = kernels::is_power_of_two(part_count) ? part_count : 1;
  bitonic_allocate(&expected);
  bitonic_allocate(&result);
  const int status = program.run({
      .prepare =
          [&] {
            fill(expected, input), fill(result, input);
            spread(result, placing);
          },
      .serial = [&] { bitonic_serial(&expected); },
      .parallel = [&] { bitonic_tasks(&result); },
      .same = [&] { return result_of(result) == result_of(expected); },
      .verify = [&] { return verify(input, result_of(result)); },
  });
  bitonic_free(&expected);
  bitonic_free(&result);
  return status;
}
