// SPDX-License-Identifier: Apache-2.0
//
// Random programs whose tasks are no more than bytes, so that they run anywhere, against the same
// program run at once: families of objects, in regions of their own and as memory of main's, mixed
// by tasks that use some of them, by tasks that hold a region and spawn others on what is in it,
// and by main after waits; and trees that tasks grow and cut, each branch in a region of its own.
//
// myr_mpi_random [SEED [COUNT]]
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <myr/myr.hpp>
#include <numeric>
#include <vector>

namespace {

using Word = std::uint64_t;

class Random {
 public:
  explicit Random(Word seed) : state_(seed) {}
  Word next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return state_ >> 20;
  }
  Word below(Word end) { return next() % end; }

 private:
  Word state_;
};

constexpr std::size_t kFamilies = 4;
constexpr std::size_t kMembers = 6;
constexpr std::size_t kLocals = 3;

struct Object {
  Word* words;
  std::size_t count;
};
struct Family {
  myr::Region region;
  std::array<Object, kMembers> members;
};

Word digest(const Word* words, std::size_t count) {
  return std::accumulate(words, words + count, Word{17},
                         [](Word sum, Word word) { return sum * 31 + word; });
}
void stir(Word* words, std::size_t count, Word salt) {
  for (std::size_t i = 0; i < count; ++i) words[i] = words[i] * 3 + salt + i;
}
void fill(Word* words, std::size_t count, Word salt) {
  for (std::size_t i = 0; i < count; ++i) words[i] = salt + i * 7;
}

// What tasks do; called at once, too.
void mix(const Word* from, std::size_t from_count, Word* to, std::size_t to_count, Word salt) {
  stir(to, to_count, salt + digest(from, from_count));
}
void mix_family(const Family& family, Word salt, bool spawns) {
  Random random(salt);
  for (int i = 0; i < 5; ++i) {
    const Object a = family.members[random.below(kMembers)];
    const Object b = family.members[random.below(kMembers)];
    const Word own = random.next();
    if (a.words == b.words) continue;
    if (spawns) {
      myr::spawn(mix, myr::in(a.words), a.count, myr::inout(b.words), b.count, own);
    } else {
      mix(a.words, a.count, b.words, b.count, own);
    }
    if (i == 3 && random.below(2) == 0) {
      if (spawns) myr::wait(myr::inout(b.words));
      stir(b.words, b.count, own);
    }
  }
}
Word digest_family(const Family& family) {
  Word sum = 0;
  for (const Object& object : family.members) sum = sum * 37 + digest(object.words, object.count);
  return sum;
}

// A tree: what hangs below a branch is in its region.
struct Branch {
  myr::Region region;  // around it
  std::array<Branch*, 2> below{};
  Word* words = nullptr;
  Word count = 0;
};

Branch* new_branch(myr::Region region, Word count, bool spawns) {
  Branch* const branch = spawns ? region.make<Branch>() : new Branch;
  branch->region = region;
  branch->count = count;
  branch->words = spawns ? region.make_array<Word>(count) : new Word[count];
  fill(branch->words, count, count);
  return branch;
}
void remove(Branch* branch, bool spawns) {
  if (branch == nullptr) return;
  if (spawns) return branch->region.free();
  for (Branch* const below : branch->below) remove(below, false);
  delete[] branch->words;
  delete branch;
}

// The words of a branch become longer or shorter, in the same region.
void renew_words(Branch& branch, Word count, bool spawns) {
  if (spawns) {
    myr_free(branch.words);
    branch.words = branch.region.make_array<Word>(count);
  } else {
    delete[] branch.words;
    branch.words = new Word[count];
  }
  branch.count = count;
  fill(branch.words, count, count + 1);
}

