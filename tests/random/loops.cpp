// SPDX-License-Identifier: Apache-2.0
//
// Random programs of loops, and of tasks between them, over a few arrays: run as loops by Myrmidon
// and as plain loops by the same thread, with the same result. MYR_ON and MYR_CHAOS choose where.
//
//   myr_random_loops [SEED|clock] [COUNT]     without a seed: from the clock
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
  std::array<std::vector<Word>, 2> lists;  // what objects have: two words each
  std::vector<Word> sums;                  // that reductions and commutative loops add to
  std::vector<double> reals;               // the same, in an order that shows

  friend bool operator==(const LoopWorld&, const LoopWorld&) = default;
};

enum class Kind {
  Stencil,
  Tiles,
  Rows,
  Strided,
  Each,      // a loop over lists of objects
  Object,    // a task on one object of each list
  HalfOf,    // a task on half of an object
  Renewed,   // an object is freed, and a new one takes its place
  Together,  // a task that waits for a whole region
  Sum,
  SumInOrder,   // a loop that reduces by operations whose order matters
  Reduce,       // a task that does
  ReduceBelow,  // one whose children do, into what is its own
  Add,
  Task,
  TaskOfLoops,
  Fails,
  Wait,
  kCount
};

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
// An iteration over the array as a matrix; one that is its own source uses only the place itself.
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
// On objects, as their two words; of the other list, those around are read.
Word object_value(const Step& step, Word old, Range used, const auto& word_of) {
  Word value = mix(old, step.salt);
  for (const std::size_t i : used) value = mix(mix(value, word_of(i, 0)), word_of(i, 1));
  return value;
}
Range used_objects(const Step& step, std::size_t i, std::size_t size) {
  if (step.kind == Kind::Object) return {step.range.to - 1, step.range.to};
  return step.halo.of({i, i + 1}, size);
}
void task_body(const Step& step, const Word* from, Word* to) {
  to[step.range.from] = gather(from, step.range, step.salt);
}

// Their order matters: among numbers, and with others.
Word chain(Word a, Word b) { return b == 0 ? a : mix(a, b); }
double number_of(Word word) { return static_cast<double>(word % 9973) / 7; }
double factor_of(const Step& step) { return static_cast<double>(step.salt % 700 + 500) / 900; }
// What loops that reduce add, an iteration at a time.
void add_in_order(const Step& step, const Word* from, std::size_t i, Word& word, double& real) {
  word = chain(word, mix(from[i], step.salt));
  real += number_of(from[i] ^ step.salt);
}
void add_child(const Step& step, std::size_t child, double& own) {
  own += number_of(step.salt * (child + 3));
}
constexpr std::size_t kChildren = 5;

// ---- serially -----------------------------------------------------------------------------------

void run_on_list(const Step& step, LoopWorld& world) {
  std::vector<Word>& to = world.lists[step.to % 2];
  const std::vector<Word>& from = world.lists[1 - step.to % 2];
  const auto word_of = [&](std::size_t i, std::size_t word) { return from[2 * i + word]; };
  const std::size_t end = step.kind == Kind::Each ? step.range.to : step.range.from + 1;
  for (std::size_t i = step.range.from; i < end; ++i) {
    to[2 * i] = object_value(step, to[2 * i], used_objects(step, i, world.size), word_of);
  }
}

// In blocks, as docs/user/loops.md says.
void sum_in_order(const Step& step, const Word* from, Word& sum, double& real) {
  const std::size_t size = step.range.size();
  const std::size_t length = std::max(step.grain, (size + 1023) / 1024);
  for (std::size_t at = step.range.from; at < step.range.to; at += length) {
    Word word = 0;
    double own = 0;
    for (const std::size_t i : Range{at, std::min(at + length, step.range.to)}) {
      add_in_order(step, from, i, word, own);
    }
    sum = chain(sum, word);
    real += own;
  }
}

void reduce_plainly(const Step& step, const Word* from, Word& sum, double& real) {
  const bool is_below = step.kind == Kind::ReduceBelow;
  double own = 0;
  for (std::size_t child = 0; is_below && child < kChildren; ++child) {
    double part_of_it = 0;
    add_child(step, child, part_of_it);
    own += part_of_it;
  }
  if (is_below) {
    real += own;
    return;
  }
  sum = step.salt % 2 == 0 ? chain(sum, from[step.range.from]) : sum + from[step.range.from];
  real = step.salt % 3 == 0 ? real * factor_of(step) : real + number_of(from[step.range.from]);
}

