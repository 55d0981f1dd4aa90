// SPDX-License-Identifier: Apache-2.0
//
// The regions of a mixed random program: a plot is a region with arrays and further plots in it,
// each of these in a region of its own. A task that holds a plot's region tends it: it makes and
// frees arrays and plots, hands parts of it to children, cancels what nobody looks at again.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "mixed_arrays.hpp"

namespace myr::random_test {

struct Plot {
  static constexpr std::size_t kArrays = 6;
  static constexpr std::size_t kKept = 3;  // arrays that live as long as the plot
  static constexpr std::size_t kBelow = 3;

  Region region;  // around the plot
  Word sum = 0;   // of what its holders have seen
  std::array<Array, kArrays> arrays{};
  std::array<Plot*, kBelow> below{};
  std::array<Region, kBelow> below_regions{};  // known before what is in them
};

[[nodiscard]] inline Word digest_plot(const Plot* plot) {
  Word sum = plot->sum;
  for (const Array& array : plot->arrays) sum = sum * 37 + digest(array.words, array.count);
  for (const Plot* const below : plot->below) {
    if (below != nullptr) sum = sum * 41 + digest_plot(below);
  }
  return sum;
}

template <class How>
class Plots {
 public:
  // A plot with plots below it, `depth` deep at most.
  static Plot* make(Region parent, Word salt, Word depth) {
    Dice dice(salt);
    const Region region = How::new_region(parent);
    Plot* const plot = How::template make<Plot>(region);
    plot->region = region;
    for (Array& array : plot->arrays) array = new_array(region, dice);
    if (depth == 0) return plot;
    for (std::size_t i = 0; i < Plot::kBelow; ++i) {
      if (dice.one_in(3)) add_below(*plot, i, dice.next(), depth - 1);
    }
    return plot;
  }

  // Spawns the tending of a plot whose region the caller holds, as `plot` and `region` say.
  static void spawn_tend(Region region, Plot* plot, Word salt, Word depth, bool is_safe) {
    How::spawn(tend, inout(region), plot, salt, depth, is_safe);
  }
  static void spawn_read(Region region, const Plot* plot, Word depth, Word& result) {
    How::spawn(read, in(region), plot, depth, inout(result));
  }

  // Holds the region, or is main after a wait for it.
  static void tend_memory(Plot& plot, Dice& dice, Word depth) {
    const std::size_t i = dice.below(Plot::kBelow);
    if (plot.below[i] == nullptr) {
      if (dice.one_in(3)) add_below(plot, i, dice.next(), depth > 0 ? depth - 1 : 0);
    } else if (dice.one_in(4)) {
      remove_below(plot, i);
    }
    if (dice.one_in(3)) {
      Array& array = plot.arrays[Plot::kKept + dice.below(Plot::kArrays - Plot::kKept)];
      How::free_words(array.words);
      array = new_array(plot.region, dice);
    }
  }

  // A region that tasks use, whole or an array in it, until one of them cancels it; then it is
  // freed. No task looks at its content. The caller holds `around`.
  static void cancelled_scratch(Region around, Dice& dice) {
    const Region scratch = How::new_region(around);
    const Array array = new_array(scratch, dice);
    const Word count = 1 + dice.below(8);
    const Word which = dice.below(count);
    const bool whole = dice.one_in(2);
    for (Word i = 0; i < count; ++i) {
      const auto work = [array, scratch, i, which] {
        How::spawn(stir, inout(array.words), array.count, i);
        if (i == which) How::cancel(scratch);
      };
      const auto part = [scratch, i, which](Word* words, Word words_count) {
        stir(words, words_count, i);
        if (i == which) How::cancel(scratch);
      };
      if (whole) {
        How::spawn(uses(inout(scratch)), work);
      } else {
        How::spawn(part, inout(array.words), array.count);
      }
    }
    if (dice.one_in(3)) How::cancel(scratch);
    How::free_region(scratch);
  }

