// SPDX-License-Identifier: Apache-2.0
// A race of OpenMP in each function, and behind one of its two accesses what `myr check` says:
// test_check.py reads both.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

constexpr int kSize = 100;
int total = 0;
int values[kSize + 1];
int others[kSize];

void increments_in_a_region() {
#pragma omp parallel
  total += 1;  // of the variable total, in the parallel region .* writes it .* a private copy
}

void reads_a_neighbour_in_a_loop() {
#pragma omp parallel for
  for (int i = 0; i < kSize; ++i) {
    values[i] = values[i + 1] + 1;  // writes 4 bytes at byte \d+ of the variable values, in
  }
}

void writes_what_only_another_size_of_team_shares() {
#pragma omp parallel for
  for (int i = 0; i < kSize; ++i) {
    values[i] = i;
    if (i == 1) values[0] = 1;  // of the variable values
  }
}

void takes_no_barrier() {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < kSize; ++i)
      values[i] = i;  // the variable values, .* a barrier between them
#pragma omp for
    for (int i = 0; i < kSize; ++i) others[i] = values[kSize - 1 - i];
  }
}

void shares_out_a_loop_of_which_two_iterations_meet() {
#pragma omp parallel num_threads(2)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kSize; ++i) values[i % (kSize / 2)] = i;  // writes 4 bytes .* in the loop
  }
}

void shares_out_a_guided_loop() {
#pragma omp parallel for schedule(guided, 4)
  for (int i = 0; i < kSize; ++i) values[i / 8] = i;  // writes 4 bytes .* in the loop
}

void lets_the_environment_choose() {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < kSize; ++i) values[i / 8] += i;  // reads 4 bytes .* in the loop
}

void has_two_sections() {
#pragma omp parallel sections
  {
#pragma omp section
    total = 1;
#pragma omp section
    total = 2;  // writes 4 bytes of the variable total, in the sections
  }
}

void goes_on_behind_a_single() {
#pragma omp parallel
  {
#pragma omp single nowait
    total = 1;  // the variable total
    if (total == -1) std::abort();
  }
}

void goes_on_behind_a_master() {
#pragma omp parallel num_threads(4)
  {
#pragma omp master
    total = 1;
    if (total == -1) std::abort();  // reads 4 bytes of the variable total
  }
}

void has_two_critical_constructs() {
#pragma omp parallel sections
  {
#pragma omp section
    {
#pragma omp critical(one)
      total = 1;
    }
#pragma omp section
    {
#pragma omp critical(other)
      total = 2;  // writes 4 bytes of the variable total
    }
  }
}

void takes_two_locks() {
  omp_lock_t locks[2];
  for (omp_lock_t& lock : locks) omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
    omp_lock_t* const lock = &locks[omp_get_thread_num()];
    omp_set_lock(lock);
    total += 1;  // reads 4 bytes of the variable total
    omp_unset_lock(lock);
  }
  for (omp_lock_t& lock : locks) omp_destroy_lock(&lock);
}

void is_atomic_for_one_only() {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
      total += 1;
    } else {
      total = 5;  // of the variable total, .* atomically writes it .* atomic for both
    }
  }
}

void halves_a_number_that_another_one_reads() {
  double sum = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
      sum *= 0.5;
    } else {
      if (sum == -1) std::abort();  // reads 8 bytes of a local variable, .* atomically writes it
    }
  }
}

void multiplies_a_number_that_another_one_reads() {
  static short number = 1;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
      number *= 3;
    } else {
      if (number == -1) std::abort();  // 2 bytes of the variable number, .* atomically writes it
    }
  }
}

void reads_a_reduction_too_early() {
  int sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : sum) nowait  // atomically writes 4 bytes of a local variable
    for (int i = 0; i < kSize; ++i) sum += i;
    if (sum == -1) std::abort();
  }
}

void waits_for_no_task() {
#pragma omp parallel
#pragma omp single
  {
    int x = 0;
#pragma omp task shared(x)
    x = 1;
    total = x;  // reads 4 bytes .* in the task at .* depend clauses, or a taskwait
#pragma omp taskwait
  }
}

void has_two_tasks() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : values[0])
    total = 1;
#pragma omp task depend(out : values[1])
    total = 2;  // writes 4 bytes of the variable total, in the task
  }
}

void depends_on_a_cousin() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; ++i) {
#pragma omp task depend(inout : values[i])
    {
#pragma omp task depend(inout : total)
      total += 1;  // reads 4 bytes of the variable total, in the task
    }
  }
}

void waits_for_children_only() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      total = 1;
    }
#pragma omp taskwait
    total = 2;  // writes 4 bytes of the variable total
  }
}

void depends_in_only() {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 2; ++i) {
#pragma omp task depend(in : total)
    total += 1;  // reads 4 bytes of the variable total, in the task
  }
}

void loops_by_tasks() {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop
  for (int i = 0; i < kSize; ++i) values[i / 2] = i;  // writes 4 bytes .* in the taskloop
}

