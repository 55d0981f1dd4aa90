// SPDX-License-Identifier: Apache-2.0
//
// The locks of the library itself, each of which is held for a moment. fork() waits for all of
// them: a child would begin with those locked that other threads hold, and nobody would unlock them
// there. Those of the program are not among them: what they guard may be half done in the child.
#pragma once

#include "omp/wait.hpp"

namespace myr::omp {

struct Locks {
  Mutex threads;              // idle workers, and records of threads
  Mutex icvs;                 // the control variables that tasks share
  Mutex private_copies;       // which variables are threadprivate
  Mutex affinity_format;      // its text
  alignas(64) Mutex atomics;  // updates that the processor cannot do at once

  // Calls `visit` for each lock, in the order in which they are taken together.
  template <class Visit>
  void for_each(Visit visit) {
    for (Mutex* lock : {&threads, &icvs, &private_copies, &affinity_format, &atomics}) {
      visit(*lock);
    }
  }
};
extern constinit Locks locks;

}  // namespace myr::omp
