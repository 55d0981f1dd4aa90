// SPDX-License-Identifier: Apache-2.0
//
// Random programs of recorded steps that nearly repeat: run with myr::Recording, and as calls by
// the same thread, with the same result. Steps differ from time to time by an access, a task more
// or less, another order, another object, or memory that was freed and made anew; between and
// inside of them there are other tasks, waits and exceptions. MYR_ON and MYR_CHAOS choose where.
// Closures are bytes, so that tasks of mpi run in other processes. What a task uses may overlap.
//
//   myr_random_replay [SEED|clock] [COUNT]     without a seed: from the clock
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <memory>
#include <myr/myr.hpp>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "rng.hpp"
#include "seeds.hpp"

namespace myr::random_test {
namespace {

using Word = std::uint64_t;
constexpr unsigned kRegions = 4;   // the root of the program, two in it, one in the second
constexpr unsigned kObjects = 10;  // in regions
constexpr unsigned kWords = 8;     // of an object, or twice as many
constexpr unsigned kPlain = 24;    // words of other memory
constexpr unsigned kUses = 4;      // of a task, at most
constexpr std::array<unsigned, kRegions> kParent = {0, 0, 0, 2};

enum class What { Object, Part, Plain, Region };
enum class How { In, Out, InOut, Commutative, Concurrent };

struct Use {
  What what;
  How how;
  unsigned index;  // of the object or region
  unsigned first, count;
};

struct Plan {
  std::vector<Use> uses;
  std::vector<unsigned> loop;  // objects: it is a loop over those in the region of the first
  Word salt;
  bool spawns;  // its writes are tasks of their own
  bool throws;
  int priority;
};

// What is in memory; the serial run has one of its own.
struct World {
  std::array<std::vector<Word>, kObjects> objects;
  std::array<unsigned, kObjects> home;  // regions
  std::array<Word, kPlain> plain;
  friend bool operator==(const World&, const World&) = default;
};

// The same in Myrmidon's memory.
struct Memory {
  std::array<Region, kRegions> regions;
  std::array<Word*, kObjects> objects;
  std::array<unsigned, kObjects> words;
  std::array<unsigned, kObjects> home;
};

bool is_in(unsigned region, unsigned around) {
  while (region != around && region != 0) region = kParent[region];
  return region == around;
}

// Calls visit(first word, count) for all that a task uses in this way. `plain`: the first word of
// other memory that it uses.
template <class Words, class Visit>
void for_words(const Use& use, const Words& words_of, const std::array<unsigned, kObjects>& home,
               Word* plain, Visit&& visit) {
  if (use.what == What::Plain) return visit(plain, use.count);
  for (unsigned i = 0; i < kObjects; ++i) {
    const bool is_used = use.what == What::Region ? is_in(home[i], use.index) : i == use.index;
    if (!is_used) continue;
    const auto [first, count] = words_of(i);
    if (use.what != What::Part) {
      visit(first, count);
    } else {
      visit(first + use.first, use.count);
    }
  }
}

void write_words(const Use& use, Word* first, unsigned count, Word salt, Word read) {
  for (unsigned i = 0; i < count; ++i) {
    switch (use.how) {
      case How::In:
        break;
      case How::Out:
        first[i] = mix(read, salt + i);
        break;
      case How::InOut:
        first[i] = mix(mix(first[i], read), salt + i);
        break;
      case How::Commutative:
        first[i] += salt + i;
        break;
      case How::Concurrent:
        std::atomic_ref<Word>(first[i]).fetch_add(salt + i, std::memory_order_relaxed);
        break;
    }
  }
}

// What the task has read, from its own words or those of the serial world.
template <class Uses, class ForWords>
Word read_all(Word salt, const Uses& uses, ForWords&& for_each_word) {
  Word read = salt;
  for (const Use& use : uses) {
    if (use.how != How::In && use.how != How::InOut) continue;
    for_each_word(use, [&](const Word* first, unsigned count) {
      for (unsigned i = 0; i < count; ++i) read = mix(read, first[i]);
    });
  }
  return read;
}

// ---- serially -----------------------------------------------------------------------------------

void run_serially(const Plan& plan, World& world, int& thrown) {
  const auto words_of = [&](unsigned i) {
    return std::pair(world.objects[i].data(), static_cast<unsigned>(world.objects[i].size()));
  };
  const auto for_each_word = [&](const Use& use, auto&& visit) {
    for_words(use, words_of, world.home, &world.plain[use.first], visit);
  };
  const Word read = read_all(plan.salt, plan.uses, for_each_word);
  for (const Use& use : plan.uses) {
    for_each_word(
        use, [&](Word* first, unsigned count) { write_words(use, first, count, plan.salt, read); });
  }
  if (plan.throws && thrown == 0) thrown = static_cast<int>(plan.salt % 1000 + 1);
}

// ---- as tasks -----------------------------------------------------------------------------------

myr_access access_of(const Use& use, const Memory& memory, Word* plain) {
  constexpr std::array<unsigned, 5> kFlags = {
      MYR_IN, MYR_OUT, MYR_INOUT, MYR_INOUT | MYR_COMMUTATIVE, MYR_INOUT | MYR_CONCURRENT};
  const unsigned flags = kFlags[static_cast<unsigned>(use.how)];
  switch (use.what) {
    case What::Object:
      return myr_make_access(memory.objects[use.index], 0, flags);
    case What::Part:
      return myr_make_access(memory.objects[use.index] + use.first, use.count * sizeof(Word),
                             flags);
    case What::Plain:
      return myr_make_access(plain, use.count * sizeof(Word), flags);
    case What::Region:
      break;
  }
  return myr_region_access(memory.regions[use.index].id(), flags);
}

// A task's own copy of all that it needs to know. No padding, which could look like an address of
// this process.
struct Body {
  Word salt = 0;
  Word throws = 0, spawns = 0;
  Memory memory = {};
  std::array<Use, kUses> all_uses = {};
  std::array<Word*, kUses> plain = {};  // by use
  Word use_count = 0;

