// SPDX-License-Identifier: Apache-2.0
//
// Random programs of loops, and of tasks between them, over a few arrays: run as loops by Myrmidon
// and as plain loops by the same thread, with the same result. MYR_ON and MYR_CHAOS choose where.
//
//   myr_random_loops [SEED] [COUNT]     without a seed: from the clock
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <myr/myr.hpp>
#include <span>
#include <vector>

#include "rng.hpp"
#include "seeds.hpp"

namespace myr::random_test {
namespace {

using Word = std::uint64_t;
constexpr unsigned kArrays = 4;

struct LoopWorld {
  std::size_t size;
  std::array<std::vector<Word>, kArrays> arrays;
  std::vector<Word> sums;  // that reductions and commutative loops add to

  friend bool operator==(const LoopWorld&, const LoopWorld&) = default;
};

enum class Kind { Stencil, Tiles, Rows, Strided, Sum, Add, Task, TaskOfLoops, Fails, Wait, kCount };

// One statement; `to` and `from` are arrays.
struct Step {
  Kind kind;
  unsigned to, from;
  Part halo;
  Range range;
  std::size_t width;  // of a row
  std::size_t grain;
  Word salt;
};

Word gather(const Word* from, Range used, Word start) {
  Word value = start;
  for (const std::size_t i : used) value = mix(value, from[i]);
  return value;
}

// The iterations of a step on the world; the same for both runs.
void stencil_iteration(const Step& step, const Word* from, Word* to, std::size_t size,
                       std::size_t i) {
  to[i] = gather(from, step.halo.of({i, i + 1}, size), mix(to[i], step.salt));
}
// Of the array as a matrix; one that is its own source uses only the place itself.
void tile_iteration(const Step& step, const Tile<Word>& from, const Tile<Word>& to, std::size_t i,
                    std::size_t j) {
  const Part halo = step.to == step.from ? part : step.halo;
  Word value = mix(to(i, j), step.salt);
  for (const std::size_t row : halo.of({i, i + 1}, from.rows)) {
    const Word* const first = from.data + row * from.stride;
    value = gather(first, halo.of({j, j + 1}, from.columns), value);
  }
  to(i, j) = value;
}
Tile<Word> matrix_of(const Step& step, std::vector<Word>& array) {
  return tile(array.data(), array.size() / step.width, step.width, step.width);
}
void row_iteration(const Step& step, Word* row, std::size_t i) {
  row[i] = mix(row[i], step.salt + i);
}
void strided_iteration(const Step& step, Word* pairs, std::size_t i) {
  pairs[2 * i] = mix(pairs[2 * i + 1], step.salt);
  pairs[2 * i + 1] += i;
}
void task_body(const Step& step, const Word* from, Word* to) {
  to[step.range.from] = gather(from, step.range, step.salt);
}

// ---- serially -----------------------------------------------------------------------------------

// `thrown`: what the next wait would throw; 0 is nothing.
void run_plainly(const Step& step, LoopWorld& world, int& thrown) {
  const Word* from = world.arrays[step.from].data();
  Word* to = world.arrays[step.to].data();
  Word& sum = world.sums[step.to];
  switch (step.kind) {
    case Kind::TaskOfLoops:
    case Kind::Stencil:
      for (std::size_t i : step.range) stencil_iteration(step, from, to, world.size, i);
      if (step.kind == Kind::Stencil) break;
      for (std::size_t i : step.range) row_iteration(step, to, i);
      break;
    case Kind::Tiles: {
      const Tile<Word> source = matrix_of(step, world.arrays[step.from]);
      const Tile<Word> target = matrix_of(step, world.arrays[step.to]);
      for (std::size_t i = 0; i < target.rows; ++i) {
        for (std::size_t j = 0; j < target.columns; ++j) tile_iteration(step, source, target, i, j);
      }
      break;
    }
    case Kind::Rows:
      for (std::size_t r = 0; r < world.size / step.width; ++r) {
        for (std::size_t i = 0; i < step.width; ++i) row_iteration(step, to + r * step.width, i);
        to[r * step.width] = gather(to + r * step.width, {0, step.width}, r);
      }
      break;
    case Kind::Strided:
      for (std::size_t i = 0; i < world.size / 2; ++i) strided_iteration(step, to, i);
      break;
    case Kind::Sum:
    case Kind::Add:
      for (std::size_t i : step.range) sum += mix(from[i], step.salt);
      break;
    case Kind::Task:
      task_body(step, from, to);
      break;
    case Kind::Fails:
      if (thrown == 0) thrown = static_cast<int>(step.salt % 1000 + 1);
      break;
    case Kind::Wait:
      thrown = 0;
      break;
    case Kind::kCount:
      break;
  }
}

// ---- as loops -----------------------------------------------------------------------------------

void spawn_stencil(const Step& step, const Word* from, Word* to, std::size_t size) {
  const auto body = [=](std::size_t i) { stencil_iteration(step, from, to, size, i); };
  if (step.to == step.from) {
    for_each(step.range, grain(step.grain), inout(std::span(to, size), step.halo), body);
  } else {
    for_each(step.range, in(std::span(from, size), step.halo), inout(to, part), grain(step.grain),
             body);
  }
}

// Each row is a loop of its own, which a row waits for.
void spawn_rows(const Step& step, Word* to, std::size_t size) {
  const std::size_t width = step.width;
  for_each(Range{0, size / width}, inout(tile(to, size / width, width, width), part),
           [=](std::size_t r) {
             Word* const row = to + r * width;
             for_each(Range{0, width}, inout(row, part),
                      [=](std::size_t i) { row_iteration(step, row, i); });
             wait(inout(row, width));
             row[0] = gather(row, {0, width}, r);
           });
}

void spawn_tiles(const Step& step, LoopWorld& world) {
  const Tile<Word> from = matrix_of(step, world.arrays[step.from]);
  const Tile<Word> to = matrix_of(step, world.arrays[step.to]);
  const Range2 all{{0, to.rows}, {0, to.columns}};
  const auto size = tiles(1 + step.salt % 9, 1 + step.salt / 9 % 9);
  const auto body = [=](std::size_t i, std::size_t j) { tile_iteration(step, from, to, i, j); };
  if (step.to == step.from) {
    for_each(all, size, inout(to, part2), body);
  } else {
    for_each(all, in(from, Part2{step.halo, step.halo}), inout(to, part2), size, grain(step.grain),
             body);
  }
}

void spawn_task_of_loops(const Step& step, const Word* from, Word* to, std::size_t size) {
  const auto body = [=](const Word*, Word*) {
    spawn_stencil(step, from, to, size);
    for_each(step.range, inout(to, part), [=](std::size_t i) { row_iteration(step, to, i); });
  };
  spawn(body, in(from, size), inout(to, size));
}

void spawn_step(const Step& step, LoopWorld& world) {
  const Word* from = world.arrays[step.from].data();
  Word* to = world.arrays[step.to].data();
  Word& sum = world.sums[step.to];
  const Word salt = step.salt;
  switch (step.kind) {
    case Kind::Stencil:
      spawn_stencil(step, from, to, world.size);
      break;
    case Kind::TaskOfLoops:
      spawn_task_of_loops(step, from, to, world.size);
      break;
    case Kind::Tiles:
      spawn_tiles(step, world);
      break;
    case Kind::Rows:
      spawn_rows(step, to, world.size);
      break;
    case Kind::Strided:
      for_each(Range{0, world.size / 2},
               by_part([=](Range r) { return inout(to + 2 * r.from, 2 * r.size()); }),
               [=](std::size_t i) { strided_iteration(step, to, i); });
      break;
    case Kind::Sum:
      reduce_each(step.range, reduce(sum, std::plus<>()), in(from, part),
                  [=](std::size_t i) { return mix(from[i], salt); });
      break;
    case Kind::Add:
      for_each(step.range, commutative(sum), in(from, part), grain(step.grain),
               [=, &sum](std::size_t i) { sum += mix(from[i], salt); });
      break;
    case Kind::Task:
      spawn([=](const Word*, Word*) { task_body(step, from, to); }, in(from, world.size),
            inout(to, world.size));
      break;
    case Kind::Fails:
      // Iteration 7 is the first that throws, whatever the others do.
      for_each(Range{0, 200}, [=](std::size_t i) {
        if (i % 60 == 7) throw static_cast<int>(i == 7 ? salt % 1000 + 1 : 5000);
      });
      break;
    case Kind::Wait:
    case Kind::kCount:
      break;
  }
}

// ---- programs -----------------------------------------------------------------------------------

Step random_step(Rng& rng, std::size_t size) {
  Step step{};
  step.kind = static_cast<Kind>(rng.below(static_cast<unsigned>(Kind::kCount)));
  step.to = rng.below(kArrays);
  step.from = rng.below(kArrays);
  if (step.kind == Kind::TaskOfLoops && step.to == step.from) step.from = (step.to + 1) % kArrays;
  if (step.kind == Kind::Task && step.to == step.from) step.from = (step.to + 1) % kArrays;
  step.halo = part.grow(rng.below(3), rng.below(3));
  step.range.from = rng.below(static_cast<unsigned>(size));
  step.range.to = step.range.from + 1 + rng.below(static_cast<unsigned>(size - step.range.from));
  step.width = 1 + rng.below(static_cast<unsigned>(std::min<std::size_t>(size, 40)));
  step.grain = rng.chance(30) ? 0 : 1 + rng.below(20);
  step.salt = rng.next();
  return step;
}

// True: both runs ended alike.
bool run_program(std::uint64_t seed) {
  Rng rng(seed);
  LoopWorld world;
  world.size = 2 + rng.below(rng.chance(20) ? 3000 : 200);
  for (auto& array : world.arrays) {
    for (std::size_t i = 0; i < world.size; ++i) array.push_back(rng.next());
  }
  world.sums.assign(kArrays, 0);
  LoopWorld expected = world;
  int wanted = 0;
  bool right = true;
  const auto wait_and_compare = [&] {
    int thrown = 0;
    try {
      wait_all();
    } catch (int number) {
      thrown = number;
    }
    right = right && thrown == wanted && world == expected;
  };
  const unsigned steps = 1 + rng.below(25);
  for (unsigned i = 0; i < steps && right; ++i) {
    const Step step = random_step(rng, world.size);
    spawn_step(step, world);
    if (step.kind == Kind::Wait) wait_and_compare();
    run_plainly(step, expected, wanted);
  }
  wait_and_compare();
  return right;
}

}  // namespace
}  // namespace myr::random_test

int main(int argc, char** argv) {
  return myr::random_test::run_seeds(argc, argv, 60, myr::random_test::run_program);
}