// `thrown`: what the next wait would throw; 0 is nothing.
void run_plainly(const Step& step, LoopWorld& world, int& thrown) {
  const Word* from = world.arrays[step.from].data();
  Word* to = world.arrays[step.to].data();
  Word& sum = world.sums[step.to];
  double& real = world.reals[step.to];
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
    case Kind::Each:
    case Kind::Object:
      run_on_list(step, world);
      break;
    case Kind::HalfOf:
      world.lists[step.to % 2][2 * step.range.from + 1] += step.salt;
      break;
    case Kind::Together:
      for (std::size_t i = 0; i < world.size; ++i) sum += world.lists[step.to % 2][2 * i];
      break;
    case Kind::Renewed:
      break;
    case Kind::SumInOrder:
      sum_in_order(step, from, sum, real);
      break;
    case Kind::Reduce:
    case Kind::ReduceBelow:
      reduce_plainly(step, from, sum, real);
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
    for_each(grain(step.grain), step.range, inout(std::span(to, size), step.halo), body);
  } else {
    for_each(grain(step.grain), step.range, in(std::span(from, size), step.halo), inout(to, part),
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
    for_each(size, all, inout(to, part), body);
  } else {
    for_each(size, grain(step.grain), all, in(from, step.halo), inout(to, part), body);
  }
}

void spawn_task_of_loops(const Step& step, const Word* from, Word* to, std::size_t size) {
  const auto body = [=](const Word*, Word*) {
    spawn_stencil(step, from, to, size);
    for_each(step.range, inout(to, part), [=](std::size_t i) { row_iteration(step, to, i); });
  };
  spawn(body, in(from, size), inout(to, size));
}

void spawn_sum_in_order(const Step& step, const Word* from, Word& sum, double& real) {
  const auto body = [=](std::size_t i, Word& word, double& own) {
    add_in_order(step, from, i, word, own);
  };
  const auto into_sum = reduce(sum, chain, Word{0});
  const auto into_real = reduce(real, std::plus<>());
  if (step.grain == 0) {
    for_each(step.range, into_sum, in(from, part), into_real, body);
  } else {
    for_each(grain(step.grain), step.range, into_sum, into_real, in(from, part), body);
  }
}

void spawn_reduction(const Step& step, const Word* from, Word& sum, double& real) {
  const auto body = [step](const Word& value, Word& word, double& own) {
    word = value;
    own = step.salt % 3 == 0 ? factor_of(step) : number_of(value);
  };
  const auto with = [&](const auto& into_sum) {
    if (step.salt % 3 == 0) {
      spawn(body, in(from[step.range.from]), into_sum, reduce(real, std::multiplies<>()));
    } else {
      spawn(body, in(from[step.range.from]), into_sum, reduce(real, std::plus<>()));
    }
  };
  if (step.salt % 2 == 0) {
    with(reduce(sum, chain, Word{0}));
  } else {
    with(reduce(sum, std::plus<>()));
  }
}

void spawn_reduction_below(const Step& step, double& real) {
  const auto body = [step](double& own) {
    for (std::size_t child = 0; child < kChildren; ++child) {
      spawn([step, child](double& o) { add_child(step, child, o); }, reduce(own, std::plus<>()));
    }
    wait(in(own));
  };
  spawn(body, reduce(real, std::plus<>()));
}

// ---- objects ------------------------------------------------------------------------------------

// The objects of the lists: each list in a region of its own. Their two words are the first of each
// half.
class Objects {
 public:
  static constexpr std::size_t kWords = 16, kHalf = 8;

  // Not all side by side: some were made later than those behind them.
  Objects(const LoopWorld& world, Rng& rng) {
    for (std::size_t list = 0; list < lists_.size(); ++list) {
      lists_[list].resize(world.size);
      std::vector<std::size_t> order(world.size);
      for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
      const bool mixes = rng.chance(30);
      for (std::size_t i = 0; mixes && i < order.size(); ++i) {
        if (rng.chance(20)) std::swap(order[i], order[rng.below(static_cast<unsigned>(i + 1))]);
      }
      for (const std::size_t i : order) make(world, list, i);
    }
  }
  ~Objects() {
    for (Region& region : regions_) region.free();
  }
  Objects(const Objects&) = delete;
  Objects& operator=(const Objects&) = delete;

