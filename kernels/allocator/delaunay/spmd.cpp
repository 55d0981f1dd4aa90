// SPDX-License-Identifier: Apache-2.0
//
// The grid of the Myrmics allocator paper (squares.hpp) as an SPMD program, as it is there: four
// squares for each worker, whose number is a power of four. Worker 0 inserts the first points into
// the whole plane. Then four workers have a quadrant each and insert more, then sixteen, and so on.
// After each round the squares are dealt out anew, to the right, down and to the left: regions go
// from worker to worker. In the end worker 0 has all squares, and inserts what is left.
#include <fmt/core.h>
#include <myr/spmd.h>

#include <array>
#include <bit>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "allocator/delaunay/check.hpp"
#include "allocator/delaunay/input.hpp"
#include "allocator/delaunay/serial.hpp"
#include "allocator/delaunay/squares.hpp"
#include "common/command_line.hpp"
#include "common/workers.hpp"

namespace delaunay {
namespace {

// A grid as worker 0 shows it to others: an object. Regions and squares follow.
struct Layout {
  std::size_t levels;
  std::size_t side;
  Point low;
  double width;
  std::size_t points;
};

std::size_t region_count(std::size_t levels) {
  return ((std::size_t{4} << (2 * levels)) - 1) / 3;  // 1 + 4 + ... + 4^levels
}

void send_grid(const Grid& grid, std::size_t points) {
  const std::size_t levels = grid.regions.size() - 1;
  const std::size_t regions = region_count(levels);
  void* object = myr_alloc(
      sizeof(Layout) + regions * sizeof(myr_region) + grid.squares.size() * sizeof(Square*),
      MYR_ROOT);
  auto* const layout = new (object) Layout{levels, grid.side, grid.low, grid.width, points};
  auto* region = reinterpret_cast<myr_region*>(layout + 1);
  for (const auto& level : grid.regions) {
    for (const myr::Region one : level) *region++ = one.id();
  }
  std::copy(grid.squares.begin(), grid.squares.end(), reinterpret_cast<Square**>(region));
  for (unsigned worker = 1; worker < myr_worker_count(); ++worker) {
    myr_spmd_send(worker, nullptr, 0, &object, 1);
  }
  myr_free(object);
}

std::size_t receive_grid(Grid& grid) {
  void* object = nullptr;
  myr_spmd_receive(0, nullptr, 0, &object, 1);
  const auto& layout = *static_cast<Layout*>(object);
  grid.side = layout.side;
  grid.low = layout.low;
  grid.width = layout.width;
  const auto* region = reinterpret_cast<const myr_region*>(&layout + 1);
  for (std::size_t level = 0; level <= layout.levels; ++level) {
    std::vector<myr::Region>& regions = grid.regions.emplace_back();
    for (std::size_t i = 0; i < std::size_t{1} << (2 * level); ++i) {
      regions.emplace_back(*region++);
    }
  }
  auto* const* squares = reinterpret_cast<Square* const*>(region);
  grid.squares.assign(squares, squares + layout.side * layout.side);
  return layout.points;
}

// Which worker has an area of a level, of which there are 2^depth in a row: those of a quadrant
// have numbers that follow each other.
unsigned owner_of(int depth, std::size_t column, std::size_t row) {
  unsigned area = 0;
  for (int bit = depth - 1; bit >= 0; --bit) {
    area = area * 4 + static_cast<unsigned>((row >> bit & 1) * 2 + (column >> bit & 1));
  }
  return area * (myr_worker_count() >> (2 * depth));
}

// The rounds of one worker.
class Rounds {
 public:
  explicit Rounds(Grid& grid) : grid_(grid), holders_(grid.squares.size(), 0) {}

