// SPDX-License-Identifier: Apache-2.0
//
// Regions that are cancelled beside others which are freed and made anew, with numbers and at
// addresses that come again: what a process knew of those before must not cancel a task, or tell it
// how long its objects are. And what a cancelled task leaves as it was, wherever it does not run.
#include <cstdint>
#include <cstdio>
#include <myr/myr.hpp>
#include <vector>

namespace {

using Word = std::uint64_t;
constexpr Word kRounds = 30;
constexpr Word kFamilies = 6;

struct Family {
  myr::Region region;
  Word* words;
  Word count;
};

// Each task spawns another one on the same, so its process has to know what that is.
void add(Word* words, Word count, Word times) {
  for (Word i = 0; i < count; ++i) words[i] += i + times;
  if (times > 0) myr::spawn(add, myr::inout(words), count, times - 1);
}
void add_in(const Family& family) {
  myr::spawn(add, myr::inout(family.words), family.count, Word{1});
  myr::spawn(add, myr::inout(family.words), family.count, Word{2});
}
// How often add() is called by either.
constexpr Word kCalls = 2 + 3;
constexpr Word kTimes = 1 + 2 + 1;

bool is_right(const Family& family, Word calls, Word times) {
  for (Word i = 0; i < family.count; ++i) {
    if (family.words[i] != calls * i + times) return false;
  }
  return true;
}

// Regions that come and go: their indices may be those of regions that held the words before.
void make_and_free_regions(myr::Region around) {
  std::vector<myr::Region> made;
  for (int i = 0; i < 40; ++i) made.push_back(myr::Region::create(around));
  for (const myr::Region& region : made) region.free();
}

// Tasks that hold the regions, or words in them.
bool run(Word round) {
  std::vector<Family> families;
  for (Word i = 0; i < kFamilies; ++i) {
    const myr::Region region = myr::Region::create();
    const Word count = 1 + (round * 7 + i * 13) % 11 * ((round + i) % 3 == 0 ? 300 : 5);
    families.push_back({region, region.make_array<Word>(count), count});
  }
  const myr::Region around = myr::Region::create();
  for (Word i = 0; i < kFamilies; ++i) {
    const Family family = families[i];
    const Word kind = (i + round) % 3;
    if (kind == 0) {
      myr::spawn(myr::uses(myr::inout(family.region)), [family] { add_in(family); });
    } else if (kind == 1) {
      myr::spawn([family](Word*) { add_in(family); }, myr::inout(family.words));
    } else {
      const auto work = [family](Word*, myr::Region own) {
        make_and_free_regions(own);
        add_in(family);
      };
      myr::spawn(work, myr::inout(family.words), myr::inout(around));
    }
  }
  myr::wait_all();
  bool all_right = true;
  for (const Family& family : families) {
    all_right = is_right(family, kCalls, kTimes) && all_right;
    family.region.free();
  }
  around.free();
  return all_right;
}

// Tasks on a cancelled region, spawned later, do not run; and nothing becomes of what they name.
bool leave(const myr::Region cancelled, Word round) {
  const myr::Region region = myr::Region::create();
  Word* const words = region.make_array<Word>(100);
  Word local = round;
  for (Word i = 0; i < 100; ++i) words[i] = i + round;
  const auto work = [](Word* out, const Word* part, Word& also) {
    for (Word i = 0; i < 100; ++i) out[i] = 1;
    also = *part;
  };
  for (int i = 0; i < 4; ++i) {
    myr::spawn(myr::uses(myr::inout(cancelled)), work, myr::out(words), myr::inout(words + 40, 20),
               myr::out(local));
  }
  myr::wait_all();
  bool is_left = local == round;
  for (Word i = 0; i < 100; ++i) is_left = is_left && words[i] == i + round;
  region.free();
  return is_left;
}

}  // namespace

int main() {
  std::vector<myr::Region> cancelled;
  for (Word round = 0; round < kRounds; ++round) {
    if (!run(round)) {
      std::fprintf(stderr, "round %d: not the result of the serial program\n",
                   static_cast<int>(round));
      return 1;
    }
    cancelled.push_back(myr::Region::create());
    if (round % 2 == 0) {
      cancelled.back().cancel();
    } else {
      myr::spawn([region = cancelled.back()] { region.cancel(); });
      myr::wait_all();
    }
    if (!leave(cancelled.back(), round)) {
      std::fprintf(stderr, "round %d: a cancelled task has run, or left something behind\n",
                   static_cast<int>(round));
      return 1;
    }
    if (round % 3 == 2) {
      for (const myr::Region& region : cancelled) region.free();
      cancelled.clear();
    }
  }
  return 0;
}
