// SPDX-License-Identifier: Apache-2.0
//
// What clang's OpenMP code calls for reductions over tasks. Each thread that executes one of the
// tasks gets a copy of its own, whose accesses are not checked; at the end of the group they are
// combined.
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "check/next_call.hpp"
#include "check/omp_kmpc.hpp"
#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

using namespace myr::check;
using namespace myr::check::omp;

namespace {

using Reductions = std::vector<KmpReduction>;

Reductions read(int count, const KmpReduced* list) {
  Reductions reductions;
  for (int i = 0; i < count; ++i)
    reductions.push_back({list[i], std::make_shared<KmpReduction::Copies>()});
  return reductions;
}

void* copy_of_thread(const KmpReduction& reduction) {
  void*& copy = (*reduction.copies)[task().index];
  if (copy != nullptr) return copy;
  const KmpReduced& reduced = reduction.reduced;
  copy = std::calloc(1, reduced.bytes);
  exclude(copy, reduced.bytes);
  if (reduced.begin != nullptr) {
    const Outside outside;
    reduced.begin(copy, reduced.original);
  }
  return copy;
}

bool is_of(const KmpReduction& reduction, const void* address) {
  if (address == reduction.reduced.shared) return true;
  for (const auto& [thread, copy] : *reduction.copies) {
    if (copy == address) return true;
  }
  return false;
}

void combine(const Reductions& reductions) {
  for (const KmpReduction& reduction : reductions) {
    for (const auto& [thread, copy] : *reduction.copies) {
      const Outside outside;
      reduction.reduced.combine(reduction.reduced.shared, copy);
      if (reduction.reduced.end != nullptr) reduction.reduced.end(copy);
    }
    reduction.copies->clear();
  }
}

}  // namespace

CALL void __kmpc_taskgroup(const Ident*, int) {
  omp::start();
  const Inside inside;
  begin_group();
}
CALL void __kmpc_end_taskgroup(const Ident*, int) {
  const Inside inside;
  const auto reductions = std::move(task().group->kmp_reductions);
  end_group();
  combine(reductions);
}
CALL void* __kmpc_taskred_init(int, int count, const KmpReduced* list) {
  const Inside inside;
  task().group->kmp_reductions = read(count, list);
  return task().group;
}
// The copy that stands for a variable, or for another thread's copy of it, in the innermost group
// that reduces into it.
CALL void* __kmpc_task_reduction_get_th_data(int, Group* group, void* address) {
  const Inside inside;
  for (Group* each = group != nullptr ? group : task().group; each != nullptr; each = each->outer) {
    for (const KmpReduction& reduction : each->kmp_reductions) {
      if (is_of(reduction, address)) return copy_of_thread(reduction);
    }
  }
  return address;
}

// reduction(task, ...) of a region or a loop: all threads share the copies of tasks, which the last
// one combines into its own variable, from where the construct takes it as any thread's.
CALL void* __kmpc_taskred_modifier_init(const Ident*, int, int is_loop, int count,
                                        const KmpReduced* list) {
  const Inside inside;
  TeamReductions& shared = task().team->reductions[is_loop];
  if (shared.thread_count == 0) shared.reductions = read(count, list);
  shared.thread_count += 1;
  begin_group();
  task().group->kmp_reductions = shared.reductions;
  for (int i = 0; i < count; ++i) {
    task().group->kmp_reductions[static_cast<std::size_t>(i)].reduced.shared = list[i].shared;
  }
  return task().group;
}
CALL void __kmpc_task_reduction_modifier_fini(const Ident*, int, int is_loop) {
  const Inside inside;
  const auto reductions = std::move(task().group->kmp_reductions);
  end_group();
  Team& team = *task().team;
  TeamReductions& shared = team.reductions[is_loop];
  if (++shared.ended_count < team.size) return;
  shared = {};
  combine(reductions);
}