// Holds the branch's region.
void grow(Branch* branch, Word salt, Word depth, bool spawns) {
  Random random(salt);
  stir(branch->words, branch->count, salt);
  if (random.below(3) == 0) renew_words(*branch, 1 + random.below(50), spawns);
  if (depth == 0) return;
  for (Branch*& below : branch->below) {
    const Word kind = random.below(6);
    const Word own = random.next();
    if (kind == 0) {
      remove(below, spawns);
      below = nullptr;
    }
    if (kind == 1) continue;
    if (below == nullptr) {
      const Word count = 1 + random.below(random.below(30) == 0 ? 200'000 : 100);
      below =
          new_branch(spawns ? myr::Region::create(branch->region) : myr::Region(), count, spawns);
    }
    const myr::Region region = below->region;  // the task's, soon, with the branch
    if (!spawns || kind == 2) {
      grow(below, own, depth - 1, spawns);
    } else {
      const auto work = [below, own, depth](myr::Region) { grow(below, own, depth - 1, true); };
      myr::spawn(work, myr::inout(region));
    }
    if (kind == 3) {
      if (spawns) myr::wait(myr::inout(region));
      stir(below->words, below->count, own);
    }
  }
}
Word digest_tree(const Branch* branch) {
  if (branch == nullptr) return 5;
  return digest(branch->words, branch->count) + 43 * digest_tree(branch->below[0]) +
         47 * digest_tree(branch->below[1]);
}

// The program, with tasks or at once.
class Program {
 public:
  Program(Word seed, bool spawns) : random_(seed), spawns_(spawns) {
    for (std::size_t i = 0; i < kFamilies; ++i) {
      Family& family = families_[i];
      if (spawns)
        family.region = myr::Region::create(i % 2 == 0 ? myr::Region() : families_[i - 1].region);
      for (Object& object : family.members) {
        object.count = 1 + random_.below(random_.below(8) == 0 ? 20'000 : 40);
        object.words = spawns ? family.region.make_array<Word>(object.count)
                              : own_.emplace_back(new Word[object.count]()).get();
        fill(object.words, object.count, object.count);
      }
      if (spawns) tree_regions_[i] = myr::Region::create(family.region);
      trees_[i] = new_branch(tree_regions_[i], 3, spawns);
    }
  }
  ~Program() {
    if (!spawns_) {
      for (Branch* const tree : trees_) remove(tree, false);
      return;
    }
    families_[2].region.free();
    families_[0].region.free();
  }

  Word run() {
    const Word steps = 10 + random_.below(60);
    for (Word step = 0; step < steps; ++step) take_step();
    if (spawns_) myr::wait_all();
    Word sum = digest(locals_.data(), kLocals);
    for (const Family& family : families_) sum = sum * 41 + digest_family(family);
    for (const Branch* const tree : trees_) sum = sum * 53 + digest_tree(tree);
    return sum;
  }

 private:
  Object pick() { return families_[random_.below(kFamilies)].members[random_.below(kMembers)]; }

  template <class Function, class... Arguments>
  void task(Function function, Arguments... arguments) {
    if (spawns_) {
      myr::spawn(function, arguments...);
    } else {
      at_once(function, arguments...);
    }
  }
  template <class P>
  static P plain(const myr::detail::Access<P>& access) {
    return access.passed;
  }
  template <class T>
  static T& plain(const myr::detail::Access<myr::detail::Reference<T>>& access) {
    return *access.passed.pointer;
  }
  template <class T>
  static const T& plain(const T& value) {
    return value;
  }
  template <class Function, class... Arguments>
  static void at_once(Function function, const Arguments&... arguments) {
    function(plain(arguments)...);
  }

  void take_step() {
    const Object a = pick();
    const Object b = pick();
    const Word salt = random_.next();
    Word& local = locals_[random_.below(kLocals)];
    const Word kind = random_.below(13);
    if (a.words == b.words) return;
    if (kind <= 2) {
      task(mix, myr::in(a.words), a.count, myr::inout(b.words), b.count, salt);
    } else if (kind == 3) {
      task(fill, myr::out(b.words), b.count, salt);
    } else if (kind == 4) {  // part of it
      const std::size_t half = b.count / 2;
      task(stir, myr::inout(b.words + half, b.count - half), b.count - half, salt);
    } else if (kind == 5) {  // main's memory
      task([](const Word* words, std::size_t count, Word& sum) { sum += digest(words, count); },
           myr::in(a.words), a.count, myr::inout(local));
    } else if (kind == 6) {
      hold_family(salt);
    } else if (kind == 7) {
      if (spawns_) myr::wait(myr::inout(b.words), myr::inout(local));
      stir(b.words, b.count, local);
      local += salt;
    } else if (kind == 8) {
      read_family(local);
    } else if (kind == 9) {
      grow_tree(salt);
    } else if (kind == 10) {  // all of it, and part of it
      const std::size_t half = b.count / 2;
      task(mix, myr::in(b.words), b.count, myr::inout(b.words + half, b.count - half),
           b.count - half, salt);
    } else if (kind == 11) {
      stir_in_family(salt);
    } else {
      read_tree(local);
    }
  }
  void grow_tree(Word salt) {
    const std::size_t which = random_.below(kFamilies);
    Branch* const tree = trees_[which];
    const Word depth = 1 + salt % 5;
    if (!spawns_) return grow(tree, salt, depth, false);
    const auto work = [tree, salt, depth](myr::Region) { grow(tree, salt, depth, true); };
    myr::spawn(work, myr::inout(tree_regions_[which]));
  }
  void read_tree(Word& local) {
    const std::size_t which = random_.below(kFamilies);
    const Branch* const tree = trees_[which];
    if (!spawns_) {
      local += digest_tree(tree);
      return;
    }
    myr::spawn([tree](myr::Region, Word& sum) { sum += digest_tree(tree); },
               myr::in(tree_regions_[which]), myr::inout(local));
  }
  // A task that holds a region, with what is in it, or hands it on unseen.
  void hold_family(Word salt) {
    const std::size_t which = random_.below(kFamilies);
    const Family family = families_[which];
    if (!spawns_) return mix_family(family, salt, false);
    const auto work = [family, salt](myr::Region) { mix_family(family, salt, true); };
    if (salt % 2 == 0) {
      myr::spawn(work, myr::inout(family.region));
    } else {
      myr::spawn(work, myr::weak(myr::inout(family.region)));
    }
  }
  // A task that reads a region, and writes an object in it: by a child.
  void stir_in_family(Word salt) {
    const Family family = families_[random_.below(kFamilies)];
    const Object one = family.members[random_.below(kMembers)];
    if (!spawns_) return stir(one.words, one.count, salt + digest_family(family));
    const auto work = [family, one, salt](myr::Region, Word* words) {
      const Word own = salt + digest_family(family);
      myr::spawn(stir, myr::inout(words), one.count, own);
    };
    myr::spawn(work, myr::in(family.region), myr::inout(one.words));
  }
  void read_family(Word& local) {
    const Family family = families_[random_.below(kFamilies)];
    if (!spawns_) {
      local ^= digest_family(family);
      return;
    }
    myr::spawn([family](myr::Region, Word& sum) { sum ^= digest_family(family); },
               myr::in(family.region), myr::inout(local));
  }

  Random random_;
  bool spawns_;
  std::array<Family, kFamilies> families_;
  std::array<myr::Region, kFamilies> tree_regions_;
  std::array<Branch*, kFamilies> trees_{};
  std::array<Word, kLocals> locals_{1, 2, 3};
  std::vector<std::unique_ptr<Word[]>> own_;
};

}  // namespace

int main(int count, char** arguments) {
  const auto now = std::chrono::system_clock::now().time_since_epoch().count();
  const Word first = count > 1 ? std::strtoull(arguments[1], nullptr, 10) : static_cast<Word>(now);
  const Word programs = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 100;
  for (Word seed = first; seed < first + programs; ++seed) {
    const Word expected = Program(seed, false).run();
    if (Program(seed, true).run() == expected) continue;
    std::fprintf(stderr, "myr_mpi_random %llu 1: not the result of the serial program\n",
                 static_cast<unsigned long long>(seed));
    return 1;
  }
  return 0;
}
