// SPDX-License-Identifier: Apache-2.0
//
// Every small program, against its serial result. A program is up to four tasks, each with one
// access (or, in the shorter programs, two): `in` or `inout` on object a in region R, on its first
// half, on object b in the sub-region S of R, on S, or on R. A task is spawned by main or, if its
// footprint allows, by the last task that main spawned; that one may wait for its children before
// it ends, or not.
//
// Many programs are in flight at once, each with a region R of its own.
#include <myr/myr.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

// ---- Programs.

constexpr unsigned kTaskMax = 4;
constexpr unsigned kWords = 3;  // a[0], a[1] and b[0]

enum Place : std::uint8_t { HalfA, A, B, S, R, kPlaceCount };
constexpr std::array<unsigned, kPlaceCount> kWordsOf{0b001, 0b011, 0b100, 0b100, 0b111};
constexpr std::array<const char*, kPlaceCount> kPlaceNames{"a[0]", "a", "b", "S", "R"};
// Does the row's place contain the column's?
constexpr bool kContains[kPlaceCount][kPlaceCount] = {
    {true, false, false, false, false},  // HalfA
    {true, true, false, false, false},   // A
    {false, false, true, false, false},  // B
    {false, false, true, true, false},   // S
    {true, true, true, true, true},      // R
};