  Body(const Plan& plan, const Memory& all, Word* first_plain)
      : salt(plan.salt),
        throws(plan.throws),
        spawns(plan.spawns),
        memory(all),
        use_count(plan.uses.size()) {
    for (std::size_t i = 0; i < use_count; ++i) {
      all_uses[i] = plan.uses[i];
      if (plan.uses[i].what == What::Plain) plain[i] = first_plain + plan.uses[i].first;
    }
  }
  [[nodiscard]] std::span<const Use> uses() const { return {all_uses.data(), use_count}; }
  [[nodiscard]] Word* plain_of(const Use& use) const { return plain[&use - all_uses.data()]; }
  [[nodiscard]] myr_access access(const Use& use) const {
    return access_of(use, memory, plain_of(use));
  }

  template <class Visit>
  void for_each_word(const Use& use, Visit&& visit) const {
    const auto words_of = [&](unsigned i) { return std::pair(memory.objects[i], memory.words[i]); };
    for_words(use, words_of, memory.home, plain_of(use), visit);
  }
  void write(const Use& use, Word read) const {
    for_each_word(use,
                  [&](Word* first, unsigned count) { write_words(use, first, count, salt, read); });
  }
  void run() const;
};
static_assert(sizeof(Use) * kUses % sizeof(Word) == 0 && sizeof(Memory) % sizeof(Word) == 0);

template <class F>
void spawn_with(const std::vector<myr_access>& accesses, int priority, F function) {
  static const myr_site site = {__FILE__, "spawn_with", __LINE__, 0};
  const myr_draft draft = myr_draft_new_at(sizeof(F), accesses.size(), &site);
  std::copy(accesses.begin(), accesses.end(), draft.accesses);
  ::new (draft.closure) F(std::move(function));
  if (priority > 0) myr_draft_priority(draft, priority);
  myr_submit_at(
      draft,
      [](void* closure, const myr_access*) {
        const std::unique_ptr<F, void (*)(F*)> self(static_cast<F*>(closure),
                                                    [](F* f) { f->~F(); });
        try {
          (*self)();
        } catch (...) {
          myr_task_failed(detail::caught_exception());
        }
      },
      &site);
}

void Body::run() const {
  const Word read =
      read_all(salt, uses(), [&](const Use& use, auto&& visit) { for_each_word(use, visit); });
  for (const Use& use : uses()) {
    if (spawns == 0) {
      write(use, read);
    } else if (use.how != How::In) {
      Body child = *this;  // of which no other memory is lent
      child.plain = {};
      child.plain[&use - all_uses.data()] = plain_of(use);
      spawn_with({access(use)}, 0, [child, read, number = std::size_t(&use - all_uses.data())] {
        child.write(child.all_uses[number], read);
      });
    }
  }
  if (throws != 0) throw std::runtime_error(std::to_string(salt % 1000 + 1));
}

void spawn_plan(const Plan& plan, const Memory& memory, Word* plain) {
  const Body body(plan, memory, plain);
  std::vector<myr_access> accesses;
  for (const Use& use : body.uses()) accesses.push_back(body.access(use));
  spawn_with(accesses, plan.priority, [body] { body.run(); });
}

// ---- programs -----------------------------------------------------------------------------------

// One program: everything that is done is done to the memory by tasks, and to the world at once.
class Runner {
 public:
  explicit Runner(std::uint64_t seed) : rng_(seed) {}

