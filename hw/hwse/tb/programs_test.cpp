// SPDX-License-Identifier: Apache-2.0
//
// Programs as OpenMP's software writes them, at random, on the scheduling engine: each iteration,
// section, single and task runs once, whatever the threads' order; nested teams leave the outer
// work-share as it was; what is full loses nothing.
#include <algorithm>
#include <memory>

#include "engine.hpp"

using namespace myr::hw;

namespace {

constexpr unsigned kPatienceCycles = 400000;

// One construct: a loop, sections or a single.
struct Construct {
  unsigned reg;  // what opens it; HWSE_SINGLE
  std::int32_t start = 0;
  std::int32_t stride = 1;
  unsigned count = 0;  // of iterations
  unsigned chunk = 1;
  bool nowait = false;
  std::vector<unsigned> runs{};  // how often each iteration has run
  std::vector<unsigned> by{};    // who ran it last
  [[nodiscard]] std::int32_t end() const {
    return start + stride * static_cast<std::int32_t>(count);
  }
};

struct Program {
  unsigned size;  // threads
  std::vector<Construct> constructs;
};

// A nested team, as a thread hands it to the core that helps.
struct Job {
  Program* program = nullptr;
  std::uint32_t context = 0;
};

struct World {
  HwseCores& cores;
  std::vector<std::unique_ptr<Program>> nested{};
  Job jobs[HwseCores::kCores] = {};  // by the helping core
  bool over = false;
  unsigned nested_runs = 0;
};

Program random_program(HwseCores& cores, unsigned size, unsigned length) {
  Program program{size, {}};
  for (unsigned i = 0; i < length; ++i) {
    static constexpr unsigned kRegs[] = {HWSE_LOOP_STATIC, HWSE_LOOP_DYNAMIC, HWSE_LOOP_GUIDED,
                                         HWSE_SECTIONS, HWSE_SINGLE};
    Construct construct{.reg = kRegs[cores.number() % 5]};
    construct.count = cores.chance(15) ? 0 : cores.number() % 30;
    construct.nowait = cores.chance(60);
    if (construct.reg == HWSE_SECTIONS) construct.start = 1;
    if (construct.reg == HWSE_SINGLE) construct.count = 1;
    if (construct.reg <= HWSE_LOOP_GUIDED) {
      construct.start = static_cast<std::int32_t>(cores.number() % 100) - 50;
      construct.chunk = 1 + cores.number() % 5;
      const int stride = construct.reg == HWSE_LOOP_GUIDED ? 1 : 1 + int(cores.number() % 3);
      construct.stride = cores.chance(50) ? stride : -stride;
    }
    construct.runs.assign(construct.count, 0);
    construct.by.assign(construct.count, 0);
    program.constructs.push_back(construct);
  }
  return program;
}

void check(const Program& program) {
  for (const Construct& construct : program.constructs) {
    CAPTURE(construct.reg);
    CAPTURE(construct.count);
    for (unsigned i = 0; i < construct.count; ++i) {
      REQUIRE(construct.runs[i] == 1);
      const bool is_static = construct.reg == HWSE_LOOP_STATIC;
      if (is_static) REQUIRE(construct.by[i] == i / construct.chunk % program.size);
    }
  }
}

CoreProgram run_team(World& world, unsigned core, Program& program, std::uint32_t context);

// In the middle of a chunk: a team of this core and the next, on whose way nothing of the outer
// work-share may change.
CoreProgram run_nested(World& world, unsigned core) {
  HwseCores& cores = world.cores;
  if (world.jobs[core + 1].program != nullptr) co_return;  // the helper still leaves the last
  const std::uint32_t context = co_await cores.read(core, HWSE_CONTEXT);
  const std::uint32_t chunk_end = co_await cores.read(core, HWSE_CHUNK_END);
  const std::uint32_t inner = co_await cores.read(core, HWSE_TEAM_OPEN, 2);
  REQUIRE(inner != 0);
  world.nested.push_back(std::make_unique<Program>(random_program(cores, 2, 3)));
  Program& program = *world.nested.back();
  world.nested_runs += 1;
  world.jobs[core + 1] = {&program, HWSE_CONTEXT_OF(inner, 1)};
  co_await run_team(world, core, program, inner);
  co_await cores.write(core, HWSE_CONTEXT, context);
  co_await cores.write(core, HWSE_CHUNK_END, chunk_end);
  while (world.jobs[core + 1].program != nullptr) co_await cores.read(core, HWSE_TAKEN);
  co_await cores.write(core, HWSE_TEAM_CLOSE, inner);
  check(program);
}

CoreProgram run_loop(World& world, unsigned core, unsigned rank, Construct& construct,
                     bool may_nest) {
  HwseCores& cores = world.cores;
  std::uint32_t entered = 0;
  while (entered == 0) entered = co_await cores.read(core, HWSE_SHARE_INIT);
  if (entered == 1 && construct.reg == HWSE_SECTIONS) {
    co_await cores.write(core, HWSE_SECTIONS, construct.count);
  } else if (entered == 1) {
    co_await cores.write(core, HWSE_LOOP_START, static_cast<std::uint32_t>(construct.start));
    co_await cores.write(core, HWSE_LOOP_END, static_cast<std::uint32_t>(construct.end()));
    const int step = construct.stride * static_cast<std::int32_t>(construct.chunk);
    co_await cores.write(core, construct.reg, static_cast<std::uint32_t>(step));
  }
  bool nests = may_nest && cores.chance(30);
  while (true) {
    const auto start = static_cast<std::int32_t>(co_await cores.read(core, HWSE_SHARE_FETCH));
    const auto end = static_cast<std::int32_t>(co_await cores.read(core, HWSE_CHUNK_END));
    if (start == end) break;
    for (std::int32_t i = start; i != end; i += construct.stride) {
      const auto iteration = static_cast<unsigned>((i - construct.start) / construct.stride);
      REQUIRE(iteration < construct.count);
      construct.runs[iteration] += 1;
      construct.by[iteration] = rank;
    }
    if (nests) co_await run_nested(world, core);
    nests = false;
  }
  co_await cores.write(core, HWSE_SHARE_LEAVE, 0);
}

CoreProgram run_team(World& world, unsigned core, Program& program, std::uint32_t context) {
  HwseCores& cores = world.cores;
  const unsigned rank = context >> 5 & 31;
  const bool may_nest = core % 2 == 0 && world.jobs[core + 1].program == nullptr && !world.over;
  co_await cores.write(core, HWSE_CONTEXT, context);
  for (Construct& construct : program.constructs) {
    if (construct.reg == HWSE_SINGLE) {
      std::uint32_t answer = 0;
      while (answer == 0) answer = co_await cores.read(core, HWSE_SINGLE);
      construct.runs[0] += answer == 1 ? 1 : 0;
    } else {
      co_await run_loop(world, core, rank, construct, may_nest && program.size == 2);
    }
    if (construct.nowait) continue;
    while (co_await cores.read(core, HWSE_SYNC) == 0) {
    }
  }
  while (co_await cores.read(core, HWSE_SYNC) == 0) {
  }
}

CoreProgram run_first(World& world, unsigned core, Program& program, std::uint32_t context,
                      unsigned& running) {
  co_await run_team(world, core, program, context);
  running -= 1;
  world.over = running == 0;
  CHECK(co_await world.cores.read(core, HWSE_ERROR) == 0);
}

CoreProgram help(World& world, unsigned core) {
  while (!world.over) {
    if (world.jobs[core].program != nullptr) {
      co_await run_team(world, core, *world.jobs[core].program, world.jobs[core].context);
      co_await world.cores.write(core, HWSE_CONTEXT, 0);
      world.jobs[core].program = nullptr;
    } else {
      co_await world.cores.read(core, HWSE_TAKEN);
    }
  }
}

// A team of all cores, or of every second with the others as helpers of nested teams.
unsigned run_random(unsigned seed, bool nests) {
  CAPTURE(seed);
  HwseCores cores(seed, 30 + seed % 3 * 35);
  World world{cores};
  const unsigned size = nests ? 2 : HwseCores::kCores;
  Program program = random_program(cores, size, 25);
  // Core 0 opens the team for all.
  std::uint32_t context = 0;
  const auto open = [](HwseCores& all, unsigned threads, std::uint32_t& word) -> CoreProgram {
    word = co_await all.read(0, HWSE_TEAM_OPEN, threads);
  };
  cores.start(0, open(cores, size, context));
  cores.run(100);
  cores.forget();
  unsigned running = size;
  for (unsigned core = 0; core < HwseCores::kCores; ++core) {
    const unsigned rank = nests ? core / 2 : core;
    if (nests && core % 2 == 1) {
      cores.start(core, help(world, core));
    } else {
      cores.start(core, run_first(world, core, program, HWSE_CONTEXT_OF(context, rank), running));
    }
  }
  cores.run(kPatienceCycles);
  check(program);
  return world.nested_runs;
}

}  // namespace

