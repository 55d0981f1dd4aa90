// SPDX-License-Identifier: Apache-2.0
//
// Mistakes about tasks themselves: exceptions nobody takes, locals that do not live long enough,
// calls from foreign threads; and running out of memory, which run_case.py brings about with a
// limit.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <myr/myr.hpp>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <vector>

#include "cases.hpp"

namespace myr::misuse_test {

namespace {

void throw_unseen() {
  static int number = 0;
  const auto task = [](int&) { throw std::runtime_error("the oven is cold"); };
  spawn(task, inout(number));  // misuse: throw_unseen: the oven is cold
}

void throw_without_accesses() {
  const auto task = [] { throw std::runtime_error("the oven is closed"); };
  spawn(task);  // misuse: throw_without_accesses: the oven is closed
}

void throw_with_values() {
  const auto task = [](int, const char* what) { throw std::runtime_error(what); };
  spawn(task, 1, "the oven is off");  // misuse: throw_with_values: the oven is off
}

void throw_in_unseen_future() {
  const auto task = [](int) { throw std::runtime_error("the oven is full"); };
  Future<> future = async(task, 1);  // misuse: throw_in_unseen_future: the oven is full
}

void throw_unseen_by_spawner() {
  static int number = 0;
  const auto inner = [](int&) { throw std::logic_error("no flour"); };
  const auto task = [inner](int& held) {
    spawn(inner, inout(held));  // misuse: throw_unseen_by_spawner: no flour
  };
  spawn(task, inout(number));
}

void throw_uncaught() {
  static int number = 0;
  const auto task = [](int&) { throw std::runtime_error("the oven is hot"); };
  spawn(task, inout(number));  // misuse: throw_uncaught: the oven is hot.*nobody has caught
  wait_all();
}

void throw_no_exception() {
  static int number = 0;
  const auto task = [](int&) { throw 42; };
  spawn(task, inout(number));  // misuse: throw_no_exception: exception|threw
}

// Not with one thread, where the child has run when its spawn returns, as it may have on a worker
// of a tree. On the other machines the child is held back, or not begun, until the mistake is seen.
void locals_in_use() {
  static int number = 0;
  const auto task = [](int&) {
    int local = 0;
    const auto child = [](int& value) {
      static std::atomic<bool> never{false};
      while (!never.load()) std::this_thread::yield();
      value = 1;
    };
    spawn(child, inout(local));  // misuse: locals_in_use: nested: local|stack
  };
  spawn(task, inout(number));
  wait_all();
}

// The same where the one that returns is main.
void locals_of_main_in_use() {
  int local = 0;
  const auto child = [](int& value) {
    static std::atomic<bool> never{false};
    while (!never.load()) std::this_thread::yield();
    value = 1;
  };
  spawn(child, inout(local));  // misuse: locals_of_main_in_use: parallel: local|stack
}

void wait_deeper(int& levels) {
  if (levels-- == 0) return;
  [[maybe_unused]] volatile char room[16 << 10];  // so that stacks are full before memory is
  room[0] = 0;
  spawn(wait_deeper, inout(levels));  // misuse: waits_too_deep: stack.*nest waits less
  wait_all();
}
void waits_too_deep() {
  static int levels = 10'000'000;
  wait_deeper(levels);
}

void cancel_all() {
  Region::root().cancel();  // misuse: cancel_all: region 0
}

void cancel_unknown() {
  Region region = Region::create();
  region.free();
  region.cancel();  // misuse: cancel_unknown: no region
}

void event_outside() {
  std::ignore = Event::create();  // misuse: event_outside: outside of a task
}

void event_twice() {
  spawn([] {
    Event event = Event::create();
    event.complete();
    event.complete();  // misuse: event_twice: completed already
  });
  wait_all();
}

// On machines with other threads nobody can know: one of them may complete it.
void event_for_ever() {
  static myr_event later = 0;
  const auto task = [](int&) {
    later = Event::create().release();  // misuse: event_for_ever: one thread: waits for it for ever
  };
  static int number = 0;
  spawn(task, out(number));
  wait(in(number));
  Event(later).complete();
}

void step_begun_twice() {
  const myr_recording recording = myr_recording_new();
  myr_step_begin(recording);
  spawn([recording] {
    myr_step_begin(recording);  // misuse: step_begun_twice: not ended
  });
  wait_all();
}

void step_ended_twice() {
  const myr_recording recording = myr_recording_new();
  for (int i = 0; i < 3; ++i) {
    myr_step_begin(recording);
    spawn([] {});
    myr_step_end(recording);
  }
  myr_step_end(recording);  // misuse: step_ended_twice: ended already
}

void step_of_nothing() {
  myr_step_begin(nullptr);  // misuse: step_of_nothing: NULL
}

void recording_freed_in_step() {
  const myr_recording recording = myr_recording_new();
  myr_step_begin(recording);
  myr_recording_free(recording);  // misuse: recording_freed_in_step: not ended
}

void recording_of_other_task() {
  Recording recording;
  const auto spawns = [] { spawn([] {}); };
  recording.step(spawns);
  spawn([&recording, spawns] {
    recording.step(spawns);  // misuse: recording_of_other_task: no agents: another task
  });
  wait_all();
}

void foreign_thread() {
  std::ignore = myr_init();
  std::thread stranger([] {
    std::ignore = myr_alloc(8, MYR_ROOT);  // misuse: foreign_thread: no guests: virtual|accepts
  });
  stranger.join();
}

void use_after_finish() {
  std::ignore = myr_init();
  myr_finish();
  std::ignore = myr_alloc(8, MYR_ROOT);  // misuse: use_after_finish: myr_finish
}

// Touches what it allocates, until there is no more.
void memory_exhausted() {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  for (;;) {
    void* const object =
        myr_alloc(kBytes, MYR_ROOT);  // misuse: memory_exhausted: data limit: memory
    std::memset(object, 1, kBytes);
  }
}

// A task with more accesses than there is memory to tell what they conflict with. The first one
// does not end, or tasks could be over as soon as they are spawned.
void no_memory_for_accesses() {
  constexpr std::size_t kAccesses = 1'500'000;
  static char bytes[2 * kAccesses];
  static std::atomic<bool> is_over{false};
  std::vector<myr_access> accesses;  // before the machine is there, which needs most of the memory
  accesses.reserve(kAccesses);
  for (std::size_t i = 0; i < kAccesses; ++i) {
    accesses.push_back(myr_inout_range(&bytes[2 * i], 1));
  }
  const myr_access* const first = accesses.data();
  const auto hang = [](const myr_access*) {
    while (!is_over) std::this_thread::yield();
  };
  for (;;) {
    myr_spawn_array(hang, first, kAccesses);  // misuse: no_memory_for_accesses: little: no memory
  }
}

void several_at_once() {
  static std::atomic<int> ready{0};
  int* const object = Region::root().make<int>(1);
  const auto task = [](int* stranger) {
    // For the others, which a machine of one thread does not have. On a busy computer a yield may
    // take as long as a time slice, so it is time that has an end, not their number.
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    ready += 1;
    while (ready < 4 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    myr_free(stranger);  // misuse: several_at_once: footprint|hold
  };
  for (int i = 0; i < 8; ++i) spawn(task, object);
  wait_all();
}

// A thread that holds what C's library locks to write, for ever.
void output_is_locked() {
  static std::atomic<bool> locked{false};
  std::thread([] {
    flockfile(stdout);
    flockfile(stderr);
    std::fputs("half a line", stdout);
    locked = true;
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
  }).detach();
  while (!locked) std::this_thread::yield();
  myr_free(&locked);  // misuse: output_is_locked: no live object
}

constexpr Case kCases[] = {
    {"throw_unseen", throw_unseen},
    {"throw_without_accesses", throw_without_accesses},
    {"throw_with_values", throw_with_values},
    {"throw_in_unseen_future", throw_in_unseen_future},
    {"throw_unseen_by_spawner", throw_unseen_by_spawner},
    {"throw_uncaught", throw_uncaught},
    {"throw_no_exception", throw_no_exception},
    {"locals_in_use", locals_in_use},
    {"locals_of_main_in_use", locals_of_main_in_use},
    {"waits_too_deep", waits_too_deep},
    {"cancel_all", cancel_all},
    {"cancel_unknown", cancel_unknown},
    {"event_outside", event_outside},
    {"event_twice", event_twice},
    {"event_for_ever", event_for_ever},
    {"step_begun_twice", step_begun_twice},
    {"step_ended_twice", step_ended_twice},
    {"step_of_nothing", step_of_nothing},
    {"recording_freed_in_step", recording_freed_in_step},
    {"recording_of_other_task", recording_of_other_task},
    {"foreign_thread", foreign_thread},
    {"use_after_finish", use_after_finish},
    {"memory_exhausted", memory_exhausted},
    {"no_memory_for_accesses", no_memory_for_accesses},
    {"several_at_once", several_at_once},
    {"output_is_locked", output_is_locked},
};

}  // namespace

const std::span<const Case> kTaskCases = kCases;

}  // namespace myr::misuse_test