  // True: both ended alike.
  bool run() {
    make_world();
    if (rng_.chance(is_tame_ ? 5 : 30)) {
      spawn(uses(inout(memory_.regions[0])), [this](auto*) { run_steps(); }, inout(&plain_, 1));
      wait_all();
      is_right_ = is_right_ && is_equal();
    } else {
      run_steps();
    }
    memory_.regions[0].free();
    return is_right_;
  }

 private:
  unsigned below(std::size_t end) { return rng_.below(static_cast<unsigned>(end)); }

  void make_world() {
    memory_.regions[0] = Region::create();
    for (unsigned i = 1; i < kRegions; ++i) {
      memory_.regions[i] = Region::create(memory_.regions[kParent[i]]);
    }
    for (unsigned i = 0; i < kPlain; ++i) plain_[i] = world_.plain[i] = rng_.next();
    for (unsigned i = 0; i < kObjects; ++i) make_object(i, below(kRegions), kWords);
  }

  void make_object(unsigned i, unsigned region, unsigned words) {
    memory_.objects[i] = memory_.regions[region].make_array<Word>(words);
    memory_.words[i] = words;
    memory_.home[i] = world_.home[i] = region;
    world_.objects[i].resize(words);
    for (unsigned w = 0; w < words; ++w) memory_.objects[i][w] = world_.objects[i][w] = rng_.next();
  }

  // The next object may begin where this one did.
  void make_anew(unsigned i) {
    myr_free(memory_.objects[i]);
    const bool is_same = rng_.chance(50);
    make_object(i, is_same ? memory_.home[i] : below(kRegions),
                is_same || rng_.chance(50) ? memory_.words[i] : 3 * kWords - memory_.words[i]);
  }

  // A region with all that is in it.
  void make_region_anew() {
    constexpr unsigned kLast = kRegions - 1;
    memory_.regions[kLast].free();
    memory_.regions[kLast] = Region::create(memory_.regions[kParent[kLast]]);
    for (unsigned i = 0; i < kObjects; ++i) {
      if (memory_.home[i] == kLast) make_object(i, kLast, memory_.words[i]);
    }
  }

  Use random_use() {
    Use use{};
    use.what = static_cast<What>(below(rng_.chance(20) ? 4 : 2));
    if (is_tame_ && below(500) != 0) use.what = rng_.chance(15) ? What::Plain : What::Object;
    if (use.what == What::Part && rng_.chance(60)) use.what = What::Object;
    use.how = static_cast<How>(below(rng_.chance(8) ? 5 : 3));
    if (use.what == What::Region && use.how == How::Concurrent) use.how = How::InOut;
    use.index = below(use.what == What::Region ? kRegions : kObjects);
    const unsigned words = use.what == What::Plain ? kPlain : kWords;
    use.first = below(words);
    use.count = 1 + below(words - use.first);
    return use;
  }

  Plan random_plan() {
    if (rng_.chance(is_tame_ ? 15 : 3)) return random_loop();
    const bool spawns = is_tame_ ? below(500) == 0 : rng_.chance(15);
    const bool throws = rng_.chance(2);
    Plan plan{{}, {}, rng_.next(), spawns, throws, rng_.chance(5) ? 1 : 0};
    const unsigned count = 1 + below(kUses);
    for (unsigned i = 0; i < count; ++i) {
      const Use use = random_use();
      // A task that adds in any order has no other use: its result would depend on the order.
      const bool adds = use.how == How::Commutative || use.how == How::Concurrent;
      if (adds && !plan.uses.empty()) continue;
      plan.uses.push_back(use);
      if (adds) break;
    }
    return plan;
  }

  Plan random_loop() {
    Plan plan{{}, {below(kObjects)}, rng_.next(), false, false, 0};
    for (unsigned i = 0; i < kObjects; ++i) {
      if (i != plan.loop.front() && rng_.chance(70)) plan.loop.push_back(i);
    }
    return plan;
  }

  void change(std::vector<Plan>& step) {
    const unsigned at = below(step.size());
    if (!step[at].loop.empty()) {
      step[at] = random_plan();
      return;
    }
    switch (below(5)) {
      case 0:
        step[at].uses[below(step[at].uses.size())] = random_use();
        if (step[at].uses.size() > 1) step[at] = random_plan();
        break;
      case 1:
        if (step.size() > 1) step.erase(step.begin() + at);
        break;
      case 2:
        step.insert(step.begin() + at, random_plan());
        break;
      case 3:
        std::swap(step[at], step[below(step.size())]);
        break;
      default:
        step.push_back(random_plan());
        break;
    }
  }

