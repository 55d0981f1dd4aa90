// SPDX-License-Identifier: Apache-2.0
//
// Entry points for programs of clang: regions, leagues, barriers, single, master, critical
// sections, reductions, cancellation.
#include <cstdarg>
#include <cstring>
#include <utility>

#include "omp/abi.hpp"
#include "omp/kmpc.hpp"
#include "omp/places.hpp"
#include "omp/threads.hpp"

using namespace myr::omp;

MYR_OMP_API void GOMP_teams_reg(void (*body)(void*), void* data, unsigned count, unsigned limit,
                                unsigned flags);
MYR_OMP_API void GOMP_warning(const char* text, std::size_t length);
MYR_OMP_API void GOMP_error(const char* text, std::size_t length);

namespace {

constexpr int kArgumentsMax = 256;

struct Call {
  Microtask body;
  void** arguments;
  int count;
};

// Calls with so many arguments. More than the function takes do no harm: by the conventions of
// x86-64 and AArch64 the caller removes them.
template <std::size_t... Index>
void call_with(const Call& call, int* number, int* index, std::index_sequence<Index...>) {
  call.body(number, index, call.arguments[Index]...);
}

// REQUIRES: there is room for the next power of four arguments, from 4 up.
void call_body(void* data) {
  const Call& call = *static_cast<const Call*>(data);
  const Thread& self = myr::omp::self();
  int number = self.number;
  int index = static_cast<int>(self.at.index);
  if (call.count <= 4) {
    call_with(call, &number, &index, std::make_index_sequence<4>());
  } else if (call.count <= 16) {
    call_with(call, &number, &index, std::make_index_sequence<16>());
  } else if (call.count <= 64) {
    call_with(call, &number, &index, std::make_index_sequence<64>());
  } else {
    call_with(call, &number, &index, std::make_index_sequence<kArgumentsMax>());
  }
}

struct Arguments {
  void* words[kArgumentsMax];

  void read(int count, va_list list) {
    if (count > kArgumentsMax) {
      fail("a region uses %d variables of the function around it; at most %d are offered", count,
           kArgumentsMax);
    }
    int room = 4;
    while (room < count) room *= 4;
    for (int i = 0; i < room; ++i) words[i] = i < count ? va_arg(list, void*) : nullptr;
  }
};

void begin_region_of_clang(Thread& self, const Region& region) {
  if (MYR_UNLIKELY(settings.display_affinity)) describe_as_llvm();
  begin_region(self, region);
}

void run_parallel(Thread& self, Call call) {
  const Span span(Construct::Region, code_of(call.body));
  const Asked asked = std::exchange(self.asked, {});
  begin_region_of_clang(self, {call_body, &call, team_size_for(self, asked.threads), asked.bind,
                               nullptr, code_of(call.body)});
  call_body(&call);
  end_region(self);
}

void begin_alone(Thread& self) {
  self.asked = {};
  begin_region_of_clang(self, {nullptr, nullptr, 1});
}

}  // namespace

// ---- Regions

MYR_OMP_API int __kmpc_global_thread_num(const Ident*) { return self().number; }
MYR_OMP_API int __kmpc_bound_thread_num(const Ident*) { return static_cast<int>(self().at.index); }
MYR_OMP_API int __kmpc_bound_num_threads(const Ident*) {
  return static_cast<int>(self().at.team->size);
}
MYR_OMP_API int __kmpc_global_num_threads(const Ident*) { return thread_count(); }
MYR_OMP_API int __kmpc_in_parallel(const Ident*) {
  return self().at.team->active_level > 0 ? 1 : 0;
}
MYR_OMP_API void __kmpc_begin(const Ident*, int) {}
MYR_OMP_API void __kmpc_end(const Ident*) {}
MYR_OMP_API int __kmpc_ok_to_fork(const Ident*) { return 1; }

MYR_OMP_API void __kmpc_push_num_threads(const Ident*, int, int count) {
  self().asked.threads = count > 0 ? static_cast<unsigned>(count) : 0;
}
MYR_OMP_API void __kmpc_push_num_threads_strict(const Ident* ident, int number, int count, int,
                                                const char*) {
  __kmpc_push_num_threads(ident, number, count);
}
MYR_OMP_API void __kmpc_pop_num_threads(const Ident*, int) {}
MYR_OMP_API void __kmpc_push_proc_bind(const Ident*, int, int bind) {
  self().asked.bind = static_cast<unsigned>(bind) & 7U;
}
MYR_OMP_API void __kmpc_fork_call(const Ident*, int count, Microtask body, ...) {
  Arguments arguments;
  va_list list;
  va_start(list, body);
  arguments.read(count, list);
  va_end(list);
  run_parallel(self(), {body, arguments.words, count});
}
MYR_OMP_API void __kmpc_serialized_parallel(const Ident*, int) { begin_alone(self()); }
MYR_OMP_API void __kmpc_end_serialized_parallel(const Ident*, int) { end_region(self()); }
// The arguments are in one record, if there are any.
MYR_OMP_API void __kmpc_fork_call_if(const Ident*, int count, Microtask body, int condition,
                                     void* arguments) {
  void* words[4] = {arguments};
  Thread& self = myr::omp::self();
  Call call{body, words, count};
  if (condition != 0) return run_parallel(self, call);
  begin_alone(self);
  call_body(&call);
  end_region(self);
}

// ---- Leagues

