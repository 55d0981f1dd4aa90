// SPDX-License-Identifier: Apache-2.0
//
// What clang's OpenMP code calls for regions, leagues, barriers, single, master and critical
// constructs.
#include "check/omp_kmpc.hpp"

#include <cstdarg>
#include <utility>

#include "check/next_call.hpp"
#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

using namespace myr::check;
using namespace myr::check::omp;

#define FRAME address_of(__builtin_frame_address(0))

namespace {

constexpr int kArgumentsMost = 256;

struct Microcall {
  Microtask body;
  void* arguments[kArgumentsMost];
  int count;

  void read(int number, va_list list) {
    MYR_ASSERT(number <= kArgumentsMost);
    count = number;
    for (int i = 0; i < kArgumentsMost; ++i) {
      arguments[i] = i < number ? va_arg(list, void*) : nullptr;
    }
  }
};

// More arguments than the function takes do no harm: the caller removes them.
template <std::size_t... Index>
void call_with(const Microcall& call, int* number, std::index_sequence<Index...>) {
  call.body(number, number, call.arguments[Index]...);
}

void run_microcall(void* data) {
  const auto& call = *static_cast<const Microcall*>(data);
  int number = static_cast<int>(task().index);
  if (call.count <= 16) return call_with(call, &number, std::make_index_sequence<16>());
  call_with(call, &number, std::make_index_sequence<kArgumentsMost>());
}

Cancelled of_kmpc(int which) {
  constexpr int kParallel = 1;
  constexpr int kTaskgroup = 4;
  if (which == kParallel) return Cancelled::Region;
  return which == kTaskgroup ? Cancelled::Group : Cancelled::Work;
}

}  // namespace

CALL int __kmpc_global_thread_num(const Ident*) { return static_cast<int>(task().index); }
CALL void __kmpc_push_num_threads(const Ident*, int, int count) {
  task().asked_threads = count > 0 ? static_cast<unsigned>(count) : 0;
}
CALL void __kmpc_push_proc_bind(const Ident*, int, int) {}
CALL void __kmpc_fork_call(const Ident*, int count, Microtask body, ...) {
  omp::start();
  const Inside inside;
  Microcall call{.body = body};
  va_list list;
  va_start(list, body);
  call.read(count, list);
  va_end(list);
  const unsigned wanted = std::exchange(task().asked_threads, 0);
  run_region(
      {run_microcall, &call, team_size_for(task(), wanted), FRAME, {"the parallel region", PLACE}});
}
CALL void __kmpc_serialized_parallel(const Ident*, int) {
  omp::start();
  const Inside inside;
  begin_alone(FRAME);
}
CALL void __kmpc_end_serialized_parallel(const Ident*, int) {
  const Inside inside;
  end_alone();
}

CALL void __kmpc_push_num_teams(const Ident*, int, int teams, int) {
  task().asked_teams = teams > 0 ? static_cast<unsigned>(teams) : 0;
}
CALL void __kmpc_push_num_teams_51(const Ident* ident, int number, int, int teams, int threads) {
  __kmpc_push_num_teams(ident, number, teams, threads);
}
CALL void __kmpc_set_thread_limit(const Ident*, int, int) {}
CALL void __kmpc_fork_teams(const Ident*, int count, Microtask body, ...) {
  omp::start();
  const Inside inside;
  Microcall call{.body = body};
  va_list list;
  va_start(list, body);
  call.read(count, list);
  va_end(list);
  const unsigned teams = std::exchange(task().asked_teams, 0);
  run_league({run_microcall, &call, teams, FRAME, {"the teams region", PLACE}});
}

CALL void __kmpc_barrier(const Ident*, int) {
  const Inside inside;
  barrier();
}
CALL int __kmpc_cancel_barrier(const Ident*, int) {
  const Inside inside;
  return barrier() ? 1 : 0;
}
CALL int __kmpc_cancel(const Ident*, int, int which) {
  const Inside inside;
  return cancel(of_kmpc(which)) ? 1 : 0;
}
CALL int __kmpc_cancellationpoint(const Ident*, int, int which) {
  const Inside inside;
  return is_cancelled(of_kmpc(which)) ? 1 : 0;
}
CALL int __kmpc_single(const Ident*, int) {
  omp::start();
  const Inside inside;
  return is_single() ? 1 : 0;
}
CALL void __kmpc_end_single(const Ident*, int) {}
CALL int __kmpc_master(const Ident*, int) { return task().index == 0 ? 1 : 0; }
CALL void __kmpc_end_master(const Ident*, int) {}
CALL int __kmpc_masked(const Ident*, int, int filter) {
  return static_cast<int>(task().index) == filter ? 1 : 0;
}
CALL void __kmpc_end_masked(const Ident*, int) {}
CALL void __kmpc_scope(const Ident*, int, void*) {}
CALL void __kmpc_end_scope(const Ident*, int, void*) {}
// `has_executed`: the caller ran the block of the single construct; its values go to all others.
CALL void __kmpc_copyprivate(const Ident*, int, std::size_t, void* data,
                             void (*copy)(void* to, void* from), int has_executed) {
  const Inside inside;
  Team& team = *task().team;
  if (has_executed != 0) team.copied = data;
  barrier();
  if (has_executed == 0) {
    const Outside outside;
    copy(data, team.copied);
  }
  barrier();
}
CALL void __kmpc_flush(const Ident*) {
  const Inside inside;
  let_others_run();
}

CALL void __kmpc_critical(const Ident*, int, void* name) {
  omp::start();
  const Inside inside;
  acquire(address_of(name));
}
CALL void __kmpc_critical_with_hint(const Ident* ident, int number, void* name, std::uint32_t) {
  __kmpc_critical(ident, number, name);
}
CALL void __kmpc_end_critical(const Ident*, int, void* name) {
  const Inside inside;
  release_critical(address_of(name));
}
// 1: the caller adds its values to the variables, one thread after the other.
CALL int __kmpc_reduce_nowait(const Ident* ident, int number, int, std::size_t, void*,
                              void (*)(void*, void*), void* name) {
  __kmpc_critical(ident, number, name);
  return 1;
}
CALL void __kmpc_end_reduce_nowait(const Ident* ident, int number, void* name) {
  __kmpc_end_critical(ident, number, name);
}
CALL int __kmpc_reduce(const Ident* ident, int number, int, std::size_t, void*,
                       void (*)(void*, void*), void* name) {
  __kmpc_critical(ident, number, name);
  return 1;
}
CALL void __kmpc_end_reduce(const Ident* ident, int number, void* name) {
  __kmpc_end_critical(ident, number, name);
  __kmpc_barrier(ident, number);
}