void is_not_in_order() {
  int last = 0;
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < kSize; ++i) {
    last = i;  // writes 4 bytes of a local variable
#pragma omp ordered
    others[i] = i;
  }
  total = last;
}

void depends_on_an_iteration_that_is_too_far() {
#pragma omp parallel for ordered(1) schedule(dynamic)
  for (int i = 2; i < kSize; ++i) {
#pragma omp ordered depend(sink : i - 2)
    values[i] = values[i - 1];  // reads 4 bytes at byte \d+ of the variable values
#pragma omp ordered depend(source)
  }
}

void computes_on_the_target() {
#pragma omp target teams distribute parallel for map(tofrom : values)
  for (int i = 0; i < kSize; ++i) values[i] = values[i + 1];  // the variable values
}

void offloads_and_goes_on() {
#pragma omp parallel
#pragma omp single
  {
#pragma omp target map(tofrom : total) nowait
    total += 1;
    total += 1;  // reads 4 bytes of the variable total
#pragma omp taskwait
  }
}

void reads_a_reduction_of_tasks_too_early() {
  int sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  {
#pragma omp task in_reduction(+ : sum)
    sum += 1;
#pragma omp task shared(sum)
    sum += 1;
#pragma omp task shared(sum)
    sum += 1;  // reads 4 bytes of a local variable, in the task
  }
}

// clang tells nothing of a long double.
void reads_what_is_atomic_elsewhere() {
#ifdef __clang__
  __complex__ double sum = 0;
#else
  long double sum = 0;
#endif
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp atomic
      sum += 1;
    } else {
      sum = 1;  // writes (8|16) bytes of a local variable, in the parallel region
    }
  }
}

void goes_on_beside_a_target_region() {
  static int number = 0;
#pragma omp target map(tofrom : number) nowait
  number += 1;
  if (number == -1) std::abort();  // reads 4 bytes of the variable number
#pragma omp taskwait
}

void has_teams() {
#pragma omp teams num_teams(2)
  total += 1;  // 4 bytes of the variable total, in the teams region
}

void leaves_a_detached_task() {
#pragma omp parallel
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event)
    total = 1;
#pragma omp task firstprivate(event)
    {
      omp_fulfill_event(event);
      total = 2;  // writes 4 bytes of the variable total, in the task
    }
#pragma omp taskwait
  }
}

// Another thread need not be told in time.
void relies_on_a_cancelled_loop() {
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kSize; ++i) {
#pragma omp cancellation point for
      values[i / 2] = i;  // writes 4 bytes .* of the variable values, in the loop
#pragma omp cancel for if (i == 1)
    }
  }
}

void relies_on_a_cancelled_group() {
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
      total = 1;
#pragma omp cancel taskgroup
    }
#pragma omp task
    total = 2;  // writes 4 bytes of the variable total, in the task
  }
}

void nests_regions() {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0) values[outer / 2] = 1;  // writes 4 bytes .* the parallel region
  }
}

void copies_by_memcpy() {
#pragma omp parallel num_threads(2)
  std::memcpy(others, values, omp_get_num_threads() * 8UL);  // writes 16 bytes
}

struct Case {
  const char* name;
  void (*run)();
};
#define CASE(name) {#name, name}
const Case kCases[] = {CASE(increments_in_a_region),
                       CASE(reads_a_neighbour_in_a_loop),
                       CASE(writes_what_only_another_size_of_team_shares),
                       CASE(takes_no_barrier),
                       CASE(shares_out_a_loop_of_which_two_iterations_meet),
                       CASE(shares_out_a_guided_loop),
                       CASE(lets_the_environment_choose),
                       CASE(has_two_sections),
                       CASE(goes_on_behind_a_single),
                       CASE(goes_on_behind_a_master),
                       CASE(has_two_critical_constructs),
                       CASE(takes_two_locks),
                       CASE(is_atomic_for_one_only),
                       CASE(halves_a_number_that_another_one_reads),
                       CASE(multiplies_a_number_that_another_one_reads),
                       CASE(reads_a_reduction_too_early),
                       CASE(waits_for_no_task),
                       CASE(has_two_tasks),
                       CASE(depends_on_a_cousin),
                       CASE(waits_for_children_only),
                       CASE(depends_in_only),
                       CASE(loops_by_tasks),
                       CASE(is_not_in_order),
                       CASE(depends_on_an_iteration_that_is_too_far),
                       CASE(computes_on_the_target),
                       CASE(offloads_and_goes_on),
                       CASE(reads_a_reduction_of_tasks_too_early),
                       CASE(reads_what_is_atomic_elsewhere),
                       CASE(goes_on_beside_a_target_region),
                       CASE(has_teams),
                       CASE(leaves_a_detached_task),
                       CASE(relies_on_a_cancelled_loop),
                       CASE(relies_on_a_cancelled_group),
                       CASE(nests_regions),
                       CASE(copies_by_memcpy)};

}  // namespace

int main(int, char** words) {
  for (const Case& each : kCases) {
    if (std::strcmp(each.name, words[1]) == 0) each.run();
  }
}
