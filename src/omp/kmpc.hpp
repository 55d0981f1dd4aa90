// SPDX-License-Identifier: Apache-2.0
//
// What the entry points for programs of clang (__kmpc_...) have in common: the records that such
// programs pass. The layouts are clang's.
//
// Every entry point gets the caller's place in the source (`Ident`) and the thread's number, as
// __kmpc_global_thread_num() gave it. The number is not needed: self() is as fast, and right where
// the program kept a number for too long.
#pragma once

#include <cstddef>
#include <cstdint>

#include "omp/kmp_task.hpp"
#include "omp/team.hpp"

namespace myr::omp {

struct Ident {
  std::int32_t reserved_1;
  std::int32_t flags;
  std::int32_t reserved_2;
  std::int32_t reserved_3;
  const char* place;  // ";file;function;line;column;;"
};
static_assert(sizeof(Ident) == 24);

// The body of a region: the numbers of the thread in the program and in the team, then a pointer
// for each variable that it uses.
using Microtask = void (*)(int* number, int* index, ...);

// What __kmpc_critical() and its like get: zeros, shared by all objects of the program.
struct CriticalName {
  Mutex lock;
  std::uint32_t unused[7];
};
static_assert(sizeof(CriticalName) == 32);

// Adds all copies to the originals and frees them, when the tasks have ended.
void combine_copies(ReductionCopies* copies);

}  // namespace myr::omp