  void copy_to(LoopWorld& world) const {
    for (std::size_t list = 0; list < lists_.size(); ++list) {
      for (std::size_t i = 0; i < world.size; ++i) {
        world.lists[list][2 * i] = lists_[list][i][0];
        world.lists[list][2 * i + 1] = lists_[list][i][kHalf];
      }
    }
  }
  void spawn_step(const Step& step, Word& sum);

 private:
  void make(const LoopWorld& world, std::size_t list, std::size_t i) {
    Word*& object = lists_[list][i];
    object = regions_[list].make_array<Word>(kWords);
    object[0] = world.lists[list][2 * i];
    object[kHalf] = world.lists[list][2 * i + 1];
  }
  void renew(std::size_t list, std::size_t i) {
    Word*& object = lists_[list][i];
    wait(inout(object));
    const Word words[2] = {object[0], object[kHalf]};
    destroy(object);
    object = regions_[list].make_array<Word>(kWords);
    object[0] = words[0];
    object[kHalf] = words[1];
  }

  std::array<Region, 2> regions_{Region::create(), Region::create()};
  std::array<std::vector<Word*>, 2> lists_;
};

void Objects::spawn_step(const Step& step, Word& sum) {
  const std::size_t list = step.to % 2;
  Word** const to = lists_[list].data();
  Word** const from = lists_[1 - list].data();
  const std::size_t size = lists_[list].size();
  const std::size_t first = step.range.from;
  const auto run = [=](std::size_t i) {
    const auto word_of = [=](std::size_t j, std::size_t word) { return from[j][word * kHalf]; };
    to[i][0] = object_value(step, to[i][0], used_objects(step, i, size), word_of);
  };
  switch (step.kind) {
    case Kind::Each:
      for_each(grain(step.grain), step.range, in(each(from, size), step.halo),
               inout(each(to, size), part), run);
      break;
    case Kind::Object:
      spawn([=](const Word*, Word*) { run(first); }, in(from[step.range.to - 1]), inout(to[first]));
      break;
    case Kind::HalfOf:
      spawn([=](Word* half) { *half += step.salt; }, inout(to[first] + kHalf, kWords - kHalf));
      break;
    case Kind::Together:
      spawn(
          uses(in(regions_[list])),
          [=](Word& total) {
            for (std::size_t i = 0; i < size; ++i) total += to[i][0];
          },
          inout(sum));
      break;
    default:
      renew(list, first);
      break;
  }
}

void spawn_step(const Step& step, LoopWorld& world, Objects& objects) {
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
    case Kind::Each:
    case Kind::Object:
    case Kind::HalfOf:
    case Kind::Renewed:
    case Kind::Together:
      objects.spawn_step(step, sum);
      break;
    case Kind::Sum:
      reduce_each(step.range, reduce(sum, std::plus<>()), in(from, part),
                  [=](std::size_t i) { return mix(from[i], salt); });
      break;
    case Kind::SumInOrder:
      spawn_sum_in_order(step, from, sum, world.reals[step.to]);
      break;
    case Kind::Reduce:
      spawn_reduction(step, from, sum, world.reals[step.to]);
      break;
    case Kind::ReduceBelow:
      spawn_reduction_below(step, world.reals[step.to]);
      break;
    case Kind::Add:
      for_each(grain(step.grain), step.range, commutative(sum), in(from, part),
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
  for (auto& list : world.lists) {
    for (std::size_t i = 0; i < 2 * world.size; ++i) list.push_back(rng.next());
  }
  world.sums.assign(kArrays, 0);
  world.reals.assign(kArrays, 1);
  Objects objects(world, rng);
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
    objects.copy_to(world);
    right = right && thrown == wanted && world == expected;
  };
  const unsigned steps = 1 + rng.below(25);
  for (unsigned i = 0; i < steps && right; ++i) {
    const Step step = random_step(rng, world.size);
    spawn_step(step, world, objects);
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
