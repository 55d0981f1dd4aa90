// SPDX-License-Identifier: Apache-2.0
//
// What clang's OpenMP code passes to the runtime.
#pragma once

#include <cstdint>

namespace myr::check::omp {

struct Ident;

// The body of a region: two numbers of the thread, then a pointer for each variable that it uses.
using Microtask = void (*)(int* number, int* index, ...);

struct KmpTask;
using TaskEntry = int (*)(int number, KmpTask* task);

// A task as the program fills it in. Its private variables follow, then its pointers to shared
// ones.
struct KmpTask {
  void* shareds;
  TaskEntry entry;
  std::int32_t part;
  TaskEntry destroy;
  std::int32_t priority;
};
static_assert(sizeof(KmpTask) == 40);

struct KmpDepend {
  std::uintptr_t address;
  std::uint64_t bytes;
  std::uint8_t kinds;
};
static_assert(sizeof(KmpDepend) == 24);

}  // namespace myr::check::omp
