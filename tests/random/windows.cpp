// SPDX-License-Identifier: Apache-2.0
//
// Random programs of loops whose windows tell what they use, and of tasks between them, against the
// same program run at once. Bodies are no more than bytes, so the programs run on processes, too.
// MYR_ON and MYR_CHAOS choose where.
//
//   myr_random_windows [SEED|clock] [COUNT]     without a seed: from the clock
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <myr/myr.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "rng.hpp"
#include "seeds.hpp"

namespace myr::random_test {
namespace {

using Word = std::uint64_t;
constexpr std::size_t kRegions = 4;
constexpr std::size_t kObjects = 14;  // of a region
constexpr std::size_t kWindows = 4;

// Where everything is; in the run without tasks, plain memory.
struct Table {
  std::array<std::array<Word*, kObjects>, kRegions> objects;
  std::array<std::array<std::uint32_t, kObjects>, kRegions> words;  // of each
  std::array<myr_region, kRegions> regions;
  std::array<std::uint8_t, kRegions> around;  // the region around each; itself: the root
  bool spawns;

  [[nodiscard]] bool is_within(std::size_t region, std::size_t outer) const {
    while (region != outer && around[region] != region) region = around[region];
    return region == outer;
  }
};

Word digest(const Word* words, std::size_t count) {
  Word value = count;
  for (std::size_t i = 0; i < count; ++i) value = value * 31 + words[i];
  return value;
}
void stir(Word* words, std::size_t count, Word salt) {
  for (std::size_t i = 0; i < count; ++i) words[i] = words[i] * 3 + salt + i;
}
void fill(Word* words, std::size_t count, Word salt) {
  for (std::size_t i = 0; i < count; ++i) words[i] = salt + i * 7;
}
void mix_into(const Word* from, std::size_t from_count, Word* to, std::size_t to_count, Word salt) {
  stir(to, to_count, salt + digest(from, from_count));
}

// ---- a loop -------------------------------------------------------------------------------------

struct Window {
  std::uint8_t region;
  std::uint8_t mode;
  std::uint8_t offset, count;  // objects of the region
  std::int8_t first;           // the iteration of the first
  std::uint8_t before, after;

