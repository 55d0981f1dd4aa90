// SPDX-License-Identifier: Apache-2.0
#include "deps/grids.hpp"

#include "base/sanitized.hpp"
#include "graph/test_ranges.hpp"

using namespace myr;
using namespace myr::graph;
using deps::Tile;

namespace {

constexpr std::uint64_t kBase = 1000;
constexpr int kRounds = base::kIsSanitized ? 100 : 1000;

// A matrix of bytes.
struct Matrix {
  std::uint64_t rows;
  std::uint64_t columns;
  std::uint64_t stride;

  [[nodiscard]] std::uint64_t at(std::uint64_t row, std::uint64_t column) const {
    return kBase + row * stride + column;
  }
  [[nodiscard]] Use row(std::uint64_t i, bool writes = true) const {
    return {at(i, 0), at(i, columns), writes};
  }
  [[nodiscard]] Tile tile(std::uint64_t first_column, std::uint64_t width) const {
    return {at(0, first_column), width, rows, stride};
  }
};

constexpr Matrix kMatrix{.rows = 10, .columns = 8, .stride = 8};
constexpr Matrix kPadded{.rows = 10, .columns = 8, .stride = 11};

}  // namespace

TEST_CASE("tiles cost as much as a row of them, with rows of all columns beside") {
  TestTasks tasks;
  for (const Matrix& matrix : {kMatrix, kPadded}) {
    RangeBench bench(tasks);
    for (int sweep = 0; sweep < 3; ++sweep) {
      for (std::uint64_t i = 0; i < matrix.rows; ++i) CHECK(bench.enter({matrix.row(i)}));
      for (std::uint64_t j = 0; j < 8; j += 2) CHECK(bench.enter_tile(matrix.tile(j, 2), true));
      CHECK(bench.map().grids() == 1);
      CHECK(bench.map().size() == matrix.rows);  // no tile is in fragments
    }
    CHECK(bench.enter({{kBase, matrix.at(10, 0), false}}));
    CHECK(bench.map().grids() == 1);
    CHECK(bench.enter({{kBase, matrix.at(10, 0), true}}));
    CHECK(bench.map().grids() == 0);
    CHECK(bench.enter_tile(matrix.tile(3, 2), false));
  }
}

TEST_CASE("tiles that come first make a grid, too") {
  TestTasks tasks;
  RangeBench bench(tasks);
  for (std::uint64_t j = 0; j < 8; ++j) CHECK(bench.enter_tile(kMatrix.tile(j, 1), j % 2 == 0));
  CHECK(bench.map().grids() == 1);
  CHECK(bench.map().size() == 0);
  for (std::uint64_t i = 0; i < 10; ++i) CHECK(bench.enter({kMatrix.row(i)}));
  CHECK(bench.enter_tile(kMatrix.tile(2, 3), true));
  CHECK(bench.map().grids() == 1);
}

TEST_CASE("tiles of one matrix below each other have a grid each") {
  TestTasks tasks;
  RangeBench bench(tasks);
  for (std::uint64_t i = 0; i < 3; ++i) {
    for (std::uint64_t j = 0; j < 4; ++j) {
      CHECK(bench.enter_tile({kBase + 10 * i * 8 + 2 * j, 2, 10, 8}, (i + j) % 2 == 0));
    }
  }
  CHECK(bench.map().grids() == 3);
  CHECK(bench.map().size() == 0);
}

TEST_CASE("who uses some columns of some rows closes a grid, and waits for these columns alone") {
  TestTasks tasks;
  RangeBench bench(tasks);
  for (std::uint64_t j = 0; j < 8; ++j) CHECK(bench.enter_tile(kMatrix.tile(j, 1), true));
  CHECK(bench.enter({{kMatrix.at(3, 2), kMatrix.at(3, 4), true}}));
  CHECK(bench.reported() == 0b1100);
  CHECK(bench.enter({{kMatrix.at(4, 6), kMatrix.at(5, 1), true}}));  // around a corner
  CHECK(bench.reported() == 0b1100'0001);
  for (std::uint64_t j = 0; j < 8; ++j) CHECK(bench.enter_tile(kMatrix.tile(j, 1), true));
  CHECK(bench.map().size() > 8);  // in fragments, from then on
}

TEST_CASE("a map agrees with a list of all uses of rows, columns and tiles") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::uint64_t bound) { return random() % bound; };
  TestTasks tasks;
  std::size_t grids = 0;
  for (int round = 0; round < kRounds; ++round) {
    CAPTURE(round);
    RangeBench bench(tasks);
    const Matrix matrix{
        .rows = 8 + below(12), .columns = 1 + below(16), .stride = 1 + below(3) + 16};
    const std::uint64_t oddity = below(4) == 0 ? 4 : 40;  // how rare what fits in no grid is
    const auto enter_some = [&] {
      const bool writes = below(3) != 0;
      const auto way = writes && below(3) == 0 ? static_cast<Group>(below(3)) : Group::None;
      const std::uint64_t row = below(matrix.rows);
      const std::uint64_t column = below(matrix.columns);
      const std::uint64_t width = 1 + below(matrix.columns - column);
      switch (below(oddity)) {
        case 0:
          return bench.enter({{matrix.at(row, column), matrix.at(row, column + width), writes}});
        case 1:
          return bench.enter({{kBase + below(100), kBase + 101 + below(100), writes, way}});
        case 2:
          return bench.enter_tile({matrix.at(row, column), width, 9, 2 * matrix.stride}, writes);
        case 3:
          return bench.enter({{kBase, matrix.at(matrix.rows, 0), writes, way}});
        default:
          break;
      }
      if (below(2) == 0) return bench.enter_tile(matrix.tile(column, width), writes, way);
      std::vector<Use> uses;
      for (std::uint64_t i = below(3) + 1; i > 0; --i) {
        uses.push_back(matrix.row(below(matrix.rows), writes));
      }
      return bench.enter(uses);
    };
    while (bench.scenario().count() < Scenario::kTasksMax) {
      REQUIRE(enter_some());
      while (below(3) == 0) bench.scenario().complete_one(below(bench.scenario().count()));
      grids = std::max(grids, bench.map().grids());
    }
  }
  CHECK(grids > 0);
}