struct Access {
  Place place;
  bool writes;
};
struct Task {
  std::array<Access, 2> accesses;
  unsigned access_count;
  bool is_child;  // of the last task that is no child
};
struct Program {
  std::array<Task, kTaskMax> tasks;
  unsigned task_count;
  bool parents_wait;
};
using Memory = std::array<std::uint64_t, kWords>;
struct Outcome {
  std::array<std::uint64_t, kTaskMax> hashes;
  Memory memory;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

bool covered(const Access& access, const Task& parent) {
  for (unsigned i = 0; i < parent.access_count; ++i) {
    const Access& held = parent.accesses[i];
    if (kContains[held.place][access.place] && (held.writes || !access.writes)) return true;
  }
  return false;
}

std::string describe(const Program& program) {
  std::string text;
  for (unsigned i = 0; i < program.task_count; ++i) {
    const Task& task = program.tasks[i];
    text += task.is_child ? "    spawn(" : "  spawn(";
    for (unsigned j = 0; j < task.access_count; ++j) {
      const Access& access = task.accesses[j];
      text += std::string(j == 0 ? "" : ", ") + (access.writes ? "inout " : "in ") +
              kPlaceNames[access.place];
    }
    text += ")\n";
  }
  return text + (program.parents_wait ? "  parents wait for their children\n" : "");
}

// ---- What a task does: folds what it reads into a hash, then mixes that into what it writes.

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t z = (a ^ (b + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

struct Masks {
  unsigned reads = 0;
  unsigned writes = 0;
};
Masks masks_of(const Task& task) {
  Masks masks;
  for (unsigned i = 0; i < task.access_count; ++i) {
    const Access& access = task.accesses[i];
    masks.reads |= kWordsOf[access.place];
    if (access.writes) masks.writes |= kWordsOf[access.place];
  }
  return masks;
}

void work(const Task& task, unsigned index, const std::array<std::uint64_t*, kWords>& words,
          std::uint64_t& hash) {
  const Masks masks = masks_of(task);
  hash = index + 1;
  for (unsigned i = 0; i < kWords; ++i) {
    if ((masks.reads >> i & 1) != 0) hash = mix(hash, *words[i]);
  }
  for (unsigned i = 0; i < kWords; ++i) {
    if ((masks.writes >> i & 1) != 0) *words[i] = mix(hash, *words[i]);
  }
}

Outcome run_serially(const Program& program) {
  Outcome outcome{{}, {11, 12, 13}};
  const std::array<std::uint64_t*, kWords> words{&outcome.memory[0], &outcome.memory[1],
                                                 &outcome.memory[2]};
  for (unsigned i = 0; i < program.task_count; ++i) {
    work(program.tasks[i], i, words, outcome.hashes[i]);
  }
  return outcome;
}

// ---- Running on Myrmidon.

struct Run {
  Program program;
  myr_region r;
  myr_region s;
  std::array<std::uint64_t*, kWords> words;
  std::array<std::uint64_t, kTaskMax> hashes;
  unsigned delay_seed;
};

myr_access make_access(const Run& run, const Access& access) {
  const unsigned mode = access.writes ? MYR_INOUT : MYR_IN;
  switch (access.place) {
    case HalfA:
      return myr_make_access(run.words[0], sizeof(std::uint64_t), mode);
    case A:
      return myr_make_access(run.words[0], 0, mode);
    case B:
      return myr_make_access(run.words[2], 0, mode);
    case S:
      return myr_region_access(run.s, mode);
    default:
      return myr_region_access(run.r, mode);
  }
}

void delay(unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) asm volatile("" ::: "memory");
}

// Shifts the tasks against each other, differently in each program.
void delay_task(unsigned seed) {
  if (mix(seed, 5) % 4 == 0) delay(mix(seed, 7) % 800);
}

// Lets main fall behind its tasks in some programs, so that it meets tasks that have ended.
void delay_main(unsigned seed) {
  if (mix(seed, 5) % 8 == 0) delay(mix(seed, 11) % 20'000);
}

void call_task(const myr_access* args);

void spawn(Run& run, unsigned index) {
  const Task& task = run.program.tasks[index];
  std::array<myr_access, 4> args{myr_pointer(&run), myr_value(index)};
  for (unsigned i = 0; i < task.access_count; ++i) {
    args[2 + i] = make_access(run, task.accesses[i]);
  }
  myr_spawn_array(call_task, args.data(), 2 + task.access_count);
}

void call_task(const myr_access* args) {
  Run& run = *static_cast<Run*>(args[0].address);
  const auto index = static_cast<unsigned>(args[1].integer);
  const Program& program = run.program;
  delay_task(run.delay_seed * kTaskMax + index);
  work(program.tasks[index], index, run.words, run.hashes[index]);
  if (program.tasks[index].is_child) return;
  for (unsigned i = index + 1; i < program.task_count && program.tasks[i].is_child; ++i) {
    spawn(run, i);
  }
  if (program.parents_wait) myr_wait_all();
}

void start(Run& run, const Program& program, unsigned delay_seed) {
  run.program = program;
  run.delay_seed = delay_seed;
  run.r = myr_region_new(MYR_ROOT, 0);
  run.s = myr_region_new(run.r, 0);
  auto* const a = static_cast<std::uint64_t*>(myr_alloc(2 * sizeof(std::uint64_t), run.r));
  auto* const b = static_cast<std::uint64_t*>(myr_alloc(sizeof(std::uint64_t), run.s));
  run.words = {a, a + 1, b};
  a[0] = 11;
  a[1] = 12;
  b[0] = 13;
  for (unsigned i = 0; i < program.task_count; ++i) {
    if (program.tasks[i].is_child) continue;
    spawn(run, i);
    delay_main(delay_seed);
  }
}

// Runs programs in batches and compares.
class Checker {
 public:
  void add(const Program& program) {
    start(runs_[started_], program, count_);
    ++started_;
    ++count_;
    if (started_ == runs_.size()) finish_batch();
  }

  unsigned finish() {
    finish_batch();
    return count_;
  }

 private:
  void finish_batch() {
    myr_wait_all();
    for (unsigned i = 0; i < started_; ++i) check(runs_[i]);
    started_ = 0;
  }

  static void check(const Run& run) {
    Outcome found{{}, {*run.words[0], *run.words[1], *run.words[2]}};
    for (unsigned i = 0; i < run.program.task_count; ++i) found.hashes[i] = run.hashes[i];
    myr_region_free(run.r);
    if (found == run_serially(run.program)) return;
    std::fprintf(stderr, "another result than serially:\n%s", describe(run.program).c_str());
    std::exit(1);
  }

  std::vector<Run> runs_{100};
  unsigned started_ = 0;
  unsigned count_ = 0;
};

// ---- All programs.

struct Enumeration {
  unsigned task_count;
  unsigned access_count;  // a task
};

class Enumerator {
 public:
  Enumerator(Checker& checker, Enumeration what) : checker_(checker), what_(what) {
    program_.task_count = what.task_count;
  }
  void run() { choose_task(0, nullptr); }

 private:
  void choose_task(unsigned index, const Task* parent) {
    if (index == what_.task_count) {
      emit();
      return;
    }
    for (const bool is_child : {false, true}) {
      if (is_child && parent == nullptr) continue;
      program_.tasks[index].is_child = is_child;
      program_.tasks[index].access_count = what_.access_count;
      choose_access(index, 0, parent);
    }
  }

  void choose_access(unsigned index, unsigned which, const Task* parent) {
    Task& task = program_.tasks[index];
    if (which == what_.access_count) {
      choose_task(index + 1, task.is_child ? parent : &task);
      return;
    }
    // The order of a task's accesses does not matter: only ascending ones.
    const Access last = which == 0 ? Access{HalfA, false} : task.accesses[which - 1];
    for (unsigned place = last.place; place < kPlaceCount; ++place) {
      for (const bool writes : {false, true}) {
        const Access access{static_cast<Place>(place), writes};
        if (which != 0 && place == last.place && writes <= last.writes) continue;
        if (task.is_child && !covered(access, *parent)) continue;
        task.accesses[which] = access;
        choose_access(index, which + 1, parent);
      }
    }
  }

  void emit() {
    program_.parents_wait = false;
    checker_.add(program_);
    bool nested = false;
    for (unsigned i = 0; i < program_.task_count; ++i) nested |= program_.tasks[i].is_child;
    if (!nested) return;
    program_.parents_wait = true;
    checker_.add(program_);
  }

  Checker& checker_;
  Enumeration what_;
  Program program_{};
};

constexpr Enumeration kSizes[] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {1, 2}, {2, 2}};
constexpr Enumeration kLargest = {3, 2};  // most of the programs
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kIsSlow = true;
#else
constexpr bool kIsSlow = false;
#endif

}  // namespace

// --short: without the largest, for machines where a task costs more.
int main(int argc, char** argv) {
  const bool is_short = argc > 1 && std::strcmp(argv[1], "--short") == 0;
  Checker checker;
  for (const Enumeration size : kSizes) Enumerator(checker, size).run();
  if (!is_short && !kIsSlow) Enumerator(checker, kLargest).run();
  std::printf("%u programs as in the serial run\n", checker.finish());
  return 0;
}
