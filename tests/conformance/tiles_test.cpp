// SPDX-License-Identifier: Apache-2.0
//
// docs/semantics.md, "Order": rows, columns and rectangles of a matrix are ordered by the elements
// that they have in common, on every machine.
#include <random>
#include <vector>

#include "support.hpp"

namespace myr::conformance {

namespace {

// Some with a gap behind each row.
struct MatrixShape {
  std::size_t rows, columns, stride;
};
constexpr MatrixShape kMatrixShapes[] = {{24, 10, 10}, {16, 9, 12}, {9, 30, 30}};

// What the next one does depends on what this one did.
void mix_tile(const Tile<unsigned>& part, unsigned salt) {
  for (std::size_t i = 0; i < part.rows; ++i) {
    for (std::size_t j = 0; j < part.columns; ++j) {
      part(i, j) = part(i, j) * 31 + salt + static_cast<unsigned>(i);
    }
  }
}
void sum_up_tile(const Tile<const unsigned>& part, unsigned& sum) {
  for (std::size_t i = 0; i < part.rows; ++i) {
    for (std::size_t j = 0; j < part.columns; ++j) sum = sum * 17 + part(i, j);
  }
}

// Mostly rows and columns as a whole, sometimes any rectangle.
template <class Random>
Tile<unsigned> any_rectangle(const MatrixShape& shape, unsigned* data, Random& random) {
  const std::size_t i = random() % shape.rows;
  const std::size_t j = random() % shape.columns;
  const std::size_t rows = 1 + random() % (shape.rows - i);
  const std::size_t columns = 1 + random() % (shape.columns - j);
  switch (random() % 24) {
    case 0:
      return tile(data + i * shape.stride + j, rows, columns, shape.stride);
    case 1:
      return tile(data, shape.rows, shape.columns, shape.stride);
    default:
      break;
  }
  if (random() % 2 == 0) return tile(data + i * shape.stride, 1, shape.columns, shape.stride);
  return tile(data + j, shape.rows, columns, shape.stride);
}

}  // namespace

TEST_CASE("rows, columns and rectangles of a matrix are used in the order of the program") {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const MatrixShape& shape = kMatrixShapes[seed % 3];
    std::vector<unsigned> parallel(shape.rows * shape.stride, 1);
    std::vector<unsigned> serial = parallel;
    std::vector<unsigned> sums(60);
    std::vector<unsigned> expected(60);
    for (unsigned k = 0; k < 60; ++k) {
      const Tile<unsigned> part = any_rectangle(shape, parallel.data(), random);
      const Tile<unsigned> like = {serial.data() + (part.data - parallel.data()), part.rows,
                                   part.columns, part.stride};
      const Tile<const unsigned> fixed = {like.data, like.rows, like.columns, like.stride};
      if (random() % 3 == 0) {
        spawn([](Tile<const unsigned> read, unsigned& sum) { sum_up_tile(read, sum); },
              in(tile<const unsigned>(part.data, part.rows, part.columns, part.stride)),
              inout(sums[k]));
        sum_up_tile(fixed, expected[k]);
      } else {
        spawn([k](Tile<unsigned> written) { mix_tile(written, k); }, inout(part));
        mix_tile(like, k);
      }
      if (random() % 8 != 0) continue;
      unsigned& element = parallel[random() % parallel.size()];
      wait(in(element));
      CHECK(element == serial[static_cast<std::size_t>(&element - parallel.data())]);
    }
    wait_all();
    CHECK(parallel == serial);
    CHECK(sums == expected);
  }
}

}  // namespace myr::conformance