 private:
  static Array new_array(Region region, Dice& dice) {
    const Word size = dice.below(40);
    const Word count = 1 + dice.below(size < 24    ? 16
                                      : size < 38  ? 300
                                      : size == 38 ? 6000
                                                   : 60'000);
    Array array{dice.one_in(5) ? How::new_blocks(region, count) : How::new_words(region, count),
                count};
    fill(array.words, count, dice.next());
    return array;
  }
  static void add_below(Plot& plot, std::size_t i, Word salt, Word depth) {
    plot.below[i] = make(plot.region, salt, depth);
    plot.below_regions[i] = plot.below[i]->region;
  }
  static void remove_below(Plot& plot, std::size_t i) {
    How::free_region(plot.below_regions[i]);
    plot.below[i] = nullptr;
  }

  static void tend(Region, Plot* plot, Word salt, Word depth, bool is_safe) {
    Dice dice(salt);
    const Word rounds = 1 + dice.below(3);
    for (Word round = 1; round <= rounds; ++round) {
      plot->sum = plot->sum * 11 + salt;
      if (dice.one_in(3)) stir(plot->arrays[0].words, plot->arrays[0].count, plot->sum | 1);
      tend_memory(*plot, dice, depth);
      hand_out(*plot, dice, depth, is_safe);
      if (round == rounds && dice.one_in(2)) return;  // its children go on
      plot->sum += How::wait_all();
    }
  }
  // Spawns children, and touches what they use only behind waits for it.
  static void hand_out(Plot& plot, Dice& dice, Word depth, bool is_safe) {
    const Array some = plot.arrays[dice.below(Plot::kArrays)];
    ArraySteps<How> steps(dice, plot.arrays, is_safe);
    for (Word steps_left = dice.below(8); steps_left > 0; --steps_left) {
      const std::size_t i = dice.below(Plot::kBelow);
      if (dice.one_in(12)) {
        cancelled_scratch(plot.region, dice);
      } else if (depth > 0 && plot.below[i] != nullptr && dice.one_in(3)) {
        hand_out_below(plot, i, dice, depth, is_safe);
      } else {
        steps.take();
      }
      if (dice.one_in(7)) {
        How::wait(inout(some.words));
        stir(some.words, some.count, digest(some.words, some.count) | 1);
      }
    }
  }
  static void hand_out_below(Plot& plot, std::size_t i, Dice& dice, Word depth, bool is_safe) {
    const Region region = plot.below_regions[i];
    if (!dice.one_in(10)) {
      return spawn_tend(region, plot.below[i], dice.next(), depth - 1, is_safe);
    }
    // A task that does not hold it cancels it. No task looks at its content again: another one is
    // made in its place.
    plot.sum += How::wait_all();
    spawn_tend(region, plot.below[i], dice.next(), depth - 1, false);
    How::spawn([region](Word*) { How::cancel(region); }, inout(plot.arrays[0].words));
    spawn_tend(region, plot.below[i], dice.next(), depth - 1, false);
    How::wait(inout(plot.arrays[0].words));  // before the region is gone
    remove_below(plot, i);
    add_below(plot, i, dice.next(), depth - 1);
  }

  // Adds up the plot; the plots below it are read by children.
  static void read(Region, const Plot* plot, Word depth, Word& result) {
    if (depth == 0) {
      result += digest_plot(plot);
      return;
    }
    Word sums[Plot::kBelow] = {};
    for (std::size_t i = 0; i < Plot::kBelow; ++i) {
      const Plot* const below = plot->below[i];
      if (below != nullptr) spawn_read(plot->below_regions[i], below, depth - 1, sums[i]);
    }
    Word own = plot->sum;
    for (const Array& array : plot->arrays) own = own * 31 + digest(array.words, array.count);
    How::wait(in(sums));
    for (const Word sum : sums) own = own * 43 + sum;
    result += own;
  }
};

}  // namespace myr::random_test