  // An iteration is an object.
  void run_loop(const Plan& plan) {
    std::vector<Word*>& objects = loops_.emplace_back();
    std::array<Word*, kObjects> copy = {};
    const unsigned home = memory_.home[plan.loop.front()];
    for (const unsigned i : plan.loop) {
      if (memory_.home[i] != home) continue;
      copy[objects.size()] = memory_.objects[i];
      objects.push_back(memory_.objects[i]);
      for (unsigned w = 0; w < kWords; ++w) {
        world_.objects[i][w] = mix(world_.objects[i][w], plan.salt + w);
      }
    }
    for_each(grain(1 + plan.loop.size() % 3), Range{0, objects.size()},
             inout(each(objects.data(), objects.size()).inside(memory_.regions[home]), part),
             [copy, salt = plan.salt](std::size_t i) {
               for (unsigned w = 0; w < kWords; ++w) copy[i][w] = mix(copy[i][w], salt + w);
             });
  }

  void spawn_one(const Plan& plan) {
    if (!plan.loop.empty()) return run_loop(plan);
    spawn_plan(plan, memory_, plain_.data());
    run_serially(plan, world_, wanted_);
  }

  bool is_equal() const {
    for (unsigned i = 0; i < kObjects; ++i) {
      if (!std::equal(world_.objects[i].begin(), world_.objects[i].end(), memory_.objects[i])) {
        return false;
      }
    }
    return plain_ == world_.plain;
  }

  void wait_and_compare() {
    int thrown = 0;
    try {
      wait_all();
    } catch (const std::runtime_error& error) {
      thrown = std::stoi(error.what());
    }
    is_right_ = is_right_ && thrown == wanted_ && is_equal();
    wanted_ = 0;
  }

  void wait_for_one() {
    const unsigned i = below(kObjects);
    const myr_access access = myr_inout(memory_.objects[i]);
    myr_wait_array(&access, 1);
    is_right_ = is_right_ &&
                std::equal(world_.objects[i].begin(), world_.objects[i].end(), memory_.objects[i]);
  }

  // What may happen anywhere.
  void something_else() {
    switch (below(9)) {
      case 0:
        wait_and_compare();
        break;
      case 1:
      case 2:
        wait_for_one();
        break;
      case 3:
        make_anew(below(kObjects));
        break;
      case 4:
        make_region_anew();
        break;
      default:
        spawn_one(random_plan());
        break;
    }
  }

  // Without a recording a step is what lies between two waits, and has to be found.
  void run_step(std::optional<Recording>& recording, const std::vector<Plan>& step) {
    const bool is_interrupted = rng_.chance(is_tame_ ? 2 : 8);
    const unsigned at = below(step.size());
    // The values of a task are new each time.
    const auto spawn_all = [&] {
      for (unsigned i = 0; i < step.size(); ++i) {
        Plan plan = step[i];
        plan.salt = rng_.next();
        if (below(500) == 0) plan.spawns = !plan.spawns;
        spawn_one(plan);
        if (is_interrupted && i == at) something_else();
      }
    };
    if (recording) return recording->step(spawn_all);
    spawn_all();
    wait_and_compare();
  }

  void run_steps() {
    constexpr unsigned kSteps = 3;
    std::array<std::optional<Recording>, kSteps> recordings;
    std::array<std::vector<Plan>, kSteps> steps;
    for (auto& step : steps) {
      const unsigned count = 1 + below(rng_.chance(15) ? 150 : 20);
      for (unsigned i = 0; i < count; ++i) step.push_back(random_plan());
    }
    const unsigned runs = 3 + below(40);
    const unsigned percent_changed = below(3) * (is_tame_ ? 4 : 12);
    const unsigned percent_recorded = std::array{100U, 100U, 2U, 0U}[below(is_tame_ ? 2 : 4)];
    for (unsigned run = 0; run < runs && is_right_; ++run) {
      const unsigned s = rng_.chance(is_tame_ ? 95 : 75) ? 0 : below(kSteps);
      std::vector<Plan> step = steps[s];
      const bool is_changed = rng_.chance(percent_changed);
      if (is_changed) change(step);
      if (!recordings[s] && rng_.chance(percent_recorded)) recordings[s].emplace();
      run_step(recordings[s], step);
      if (is_changed && rng_.chance(50)) steps[s] = step;
      if (rng_.chance(percent_changed)) something_else();
      if (rng_.chance(3)) recordings[s].reset();
    }
    wait_and_compare();
  }

  Rng rng_;
  World world_;
  Memory memory_;
  std::array<Word, kPlain> plain_;
  std::deque<std::vector<Word*>> loops_;  // what they go over
  int wanted_ = 0;                        // what the next wait_all() would throw; 0 is nothing
  bool is_right_ = true;
  bool is_tame_ = rng_.chance(50);  // its steps are such that schedulers can replay them
};

}  // namespace
}  // namespace myr::random_test

int main(int argc, char** argv) {
  return myr::random_test::run_seeds(
      argc, argv, 100, [](std::uint64_t seed) { return myr::random_test::Runner(seed).run(); });
}
