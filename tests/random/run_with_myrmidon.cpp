// SPDX-License-Identifier: Apache-2.0
//
// Runs a random program through the public interface. Even tasks are spawned with myr_spawn(), odd
// ones as closures with the front ends' draft and submit, so both ways in are exercised.
#include <myr/frontend.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>

#include "interpret.hpp"

namespace myr::random_test {

namespace {

constexpr unsigned kObjectAlignment = 64;

// The place of all calls in tasks. The macros have a static variable for each place, which is made
// by the task that comes there first: a reason for `myr check` to certify nothing.
constexpr myr_site kHere = {__FILE__, "", __LINE__, 0};

// Shared by all tasks of a run without locks: each slot is written by one task, and read only by
// tasks that the runtime must order after it.
struct Run {
  const Program& program;
  std::vector<std::uint64_t*> objects;
  std::vector<myr_region> regions;
  Outcome outcome;
};

[[noreturn]] void fail(const char* what, unsigned object) {
  std::fprintf(stderr, "object %u: %s\n", object, what);
  std::exit(1);
}

void run_task(Run& run, unsigned task);

unsigned flags_of(Way way) {
  if (way == Way::Usual) return 0;
  return way == Way::Commutative ? MYR_COMMUTATIVE : MYR_CONCURRENT;
}

myr_access make_access(const Run& run, const Access& access) {
  const Target& target = access.target;
  const unsigned flags = static_cast<unsigned>(access.mode) |
                         (access.no_transfer ? MYR_NOTRANSFER : 0) |
                         (access.is_weak ? MYR_WEAK : 0) | flags_of(access.way);
  if (target.is_region) return myr_region_access(run.regions[target.index], flags);
  std::uint64_t* const first = run.objects[target.index];
  if (target.is_whole) return myr_make_access(first, 0, flags);
  return myr_make_access(first + target.first, target.count * sizeof *first, flags);
}

void call_task(const myr_access* args) {
  run_task(*static_cast<Run*>(args[0].address), static_cast<unsigned>(args[1].integer));
}

void spawn_by_call(Run& run, unsigned task) {
  std::vector<myr_access> args{myr_pointer(&run), myr_value(task)};
  for (const Access& access : run.program.tasks[task].accesses) {
    args.push_back(make_access(run, access));
  }
  myr_spawn_at(call_task, args.data(), args.size(), &kHere);
}

struct Closure {
  Run* run;
  unsigned task;
};

void spawn_by_draft(Run& run, unsigned task) {
  const std::vector<Access>& accesses = run.program.tasks[task].accesses;
  const myr_draft draft = myr_draft_new_at(sizeof(Closure), accesses.size(), &kHere);
  ::new (draft.closure) Closure{&run, task};
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    draft.accesses[i] = make_access(run, accesses[i]);
  }
  const auto body = [](void* closure, const myr_access*) {
    const Closure& self = *static_cast<Closure*>(closure);
    run_task(*self.run, self.task);
  };
  myr_submit_at(draft, body, &kHere);
}

void wait_for(const Run& run, const std::vector<Access>& accesses) {
  std::vector<myr_access> args;
  for (const Access& access : accesses) args.push_back(make_access(run, access));
  myr_wait_at(args.data(), args.size(), &kHere);
}

std::span<std::uint64_t> words_of(const Run& run, unsigned object) {
  return {run.objects[object], run.program.objects[object].words};
}

void place(Run& run, unsigned object, void* memory, std::uint64_t hash, std::size_t kept_words) {
  if (memory == nullptr) fail("no memory", object);
  if (reinterpret_cast<std::uintptr_t>(memory) % kObjectAlignment != 0) fail("misaligned", object);
  run.objects[object] = static_cast<std::uint64_t*>(memory);
  fill(hash, object, words_of(run, object).subspan(kept_words));
}

void allocate(Run& run, const Step& step, std::uint64_t hash) {
  const ObjectPlan& plan = run.program.objects[step.index];
  const myr_region region = run.regions[plan.region];
  const std::size_t bytes = plan.words * sizeof(std::uint64_t);
  std::vector<void*> memory(step.count);
  if (step.count == 1) {
    memory[0] = myr_alloc_at(bytes, region, &kHere);
  } else {
    myr_alloc_many_at(bytes, region, step.count, memory.data(), &kHere);
  }
  for (unsigned i = 0; i < step.count; ++i) place(run, step.index + i, memory[i], hash, 0);
}

void reallocate(Run& run, const Step& step, std::uint64_t hash) {
  const ObjectPlan& plan = run.program.objects[step.index];
  const unsigned old_words = run.program.objects[step.old_index].words;
  void* const memory =
      myr_realloc_at(run.objects[step.old_index], plan.words * sizeof(std::uint64_t),
                     run.regions[plan.region], &kHere);
  place(run, step.index, memory, hash, std::min(plan.words, old_words));
}

void spin(unsigned rounds) {
  for (unsigned i = 0; i < rounds; ++i) asm volatile("" ::: "memory");  // keeps the loop
}

void run_memory_step(Run& run, const Step& step, std::uint64_t hash) {
  switch (step.kind) {
    case Step::Kind::NewRegion:
      run.regions[step.index] = myr_region_new_at(
          run.regions[run.program.region_parent[step.index]], step.index % 3, &kHere);
      break;
    case Step::Kind::FreeRegion:
      myr_region_free_at(run.regions[step.index], &kHere);
      break;
    case Step::Kind::Allocate:
      allocate(run, step, hash);
      break;
    case Step::Kind::Reallocate:
      reallocate(run, step, hash);
      break;
    default:
      myr_free_at(run.objects[step.index], &kHere);
      break;
  }
}

void run_step(Run& run, const Step& step, std::uint64_t& hash, std::uint64_t* local) {
  switch (step.kind) {
    case Step::Kind::Touch: {
      const Target& target = step.access.target;
      touch(hash, words_of(run, target.index).subspan(target.first, target.count), step.access);
      break;
    }
    case Step::Kind::Spawn:
      (step.index % 2 == 0 ? spawn_by_call : spawn_by_draft)(run, step.index);
      break;
    case Step::Kind::Wait:
      wait_for(run, step.accesses);
      break;
    case Step::Kind::WaitAll:
      myr_wait_all_at(&kHere);
      break;
    case Step::Kind::DeclareLocal:
      run.objects[step.index] = local;
      fill(hash, step.index, words_of(run, step.index));
      break;
    case Step::Kind::Spin:
      spin(step.count);
      break;
    default:
      run_memory_step(run, step, hash);
      break;
  }
}

void run_task(Run& run, unsigned task) {
  std::uint64_t local[kLocalWords];
  std::uint64_t hash = first_hash(task);
  for (const Step& step : run.program.tasks[task].steps) run_step(run, step, hash, local);
  run.outcome.task_hash[task] = hash;
}

void take_contents(Run& run) {
  const auto take = [&](unsigned object) {
    const std::span<std::uint64_t> words = words_of(run, object);
    run.outcome.content[object].assign(words.begin(), words.end());
  };
  for (unsigned object = 0; object < run.program.global_count; ++object) take(object);
  for (const unsigned object : run.program.live_objects) take(object);
}

void free_everything(const Run& run) {
  for (const unsigned object : run.program.live_objects) {
    if (run.program.objects[object].region == kRootRegion) myr_free(run.objects[object]);
  }
  for (const unsigned region : run.program.live_regions) myr_region_free(run.regions[region]);
}

}  // namespace

Outcome run_with_myrmidon(const Program& program) {
  Run run{program, {}, {}, {}};
  run.objects.resize(program.objects.size());
  run.regions.resize(program.region_parent.size());
  run.outcome.task_hash.resize(program.tasks.size());
  run.outcome.content.resize(program.objects.size());
  std::vector<std::vector<std::uint64_t>> globals(program.global_count);
  for (unsigned i = 0; i < program.global_count; ++i) {
    globals[i].resize(program.objects[i].words);
    run.objects[i] = globals[i].data();
    fill(0, i, globals[i]);
  }
  run_task(run, kMainTask);
  myr_wait_all();
  take_contents(run);
  free_everything(run);
  return std::move(run.outcome);
}

}  // namespace myr::random_test
