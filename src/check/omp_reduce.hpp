// SPDX-License-Identifier: Apache-2.0
//
// Reductions over tasks, in the arrays that gcc makes for them, and as clang describes them. The
// copies of a thread are its own: what tasks do with them is not checked.
//
// Threads: the one that has the baton.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

namespace myr::check::omp {

void make_copies(std::uintptr_t* arrays, unsigned threads, std::uintptr_t* outer);
// For the group of the running task, and with the copies that another thread has registered.
void register_reductions(std::uintptr_t* arrays);
void share_reductions(std::uintptr_t* arrays, const std::uintptr_t* first);
// Replaces addresses of variables by those of the running thread's copies.
void remap(std::size_t count, std::size_t original_count, void** addresses);

// A variable that is reduced into, as a program of clang describes it.
struct KmpReduced {
  void* shared;
  void* original;  // what copies begin with
  std::size_t bytes;
  void (*begin)(void* copy, void* original);  // none: zeros
  void (*end)(void* copy);                    // none: nothing is to be done
  void (*combine)(void* shared, void* copy);
  unsigned flags;
};
static_assert(sizeof(KmpReduced) == 56);

struct KmpReduction {
  using Copies = std::map<unsigned, void*>;  // by thread
  KmpReduced reduced;
  std::shared_ptr<Copies> copies;
};

}  // namespace myr::check::omp
