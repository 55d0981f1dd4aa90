// SPDX-License-Identifier: Apache-2.0
//
// A task as programs of clang fill it in. The layout is clang's.
#pragma once

#include <cstddef>
#include <cstdint>

namespace myr::omp {

struct KmpTask;
using TaskEntry = int (*)(int number, KmpTask* task);

// Its private variables follow, then its pointers to shared ones.
struct KmpTask {
  void* shareds;
  TaskEntry entry;
  std::int32_t part;  // where an untied task goes on
  TaskEntry destroy;  // with kKmpDestructors: ends the private variables
  std::int32_t priority;
};
static_assert(sizeof(KmpTask) == 40);

enum KmpTaskFlag : unsigned {
  kKmpTied = 1,
  kKmpFinal = 2,
  kKmpDestructors = 8,
  kKmpProxy = 0x10,  // ends when the program says so
  kKmpPriority = 0x20,
};

// Where the pointers to shared variables are, from the begin of a task of so many bytes on.
constexpr std::size_t shareds_at(std::size_t task_bytes) noexcept {
  constexpr std::size_t kPointer = sizeof(void*);
  return (task_bytes + kPointer - 1) / kPointer * kPointer;
}

}  // namespace myr::omp