MYR_OMP_API void __kmpc_push_num_teams(const Ident*, int, int teams, int threads) {
  Asked& asked = self().asked;
  asked.teams = teams > 0 ? static_cast<unsigned>(teams) : 0;
  asked.teams_threads = threads > 0 ? static_cast<unsigned>(threads) : 0;
}
MYR_OMP_API void __kmpc_push_num_teams_51(const Ident* ident, int number, int, int teams,
                                          int threads) {
  __kmpc_push_num_teams(ident, number, teams, threads);
}
MYR_OMP_API void __kmpc_set_thread_limit(const Ident*, int, int limit) {
  self().asked.teams_threads = limit > 0 ? static_cast<unsigned>(limit) : 0;
}
MYR_OMP_API void __kmpc_fork_teams(const Ident*, int count, Microtask body, ...) {
  Arguments arguments;
  va_list list;
  va_start(list, body);
  arguments.read(count, list);
  va_end(list);
  Call call{body, arguments.words, count};
  const Asked asked = std::exchange(self().asked, {});
  const bool says_how_many = asked.teams != 0 || settings.teams_max > 0;
  GOMP_teams_reg(call_body, &call, says_how_many ? asked.teams : 1, asked.teams_threads, 0);
}

// ---- Barriers, single, master

MYR_OMP_API void __kmpc_barrier(const Ident*, int) { barrier(self()); }
MYR_OMP_API int __kmpc_cancel_barrier(const Ident*, int) { return barrier(self()) ? 1 : 0; }
MYR_OMP_API int __kmpc_single(const Ident*, int) { return claim_single(self()) ? 1 : 0; }
MYR_OMP_API void __kmpc_end_single(const Ident*, int) {}
MYR_OMP_API int __kmpc_master(const Ident*, int) { return self().at.index == 0 ? 1 : 0; }
MYR_OMP_API void __kmpc_end_master(const Ident*, int) {}
MYR_OMP_API int __kmpc_masked(const Ident*, int, int filter) {
  return static_cast<int>(self().at.index) == filter ? 1 : 0;
}
MYR_OMP_API void __kmpc_end_masked(const Ident*, int) {}
MYR_OMP_API void __kmpc_scope(const Ident*, int, void*) {}
MYR_OMP_API void __kmpc_end_scope(const Ident*, int, void*) {}
// `executed`: the caller ran the block of the single construct; its values go to all others.
MYR_OMP_API void __kmpc_copyprivate(const Ident*, int, std::size_t, void* data,
                                    void (*copy)(void* to, void* from), int executed) {
  Thread& self = myr::omp::self();
  Team& team = *self.at.team;
  if (executed != 0) team.copied = data;
  barrier(self);
  if (executed == 0) copy(data, team.copied);
  barrier(self);
}
MYR_OMP_API void* __kmpc_copyprivate_light(const Ident*, int, void* data) {
  Thread& self = myr::omp::self();
  if (data != nullptr) self.at.team->copied = data;
  barrier(self);
  return self.at.team->copied;
}
MYR_OMP_API int __kmpc_barrier_master(const Ident*, int) {
  Thread& self = myr::omp::self();
  barrier(self);
  return self.at.index == 0 ? 1 : 0;
}
MYR_OMP_API void __kmpc_end_barrier_master(const Ident*, int) { barrier(self()); }
MYR_OMP_API int __kmpc_barrier_master_nowait(const Ident* ident, int number) {
  return __kmpc_barrier_master(ident, number);
}
MYR_OMP_API void __kmpc_flush(const Ident*) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

// ---- Critical sections and reductions

MYR_OMP_API void __kmpc_critical(const Ident*, int, CriticalName* name) { take(name->lock); }
MYR_OMP_API void __kmpc_critical_with_hint(const Ident*, int, CriticalName* name, std::uint32_t) {
  take(name->lock);
}
MYR_OMP_API void __kmpc_end_critical(const Ident*, int, CriticalName* name) { leave(name->lock); }

// 1: the caller adds its values to the variables, one thread after the other.
MYR_OMP_API int __kmpc_reduce_nowait(const Ident*, int, int, std::size_t, void*,
                                     void (*)(void*, void*), CriticalName*) {
  Team& team = *self().at.team;
  if (team.size != 1) take(team.reducing);
  return 1;
}
MYR_OMP_API void __kmpc_end_reduce_nowait(const Ident*, int, CriticalName*) {
  Team& team = *self().at.team;
  if (team.size != 1) leave(team.reducing);
}
MYR_OMP_API int __kmpc_reduce(const Ident* ident, int number, int count, std::size_t bytes,
                              void* data, void (*combine)(void*, void*), CriticalName* name) {
  return __kmpc_reduce_nowait(ident, number, count, bytes, data, combine, name);
}
MYR_OMP_API void __kmpc_end_reduce(const Ident* ident, int number, CriticalName* name) {
  __kmpc_end_reduce_nowait(ident, number, name);
  barrier(self());
}

// ---- Cancellation, the error directive

namespace {

// 1 to 4: region, loop, sections, group of tasks.
std::uint32_t kind_of(int clang_kind) noexcept { return 1U << (clang_kind - 1); }

}  // namespace

MYR_OMP_API int __kmpc_cancel(const Ident*, int, int kind) {
  return cancel(self(), kind_of(kind)) ? 1 : 0;
}
MYR_OMP_API int __kmpc_cancellationpoint(const Ident*, int, int kind) {
  return is_cancelled(self(), kind_of(kind)) ? 1 : 0;
}
MYR_OMP_API int __kmpc_get_target_offload() {
  static const int ours_in_theirs[] = {1, 2, 0};  // default, mandatory, disabled
  return ours_in_theirs[settings.target_offload];
}
MYR_OMP_API void __kmpc_error(const Ident*, int severity, const char* text) {
  constexpr int kWarning = 1;
  const std::size_t length = text != nullptr ? std::strlen(text) : 0;
  if (severity == kWarning) return GOMP_warning(text, length);
  GOMP_error(text, length);
}