TEST_CASE("loops, sections and singles: each iteration runs once, threads run ahead of others") {
  for (unsigned seed = 1; seed <= 15; ++seed) run_random(seed, false);
}

TEST_CASE("nested teams, several at a time, leave the outer work-share as it was") {
  unsigned nested_runs = 0;
  for (unsigned seed = 1; seed <= 15; ++seed) nested_runs += run_random(seed, true);
  CHECK(nested_runs > 30);
}

namespace {

// A tree of tasks with `taskwait`: descriptors from one queue, ready tasks in the other, children
// counted by the engine. A task that finds no descriptor, or no room, runs where it is made.
struct Tasks {
  static constexpr unsigned kHeap = 0, kReady = 1;  // queues
  static constexpr std::uint32_t kBase = HwseCores::kSizes.word_base + 0x1000, kBin = 24;
  static constexpr unsigned kBins = HwseCores::kSizes.queue_depth;
  static constexpr unsigned kRoot = kBins;  // its counter
  struct Descriptor {
    unsigned parent = 0, depth = 0;
    bool live = false;
  };
  HwseCores& cores;
  Descriptor descriptors[kBins] = {};
  unsigned made = 0, ran = 0, inline_runs = 0;
  bool over = false;

  CoreProgram free(unsigned core, unsigned index) {
    REQUIRE(descriptors[index].live);
    descriptors[index].live = false;
    co_await cores.write(core, HWSE_QUEUE_PUSH, kBase + index * kBin, kHeap);
    CHECK(co_await cores.read(core, HWSE_TAKEN) == 1);
  }
  CoreProgram run(unsigned core, std::uint32_t word) {
    const unsigned index = (word - kBase) / kBin;
    REQUIRE(index < kBins);
    REQUIRE(descriptors[index].live);
    const unsigned parent = descriptors[index].parent;
    co_await body(core, index, descriptors[index].depth);
    if (co_await cores.read(core, HWSE_COUNT_DOWN, parent) == 0) co_await free(core, parent);
    if (co_await cores.read(core, HWSE_COUNT_DOWN, index) == 0) co_await free(core, index);
  }
  CoreProgram spawn(unsigned core, unsigned parent, unsigned depth) {
    made += 1;
    const std::uint32_t word = co_await cores.read(core, HWSE_QUEUE_POP, kHeap);
    if (word == 0) {
      inline_runs += 1;
      co_await body(core, parent, depth);
      co_return;
    }
    const unsigned index = (word - kBase) / kBin;
    REQUIRE(index < kBins);
    REQUIRE_FALSE(descriptors[index].live);
    descriptors[index] = {parent, depth, true};
    co_await cores.write(core, HWSE_COUNT, 1, index);
    co_await cores.read(core, HWSE_COUNT_UP, parent);
    co_await cores.write(core, HWSE_QUEUE_PUSH, word, kReady);
  }
  CoreProgram wait(unsigned core, unsigned index) {
    while (co_await cores.read(core, HWSE_COUNT, index) > 1) {
      const std::uint32_t word = co_await cores.read(core, HWSE_QUEUE_POP, kReady);
      if (word != 0) co_await run(core, word);
    }
  }
  CoreProgram body(unsigned core, unsigned index, unsigned depth) {
    ran += 1;
    const unsigned children = depth == 0 ? 0 : cores.number() % 4;
    for (unsigned i = 0; i < children; ++i) co_await spawn(core, index, depth - 1);
    if (cores.chance(60)) co_await wait(core, index);
  }
  CoreProgram run_root(unsigned core) {
    co_await cores.write(core, HWSE_HEAP_START, kBase, kHeap);
    co_await cores.write(core, HWSE_HEAP_END, kBase + kBins * kBin + kBin / 2, kHeap);
    co_await cores.write(core, HWSE_HEAP_STEP, kBin, kHeap);
    co_await cores.write(core, HWSE_COUNT, 1, kRoot);
    made = 1;
    co_await body(core, kRoot, 5);
    co_await wait(core, kRoot);
    while (ran != made || std::ranges::any_of(descriptors, &Descriptor::live)) {
      const std::uint32_t word = co_await cores.read(core, HWSE_QUEUE_POP, kReady);
      if (word != 0) co_await run(core, word);
    }
    over = true;
    CHECK(co_await cores.read(core, HWSE_ERROR) == 0);
  }
  CoreProgram help(unsigned core) {
    while (!over) {
      const std::uint32_t word = co_await cores.read(core, HWSE_QUEUE_POP, kReady);
      if (word != 0) co_await run(core, word);
    }
  }
};

// Words that queue up until one is refused; it is not lost, since its core knows.
CoreProgram fill_queue(HwseCores& cores) {
  const std::uint32_t base = HwseCores::kSizes.word_base;
  for (unsigned i = 1; i <= HwseCores::kSizes.queue_depth; ++i) {
    co_await cores.write(0, HWSE_QUEUE_PUSH, base + 4 * i, 0);
    CHECK(co_await cores.read(0, HWSE_TAKEN) == 1);
  }
  co_await cores.write(0, HWSE_QUEUE_PUSH, 99, 0);
  CHECK(co_await cores.read(0, HWSE_TAKEN) == 0);
  CHECK(co_await cores.read(0, HWSE_ERROR) == 0);
  for (unsigned i = 1; i <= HwseCores::kSizes.queue_depth; ++i) {
    CHECK(co_await cores.read(0, HWSE_QUEUE_POP, 0) == base + 4 * i);
  }
  CHECK(co_await cores.read(0, HWSE_QUEUE_POP, 0) == 0);
}

CoreProgram open_teams(HwseCores& cores) {
  for (unsigned i = 0; i < HwseCores::kSizes.teams; ++i) {
    CHECK(co_await cores.read(0, HWSE_TEAM_OPEN, 1) != 0);
  }
  CHECK(co_await cores.read(0, HWSE_TEAM_OPEN, 1) == 0);
  co_await cores.write(0, HWSE_TEAM_CLOSE, 1);
  CHECK(co_await cores.read(0, HWSE_TEAM_OPEN, 1) == 1);
  CHECK(co_await cores.read(0, HWSE_ERROR) == 0);
}

}  // namespace

TEST_CASE(
    "trees of tasks: each runs once, a parent waits for its children, no bin is given twice") {
  unsigned inline_runs = 0, most = 0;
  for (unsigned seed = 1; seed <= 25; ++seed) {
    CAPTURE(seed);
    HwseCores cores(seed);
    Tasks tasks{cores};
    cores.start(0, tasks.run_root(0));
    for (unsigned core = 1; core < HwseCores::kCores; ++core) cores.start(core, tasks.help(core));
    cores.run(kPatienceCycles);
    CHECK(tasks.ran == tasks.made);
    inline_runs += tasks.inline_runs;
    most = std::max(most, tasks.made);
  }
  CHECK(inline_runs > 50);
  CHECK(most > 50);
}

TEST_CASE("a full queue refuses a word: it is not lost, and none inside is") {
  HwseCores cores(1);
  cores.start(0, fill_queue(cores));
  cores.run(2000);
}

TEST_CASE("no team is left when all are open, until one is closed") {
  HwseCores cores(1);
  cores.start(0, open_teams(cores));
  cores.run(2000);
}
