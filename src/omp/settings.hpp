// SPDX-License-Identifier: Apache-2.0
//
// What OpenMP calls internal control variables: those that each task inherits (Icv), and those that
// the whole process shares (Settings). The environment is read once, when the library is loaded.
//
// Threads: an Icv never changes once it is made, so tasks share it by pointer; a call that sets one
// gives the task another. Equal ones are the same object, and they live for ever: there are as many
// as the program sets different combinations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/gomp_calls.h"

namespace myr::omp {

enum Schedule : std::uint32_t {
  kRuntime = 0,
  kStatic = GOMP_STATIC,
  kDynamic = GOMP_DYNAMIC,
  kGuided = GOMP_GUIDED,
  kAuto = 4,
  kMonotonic = 0x80000000U,
  // For static: nobody said that it is monotonic; for dynamic: nobody said anything. Clang's
  // programs see the difference.
  kUnsaid = 0x40000000U,
};

enum Bind : std::uint32_t {
  kBindFalse = 0,
  kBindTrue = 1,
  kBindPrimary = 2,
  kBindClose = 3,
  kBindSpread = 4,
};

struct Icv {
  std::uint32_t thread_count = 1;
  std::uint32_t thread_limit = 0x7fffffff;
  std::uint32_t schedule = kDynamic | kUnsaid;  // with kMonotonic or without
  std::int32_t chunk = 1;
  std::uint32_t levels_max = 1;
  std::uint32_t bind = kBindFalse;
  std::int32_t device = 0;
  std::uintptr_t allocator = 1;  // of omp_alloc() without another one
  std::uint8_t dynamic = 0;

  friend bool operator==(const Icv&, const Icv&) = default;
};

// The one object with these values. Any thread. Cost: a lock, and a look into a table.
[[nodiscard]] const Icv* shared_icv(const Icv& values);

constexpr std::uint32_t kLevelsSupported = 255;
constexpr std::size_t kListMax = 32;

struct Settings {
  Icv icv;                                     // of the initial task
  std::uint32_t thread_counts[kListMax] = {};  // OMP_NUM_THREADS, by level
  std::size_t thread_count_levels = 0;         // how many of them there are
  std::uint32_t binds[kListMax] = {};          // OMP_PROC_BIND, by level
  std::size_t bind_levels = 0;
  std::size_t stack_bytes = 0;  // 0: the system's
  int wait_policy = -1;         // 0 passive, 1 active, -1 not said
  std::uint64_t spin_count = 0;
  bool has_spin_count = false;
  bool cancellation = false;
  bool display_affinity = false;
  int priority_max = 0;
  int teams_max = 0;
  int teams_thread_limit = 0;
  const char* affinity_format = nullptr;  // none: the default
  const char* places = nullptr;           // OMP_PLACES as it stands
  int target_offload = 0;                 // 0 default, 1 mandatory, 2 disabled
};

extern Settings settings;

// Reads the environment. Called before any other code of the library.
void read_environment();
// Says that a variable of the environment has a value that is not understood.
void complain(const char* name, const char* text);
// Prints the settings, if OMP_DISPLAY_ENV asks for that. Called behind read_places().
void display_environment_if_asked();
// Prints the settings as OMP_DISPLAY_ENV does; `verbose`: those of GOMP_ too.
void display_environment(bool verbose);

// How many processors this thread might use when the library was loaded, its quota of processor
// time counted.
[[nodiscard]] unsigned processor_count() noexcept;

}  // namespace myr::omp