  // A level whose areas have so many points inserted in each square, and its turns.
  void refine_level(int depth, std::size_t points_max) {
    constexpr std::array<Place, 4> kTurns{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
    for (const Place& turn : kTurns) {
      deal_out(depth, turn);
      refine_own(depth, turn, points_max);
    }
  }
  void bring_all_to_first() {
    std::map<unsigned, std::vector<myr_region>> moves;
    for (std::size_t i = 0; i < holders_.size(); ++i) {
      if (holders_[i] != 0) moves[holders_[i]].push_back(grid_.regions.back()[i].id());
    }
    for (auto& [from, regions] : moves) move(from, 0, regions);
  }

 private:
  [[nodiscard]] static unsigned owner_after(int depth, Place turn, std::size_t x, std::size_t y) {
    const std::size_t last = (std::size_t{1} << depth) - 1;
    return owner_of(depth, std::min((x + turn.column) / 2, last),
                    std::min((y + turn.row) / 2, last));
  }
  static void move(unsigned from, unsigned to, std::vector<myr_region>& regions) {
    if (myr_worker_index() == from) {
      myr_spmd_send(to, regions.data(), regions.size(), nullptr, 0);
    } else if (myr_worker_index() == to) {
      myr_spmd_receive(from, regions.data(), regions.size(), nullptr, 0);
    }
  }

  // The regions below the areas of a level go where they are needed. All workers make the same
  // list, and each goes through it in order: so nobody waits for ever.
  void deal_out(int depth, Place turn) {
    const std::size_t row_length = std::size_t{2} << depth;
    const std::size_t scale = grid_.side / row_length;
    std::map<std::pair<unsigned, unsigned>, std::vector<myr_region>> moves;
    for (std::size_t y = 0; y < row_length; ++y) {
      for (std::size_t x = 0; x < row_length; ++x) {
        const unsigned from = holders_[y * scale * grid_.side + x * scale];
        const unsigned to = owner_after(depth, turn, x, y);
        if (from == to) continue;
        const auto level = static_cast<std::size_t>(depth) + 1;
        moves[{from, to}].push_back(grid_.regions[level][y * row_length + x].id());
        for (std::size_t i = 0; i < scale * scale; ++i) {
          holders_[(y * scale + i / scale) * grid_.side + x * scale + i % scale] = to;
        }
      }
    }
    for (auto& [pair, regions] : moves) move(pair.first, pair.second, regions);
  }

  // Areas that the turn has cut at the border are smaller.
  void refine_own(int depth, Place turn, std::size_t points_max) {
    const std::size_t row_length = std::size_t{2} << depth;
    const std::size_t scale = grid_.side / row_length;
    const auto first = [](std::size_t area, std::size_t by) {
      return 2 * area - std::min(2 * area, by);
    };
    const auto end = [&](std::size_t area, std::size_t by) {
      return std::min(2 * area + 2 - by, row_length);
    };
    for (std::size_t row = 0; row < row_length / 2 + turn.row; ++row) {
      for (std::size_t column = 0; column < row_length / 2 + turn.column; ++column) {
        const Place low{first(column, turn.column), first(row, turn.row)};
        if (owner_after(depth, turn, low.column, low.row) != myr_worker_index()) continue;
        const Place high{end(column, turn.column), end(row, turn.row)};
        refine_area(grid_, {{low.column * scale, low.row * scale},
                            {high.column * scale, high.row * scale},
                            points_max});
      }
    }
  }

  Grid& grid_;
  std::vector<unsigned> holders_;  // of each square
};

std::size_t put_off_in(const Grid& grid) {
  std::size_t put_off = 0;
  for (const Square* square : grid.squares) put_off += square->put_off;
  return put_off;
}

int report(const Grid& grid, std::span<const Vertex> input, double seconds, bool checks) {
  fmt::print(
      R"({{"bench": "delaunay", "workers": {}, "points": {}, "put_off": {}, "run_s": {:.6f}}})"
      "\n",
      myr_worker_count(), input.size(), put_off_in(grid), seconds);
  if (!checks) return 0;
  const SerialMesh serial = triangulate_serial(input);
  if (triangle_list(grid.hull) == triangle_list(serial.hull)) return 0;
  fmt::print(stderr, "WRONG: these are not the triangles of the serial program\n");
  return 1;
}

int run(std::size_t count, std::uint64_t seed, std::size_t area_points, bool checks) {
  const int levels = std::countr_zero(myr_worker_count()) / 2 + 1;
  std::vector<Vertex> input;
  std::unique_ptr<Grid> grid;
  std::size_t points = 0;
  if (myr_worker_index() == 0) {
    input = distinct_vertices(random_points(count, seed));
    grid = make_grid(input, levels);
    points = input.size();
    send_grid(*grid, points);
  } else {
    grid = std::make_unique<Grid>();
    points = receive_grid(*grid);
  }
  myr_spmd_barrier();
  const kernels::Stopwatch watch;
  if (myr_worker_index() == 0) refine_all(*grid, 1 + area_points / grid->squares.size());
  Rounds rounds(*grid);
  for (int depth = 1; depth < levels; ++depth) {
    const std::size_t squares_of_area = grid->squares.size() >> (2 * depth);
    const bool is_last = depth + 1 == levels;
    rounds.refine_level(depth, is_last ? points : 1 + area_points / squares_of_area);
  }
  rounds.bring_all_to_first();
  if (myr_worker_index() != 0) return 0;
  refine_all(*grid, points);
  return report(*grid, input, watch.seconds(), checks);
}

}  // namespace
}  // namespace delaunay

int main(int argc, char** argv) {
  std::size_t points = 20'000;
  std::uint64_t seed = 1;
  std::size_t area_points = 2'000;
  bool checks = false;
  kernels::CommandLine line(
      "Delaunay triangulation on a grid, an SPMD program with a region a square.");
  line.add_number("--size", &points, "random points", 3, 100'000'000);
  line.add("--seed", &seed, "of the random points");
  line.add_count("--task", &area_points, "points of an area before it is divided", 100'000'000);
  line.add_flag("--check", &checks, "compare the triangles with the serial program's");
  line.parse(argc, argv);
  const unsigned workers = myr_worker_count();
  if (std::has_single_bit(workers) && std::countr_zero(workers) % 2 == 0) {
    return delaunay::run(points, seed, area_points, checks);
  }
  fmt::print(stderr, "delaunay: the number of workers must be a power of four\n");
  return 1;
}
