// SPDX-License-Identifier: Apache-2.0
//
// Tasks of a mixed random program on arrays of words: every kind of access and of task that the
// interface has, on objects whose holder can name them. All closures are bytes, so that the tasks
// may run in any process.
#pragma once

#include <atomic>
#include <functional>
#include <numeric>
#include <span>
#include <string>

#include "mixed_ways.hpp"

namespace myr::random_test {

class Dice {
 public:
  explicit Dice(Word seed) : state_(seed * 2862933555777941757U + 3037000493U) {}
  Word next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 20;
  }
  Word below(Word end) { return next() % end; }
  bool one_in(Word sides) { return below(sides) == 0; }

 private:
  Word state_;
};

struct Array {
  Word* words = nullptr;
  Word count = 0;
};

inline Word digest(const Word* words, Word count) {
  return std::accumulate(words, words + count, Word{17},
                         [](Word sum, Word word) { return sum * 31 + word; });
}
inline void fill(Word* words, Word count, Word salt) {
  for (Word i = 0; i < count; ++i) words[i] = salt + i * 7;
}
inline void stir(Word* words, Word count, Word salt) {
  if (salt % 8 == 0) {
    for (Word i = 0; i < salt % 30'000; ++i) asm volatile("");  // some are slow
  }
  for (Word i = 0; i < count; ++i) words[i] = words[i] * 3 + salt + i;
}
inline void add(Word* words, Word count, Word salt) {
  for (Word i = 0; i < count; ++i) words[i] += salt * (i + 1);
}
inline void add_atomically(Word* words, Word count, Word salt) {
  for (Word i = 0; i < count; ++i) std::atomic_ref(words[i]).fetch_add(salt * (i + 1));
}
inline void mix(const Word* from, Word from_count, Word* to, Word to_count, Word salt) {
  stir(to, to_count, salt + digest(from, from_count));
}
inline void write_from_two(const Word* a, Word a_count, const Word* b, Word b_count, Word* to,
                           Word to_count) {
  fill(to, to_count, digest(a, a_count) ^ digest(b, b_count));
}
inline void stir_and_fail(Word* words, Word count, Word salt) {
  stir(words, count, salt);
  throw Failure("array " + std::to_string(salt));
}

// The tasks of whoever holds some arrays. `How`: AsTasks or AtOnce.
template <class How>
class ArraySteps {
 public:
  // `arrays`: at least two. `is_safe`: nobody cancels the tasks, so they may throw, and
  // complete events of others.
  ArraySteps(Dice& dice, std::span<const Array> arrays, bool is_safe)
      : dice_(dice), arrays_(arrays), is_safe_(is_safe) {}

  // Spawns one task or some, which are different ones for each value of the dice.
  void take() {
    using Step = void (ArraySteps::*)(Array, Array, Word);
    static constexpr Step kSteps[] = {
        &ArraySteps::from_one, &ArraySteps::from_one,  &ArraySteps::from_two, &ArraySteps::anew,
        &ArraySteps::in_turn,  &ArraySteps::together,  &ArraySteps::range,    &ArraySteps::failing,
        &ArraySteps::held,     &ArraySteps::held_long, &ArraySteps::locals,   &ArraySteps::loop,
        &ArraySteps::chain,    &ArraySteps::sum,       &ArraySteps::reduced,  &ArraySteps::overlap,
        &ArraySteps::passed_on};
    const Array a = pick();
    const Array b = pick();
    const Word salt = dice_.next();
    (this->*kSteps[dice_.below(std::size(kSteps))])(a, b, salt);
  }

 private:
  Array pick() { return arrays_[dice_.below(arrays_.size())]; }

  void from_one(Array a, Array b, Word salt) {
    if (a.words == b.words) return;
    if (salt % 4 == 0) {
      How::spawn(priority(static_cast<int>(salt % 3)), mix, in(a.words), a.count, inout(b.words),
                 b.count, salt);
    } else {
      How::spawn(mix, in(a.words), a.count, inout(b.words), b.count, salt);
    }
  }
  void from_two(Array a, Array b, Word) {
    const Array c = pick();
    if (a.words == c.words || b.words == c.words) return;
    How::spawn(write_from_two, in(a.words), a.count, in(b.words), b.count, out(c.words), c.count);
  }
  void anew(Array, Array b, Word salt) { How::spawn(fill, out(b.words), b.count, salt); }
  void in_turn(Array, Array b, Word salt) {
    for (Word i = 0; i < salt % 6; ++i) {
      How::spawn(add, commutative(b.words), b.count, salt + i);
    }
  }
  void together(Array, Array b, Word salt) {
    for (Word i = 0; i < salt % 6; ++i) {
      How::spawn(add_atomically, concurrent(b.words), b.count, salt + i);
    }
  }
  void range(Array, Array b, Word salt) {
    const Word first = dice_.below(b.count);
    const Word count = 1 + dice_.below(b.count - first);
    How::spawn(stir, inout(b.words + first, count), count, salt);
  }
  void failing(Array, Array b, Word salt) {
    if (is_safe_) How::spawn(stir_and_fail, inout(b.words), b.count, salt);
  }

  // Held open by an event: its own, or one that a child completes.
  void held(Array, Array b, Word salt) {
    const auto work = [](Word* words, Word count, Word own) {
      Event event = Event::create();
      stir(words, count, own);
      event.complete();
    };
    const auto alone = [](Word* words, Word count, Word own) { stir(words, count, own); };
    spawn_either(work, alone, inout(b.words), b.count, salt);
  }
  void held_long(Array, Array b, Word salt) {
    const auto finish = [](Word* words, Word count, Word own, myr_event event) {
      stir(words, count, own);
      myr_event_complete(event);
    };
    const auto work = [finish](Word* words, Word count, Word own) {
      myr::spawn(finish, inout(words), count, own, Event::create().release());
    };
    const auto alone = [](Word* words, Word count, Word own) { stir(words, count, own); };
    if (is_safe_) spawn_either(work, alone, inout(b.words), b.count, salt);
  }
  template <class Work, class Alone, class... A>
  static void spawn_either(Work work, Alone alone, A... arguments) {
    if constexpr (How::kHasEvents) {
      How::spawn(work, arguments...);
    } else {
      How::spawn(alone, arguments...);
    }
  }

  // Children write its local variables.
  void locals(Array, Array b, Word salt) {
    const auto work = [salt](Word* words, Word count) {
      Word parts[4] = {};
      for (Word i = 0; i < std::size(parts); ++i) {
        How::spawn([](Word& part, Word own) { stir(&part, 1, own); }, inout(parts[i]), salt + i);
      }
      How::wait(in(parts));
      for (Word i = 0; i < count; ++i) words[i] ^= parts[i % std::size(parts)];
    };
    How::spawn(work, inout(b.words), b.count);
  }

  void loop(Array, Array b, Word salt) {
    Word* const words = b.words;
    const auto body = [words, salt](std::size_t i) { stir(words + i, 1, salt | 1); };
    if (salt % 2 == 0) {
      How::for_each(grain(1 + salt % 60), Range{0, b.count}, inout(words, part), body);
    } else {
      How::for_each(Range{0, b.count}, inout(words, part), body);
    }
  }
  // Each iteration uses what the one before it has written.
  void chain(Array, Array b, Word salt) {
    Word* const words = b.words;
    How::for_each(Range{1, b.count}, inout(words, part.grow(1, 0)),
                  [words, salt](std::size_t i) { words[i] = words[i] * 5 + words[i - 1] + salt; });
  }
  void sum(Array a, Array b, Word) {
    if (a.words == b.words) return;
    const Word* const words = a.words;
    How::reduce_each(Range{0, a.count}, *b.words, std::plus<>(), in(words, part),
                     [words](std::size_t i) { return words[i] * 3; });
  }
  // Two operations whose order matters.
  void reduced(Array, Array b, Word salt) {
    for (Word i = 0; i < 2 + salt % 5; ++i) {
      if ((salt >> i) % 3 == 0) {
        How::spawn_reducing([i](Word& own) { own *= 3 + i; }, *b.words, std::multiplies<>(), 1);
      } else {
        How::spawn_reducing([i](Word& own) { own += 7 + i; }, *b.words, std::plus<>(), 0);
      }
    }
  }
  // All of it, and part of it.
  void overlap(Array, Array b, Word salt) {
    const Word half = b.count / 2;
    const auto part = inout(b.words + half, b.count - half);
    if (salt % 2 == 0) {
      How::spawn(mix, in(b.words), b.count, part, b.count - half, salt);
    } else {
      const auto work = [](Word* to, Word to_count, const Word* from, Word count, Word own) {
        mix(from, count, to, to_count, own);
      };
      How::spawn(work, part, b.count - half, in(b.words), b.count, salt);
    }
  }
  // Only children use the array.
  void passed_on(Array a, Array b, Word salt) {
    const auto hand_on = [](Word* words, Word count, Word own) {
      How::spawn(stir, inout(words), count, own);
      How::spawn(add, inout(words), count, own);
    };
    if (salt % 2 == 0) {
      How::spawn(hand_on, weak(inout(b.words)), b.count, salt);
    } else {
      How::spawn(hand_on, notransfer(inout(a.words)), a.count, salt);
    }
  }

  Dice& dice_;
  std::span<const Array> arrays_;
  bool is_safe_;
};

}  // namespace myr::random_test