  [[nodiscard]] Range used(Range iterations) const {
    const auto clip = [this](std::ptrdiff_t number) {
      return static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(number, 0, count));
    };
    const auto from = static_cast<std::ptrdiff_t>(iterations.from) - first;
    const auto to = static_cast<std::ptrdiff_t>(iterations.to) - first;
    return {offset + clip(from - before), offset + std::max(clip(from - before), clip(to + after))};
  }
};

enum class Deed : std::uint8_t { Plain, Spawns, SpawnsAndWaits, Waits, Throws };

struct Loop {
  Table table;
  Range range;
  std::array<Window, kWindows> windows;
  std::size_t window_count;
  std::size_t grain;
  Word salt;
  Deed deed;
};

std::string text_of(Word salt) { return "thrown by " + std::to_string(salt); }

// Changes an object that a part of the loop holds for reading and writing.
void do_deed(const Loop& loop, Word* object, std::size_t count) {
  const std::size_t half = count / 2;
  const Word salt = loop.salt;
  if (!loop.table.spawns) {
    if (loop.deed == Deed::Spawns || loop.deed == Deed::SpawnsAndWaits) {
      stir(object, count, salt);
      stir(object + half, count - half, salt);
    }
    if (loop.deed == Deed::SpawnsAndWaits) object[0] += 1;
    return;
  }
  if (loop.deed == Deed::Spawns || loop.deed == Deed::SpawnsAndWaits) {
    spawn(stir, inout(object), count, salt);
    spawn(stir, inout(object + half, count - half), count - half, salt);
  }
  if (loop.deed == Deed::SpawnsAndWaits) {
    wait(inout(object));
    object[0] += 1;
  }
  if (loop.deed == Deed::Waits) wait_all();
}

void run_iteration(const Loop& loop, std::size_t i) {
  const Range one{i, i + 1};
  const Table& table = loop.table;
  Word sum = loop.salt;
  for (std::size_t w = 0; w < loop.window_count; ++w) {
    const Window& window = loop.windows[w];
    if ((window.mode & MYR_IN) == 0) continue;
    for (const std::size_t k : window.used(one)) {
      sum = mix(sum, digest(table.objects[window.region][k], table.words[window.region][k]));
    }
  }
  for (std::size_t w = 0; w < loop.window_count; ++w) {
    const Window& window = loop.windows[w];
    if ((window.mode & MYR_OUT) == 0) continue;
    for (const std::size_t k : window.used(one)) {
      Word* const object = table.objects[window.region][k];
      const std::size_t count = table.words[window.region][k];
      (window.mode & MYR_IN) != 0 ? stir(object, count, sum) : fill(object, count, sum);
    }
  }
  // What is written is used no more in this iteration, as children may have it.
  const Window& first = loop.windows[0];
  const Range used = first.used(one);
  if (first.mode != MYR_INOUT || used.size() == 0) return;
  do_deed(loop, table.objects[first.region][used.from], table.words[first.region][used.from]);
}

int run_loop(void* data, std::size_t begin, std::size_t end) {
  const Loop& loop = *static_cast<const Loop*>(data);
  try {
    for (std::size_t i = begin; i < end; ++i) run_iteration(loop, i);
    if (loop.deed == Deed::Throws && end == loop.range.to) {  // nothing is left of its part
      throw std::runtime_error(text_of(loop.salt));
    }
  } catch (...) {
    if (!loop.table.spawns) throw;
    myr_task_failed(detail::caught_exception());
    return 1;
  }
  return 0;
}

std::size_t footprint(const void* data, std::size_t begin, std::size_t end, myr_access* accesses) {
  const Loop& loop = *static_cast<const Loop*>(data);
  std::size_t count = 0;
  for (std::size_t w = 0; w < loop.window_count; ++w) {
    const Window& window = loop.windows[w];
    for (const std::size_t k : window.used({begin, end})) {
      if (accesses != nullptr) {
        accesses[count] = myr_make_access(loop.table.objects[window.region][k], 0, window.mode);
      }
      count += 1;
    }
  }
  return count;
}

void destroy(void* data) { delete static_cast<Loop*>(data); }

void start(const Loop& loop) {
  if (!loop.table.spawns) {
    run_loop(const_cast<Loop*>(&loop), loop.range.from, loop.range.to);
    return;
  }
  auto* const own = new Loop(loop);
  std::array<myr_window, kWindows> windows{};
  for (std::size_t w = 0; w < loop.window_count; ++w) {
    const Window& window = loop.windows[w];
    const auto& objects = own->table.objects[window.region];
    windows[w] = {.size = sizeof(myr_window),
                  .region = loop.table.regions[window.region],
                  .mode = window.mode,
                  .objects = reinterpret_cast<void* const*>(objects.data() + window.offset),
                  .count = window.count,
                  .first = window.first,
                  .before = window.before,
                  .after = window.after};
  }
  const myr_loop whole{.size = sizeof(myr_loop),
                       .begin = loop.range.from,
                       .end = loop.range.to,
                       .grain = loop.grain,
                       .run = run_loop,
                       .footprint = footprint,
                       .destroy = destroy,
                       .data = own,
                       .windows = windows.data(),
                       .window_count = loop.window_count,
                       .data_bytes = sizeof(Loop)};
  myr_for(&whole);
}

// Does no other iteration use what an iteration spawns children on?
bool is_alone(const Loop& loop) {
  const Window& first = loop.windows[0];
  const auto last = loop.windows.begin() + static_cast<std::ptrdiff_t>(loop.window_count);
  return first.before == 0 && first.after == 0 &&
         std::none_of(loop.windows.begin() + 1, last,
                      [&](const Window& other) { return other.region == first.region; });
}

// A loop over objects within `outer`, or over all.
Loop random_loop(Rng& rng, const Table& table, std::size_t outer) {
  Loop loop{};
  loop.table = table;
  loop.range.from = rng.below(4);
  loop.range.to = loop.range.from + 1 + rng.below(kObjects + 2);
  loop.window_count = 1 + rng.below(kWindows);
  for (std::size_t w = 0; w < loop.window_count; ++w) {
    Window& window = loop.windows[w];
    do {
      window.region = static_cast<std::uint8_t>(rng.below(kRegions));
    } while (outer < kRegions && !table.is_within(window.region, outer));
    const bool writes = w == 0 || rng.chance(20);
    window.mode = !writes ? MYR_IN : rng.chance(70) ? MYR_INOUT : MYR_OUT;
    window.offset = static_cast<std::uint8_t>(rng.below(rng.chance(50) ? 1 : kObjects));
    window.count = static_cast<std::uint8_t>(1 + rng.below(kObjects - window.offset));
    window.first = static_cast<std::int8_t>(loop.range.from + rng.below(4) - rng.below(4));
    if (!writes || rng.chance(8)) {
      window.before = static_cast<std::uint8_t>(rng.below(rng.chance(10) ? 10 : 3));
      window.after = static_cast<std::uint8_t>(rng.below(3));
    }
  }
  loop.grain = rng.chance(60) ? 1 : 1 + rng.below(5);
  loop.salt = rng.next();
  if (rng.chance(25)) loop.deed = static_cast<Deed>(1 + rng.below(3));
  if (loop.deed == Deed::Spawns && !is_alone(loop)) loop.deed = Deed::SpawnsAndWaits;
  return loop;
}

// ---- tasks --------------------------------------------------------------------------------------

void stir_region(const Table& table, std::size_t outer, Word salt) {
  for (std::size_t region = 0; region < kRegions; ++region) {
    if (!table.is_within(region, outer)) continue;
    for (std::size_t k = 0; k < kObjects; ++k) {
      stir(table.objects[region][k], table.words[region][k], salt + k);
    }
  }
}

// In a task that holds the region.
void start_loops(const Table& table, std::size_t outer, Word salt) {
  Rng rng(salt);
  for (unsigned i = 1 + rng.below(3); i > 0; --i) {
    start(random_loop(rng, table, outer));
    if (!rng.chance(25)) continue;
    const bool waits_for_all = rng.chance(50);
    if (table.spawns) waits_for_all ? wait_all() : wait(inout(Region(table.regions[outer])));
    stir_region(table, outer, salt);
  }
}

// In one that holds the objects of the region, and not the region.
void loop_over_objects(const Table& table, std::size_t region, Word salt) {
  Loop loop{};
  loop.table = table;
  loop.range = {0, kObjects};
  loop.windows[0] = {.region = static_cast<std::uint8_t>(region),
                     .mode = MYR_INOUT,
                     .offset = 0,
                     .count = kObjects,
                     .first = 0,
                     .before = 0,
                     .after = 0};
  loop.window_count = 1;
  loop.grain = 1;
  loop.salt = salt;
  start(loop);
}

struct Held {
  Table table;
  std::size_t region;
  Word salt;
};

// ---- programs -----------------------------------------------------------------------------------

class Program {
 public:
  Program(std::uint64_t seed, bool spawns) : rng_(seed) {
    table_.spawns = spawns;
    for (std::size_t r = 0; r < kRegions; ++r) {
      const bool is_inner = r != 0 && rng_.chance(50);
      table_.around[r] =
          static_cast<std::uint8_t>(is_inner ? rng_.below(static_cast<unsigned>(r)) : r);
      const int level = static_cast<int>(rng_.below(3));
      if (spawns) {
        const myr_region around = is_inner ? table_.regions[table_.around[r]] : MYR_ROOT;
        table_.regions[r] = myr_region_new(around, level);
      }
      for (std::size_t k = 0; k < kObjects; ++k) make(r, k);
    }
  }
  ~Program() {
    for (std::size_t r = 0; r < kRegions; ++r) {
      if (table_.spawns && table_.around[r] == r) myr_region_free(table_.regions[r]);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  Word run() {
    for (unsigned steps = 5 + rng_.below(30); steps > 0; --steps) take_step();
    wait_for_all();
    return sum_;
  }

 private:
  void make(std::size_t region, std::size_t k) {
    const std::size_t count = 1 + rng_.below(rng_.chance(5) ? 5000 : 40);
    Word*& object = table_.objects[region][k];
    object = table_.spawns ? Region(table_.regions[region]).make_array<Word>(count)
                           : own_.emplace_back(new Word[count]).get();
    table_.words[region][k] = static_cast<std::uint32_t>(count);
    fill(object, count, count);
  }

  void wait_for_all() {
    try {
      if (table_.spawns) wait_all();
      if (!thrown_.empty() && !table_.spawns) throw std::runtime_error(thrown_);
    } catch (const std::exception& exception) {
      note(exception.what());
    }
    thrown_.clear();
    for (std::size_t r = 0; r < kRegions; ++r) {
      for (std::size_t k = 0; k < kObjects; ++k) {
        sum_ = mix(sum_, digest(table_.objects[r][k], table_.words[r][k]));
      }
    }
  }
  void note(const std::string& text) {
    const std::size_t at = text.find("thrown by ");
    sum_ = mix(sum_, at == std::string::npos ? 1 : std::stoull(text.substr(at + 10)));
  }

  void start_main_loop() {
    Loop loop = random_loop(rng_, table_, kRegions);
    if (rng_.chance(5)) {
      loop.deed = Deed::Throws;
      if (thrown_.empty()) thrown_ = text_of(loop.salt);
    }
    try {
      start(loop);
    } catch (const std::runtime_error&) {  // at once; the next wait is where it counts
    }
  }

  void wait_and_stir(std::size_t region, std::size_t k, bool whole_region, Word salt) {
    if (table_.spawns && whole_region) wait(inout(Region(table_.regions[region])));
    if (table_.spawns && !whole_region) wait(inout(table_.objects[region][k]));
    stir(table_.objects[region][k], table_.words[region][k], salt);
  }

  void renew(std::size_t region, std::size_t k) {
    wait_and_stir(region, k, false, 1);
    if (table_.spawns) destroy_array(table_.objects[region][k]);
    make(region, k);
  }
  static void destroy_array(Word* object) { myr_free(object); }

  void spawn_holder(std::size_t kind, const Held& held) {
    const Region region(table_.regions[held.region]);
    if (kind == 0) {
      const auto work = [held](Region) { stir_region(held.table, held.region, held.salt); };
      table_.spawns ? spawn(work, inout(region)) : work(region);
    } else if (kind == 1) {
      const auto work = [held](Region) { start_loops(held.table, held.region, held.salt); };
      table_.spawns ? spawn(work, inout(region)) : work(region);
    } else if (kind == 2) {
      const auto work = [held](Region) {
        Rng rng(held.salt);
        start(random_loop(rng, held.table, held.region));
      };
      table_.spawns ? spawn(work, weak(inout(region))) : work(region);
    } else {
      spawn_holder_of_objects(held);
    }
  }
  void spawn_holder_of_objects(const Held& held) {
    if (!table_.spawns) return loop_over_objects(held.table, held.region, held.salt);
    static const myr_site site = {__FILE__, "spawn_holder_of_objects", __LINE__, 0};
    const myr_draft draft = myr_draft_new_at(sizeof(Held), kObjects, &site);
    for (std::size_t k = 0; k < kObjects; ++k) {
      draft.accesses[k] = myr_inout(table_.objects[held.region][k]);
    }
    std::memcpy(draft.closure, &held, sizeof held);
    const auto body = [](void* closure, const myr_access*) {
      const Held& own = *static_cast<const Held*>(closure);
      loop_over_objects(own.table, own.region, own.salt);
    };
    myr_submit_at(draft, body, &site);
  }

  void take_step() {
    const std::size_t r = rng_.below(kRegions), s = rng_.below(kRegions);
    const std::size_t k = rng_.below(kObjects), l = rng_.below(kObjects);
    Word *const from = table_.objects[r][k], *const to = table_.objects[s][l];
    const std::size_t from_count = table_.words[r][k], to_count = table_.words[s][l];
    const Word salt = rng_.next();
    const unsigned kind = rng_.below(14);
    if (kind < 6) {
      start_main_loop();
    } else if (kind == 6 && from != to) {
      table_.spawns ? spawn(mix_into, in(from), from_count, inout(to), to_count, salt)
                    : mix_into(from, from_count, to, to_count, salt);
    } else if (kind == 7) {
      const std::size_t half = to_count / 2, rest = to_count - half;
      table_.spawns ? spawn(stir, inout(to + half, rest), rest, salt) : stir(to + half, rest, salt);
    } else if (kind <= 10) {
      spawn_holder(salt % 4, {table_, r, salt});
    } else if (kind == 11) {
      wait_and_stir(s, l, salt % 3 == 0, salt);
    } else if (kind == 12) {
      wait_for_all();
    } else {
      renew(s, l);
    }
  }

  Rng rng_;
  Table table_{};
  std::string thrown_;  // what the next wait throws
  Word sum_ = 0;
  std::vector<std::unique_ptr<Word[]>> own_;
};

bool run_program(std::uint64_t seed) {
  const Word expected = Program(seed, false).run();
  return Program(seed, true).run() == expected;
}

}  // namespace
}  // namespace myr::random_test

int main(int argc, char** argv) {
  return myr::random_test::run_seeds(argc, argv, 100, myr::random_test::run_program);
}
