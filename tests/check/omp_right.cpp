// SPDX-License-Identifier: Apache-2.0
// Every construct of OpenMP that orders accesses, used as it should be: `myr check` says nothing.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#if defined(__clang__) || __GNUC__ >= 13
#define HAS_ALL_MEMORY
#endif

namespace {

constexpr int kSize = 200;
int values[kSize];
int total = 0;
int own = 0;
#pragma omp threadprivate(own)

void check(bool is_right, const char* what) {
  if (!is_right) std::printf("wrong: %s\n", what);
}

void loops() {
  int sum = 0;
  std::vector<int> of_thread(static_cast<std::size_t>(omp_get_max_threads()));
#pragma omp parallel
  {
    int mine = 0;
    std::vector<int> scratch(4);
#pragma omp for
    for (int i = 0; i < kSize; ++i) values[i] = i;
#pragma omp for schedule(dynamic) reduction(+ : sum) nowait
    for (int i = 0; i < kSize; ++i) {
      sum += values[kSize - 1 - i];
      mine += 1;  // the thread's, whichever iterations it gets
      scratch[i % 4] += i;
      of_thread[static_cast<std::size_t>(omp_get_thread_num())] += 1;
    }
    own += mine;
#pragma omp barrier
#pragma omp for schedule(guided)
    for (int i = 1; i < kSize; ++i) values[i] = values[0] + sum;
  }
  check(sum == kSize * (kSize - 1) / 2, "reduction");
}

void turns() {
  std::vector<int> seen;
#pragma omp parallel for ordered schedule(dynamic, 3)
  for (int i = 0; i < kSize; ++i) {
#pragma omp ordered
    seen.push_back(i);
  }
  for (int i = 0; i < kSize; ++i) check(seen[static_cast<std::size_t>(i)] == i, "ordered");
#pragma omp parallel for ordered(1) schedule(static, 1)
  for (int i = 1; i < kSize; ++i) {
#pragma omp ordered depend(sink : i - 1)
    values[i] = values[i - 1] + 1;
#pragma omp ordered depend(source)
  }
}

void one_of_many() {
  int x = 0;
  int copied = 0;
#pragma omp parallel firstprivate(copied)
  {
#pragma omp single
    x = 1;
    check(x == 1, "single");
#pragma omp master
    total = x;
#pragma omp barrier
    check(total == 1, "master");
#pragma omp single copyprivate(copied)
    copied = 7;
    check(copied == 7, "copyprivate");
#pragma omp sections
    {
#pragma omp section
      values[0] = 1;
#pragma omp section
      values[1] = 2;
    }
    check(values[0] + values[1] == 3, "sections");
  }
}

void exclusion() {
  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int count = 0;
  int other = 0;
  int third = 0;
  int fourth = 0;
#pragma omp parallel num_threads(8)
  {
#pragma omp critical
    count += 1;
    omp_set_lock(&lock);
    other += 1;
    omp_unset_lock(&lock);
#pragma omp atomic
    third += 1;
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    fourth += 1;
    omp_unset_nest_lock(&nest);
    fourth += 1;
    omp_unset_nest_lock(&nest);
  }
  check(count == 8 && other == 8 && third == 8 && fourth == 16, "locks");
  omp_destroy_lock(&lock);
  omp_destroy_nest_lock(&nest);
}

// One thread tells another by what it writes under a lock, or by an atomic store.
void messages() {
  int data = 0;
  bool is_there = false;
  int flag = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
      data = 1;
#pragma omp critical
      is_there = true;
    } else {
      for (bool goes_on = true; goes_on;) {
#pragma omp critical
        goes_on = !is_there;
      }
      data += 1;
#pragma omp atomic write release
      flag = 1;
    }
    if (omp_get_thread_num() == 1) {
      for (int seen = 0; seen == 0;) {
#pragma omp atomic read acquire
        seen = flag;
      }
      check(data == 2, "messages");
    }
  }
}

int fib(int n) {
  if (n < 2) return n;
  int a = 0;
  int b = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

void tasks() {
  int x = 0;
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    check(fib(10) == 55, "taskwait");
#pragma omp task depend(out : x)
    x = 1;
    for (int i = 0; i < 3; ++i) {
#pragma omp task depend(in : x)
      values[i] = x;
    }
#pragma omp task depend(inout : x)
    x = values[0] + values[1] + values[2];
#pragma omp taskwait depend(in : x)
    check(x == 3, "depend");
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(mutexinoutset : sum)
      sum += i;
    }
#pragma omp task depend(in : sum)
    total = sum;
#pragma omp taskwait
    check(total == 6, "mutexinoutset");
#pragma omp taskgroup
    {
#pragma omp task
      {
#pragma omp task
        values[7] = 7;
      }
    }
    check(values[7] == 7, "taskgroup");
#pragma omp task if (0)
    values[8] = 8;
    check(values[8] == 8, "undeferred");
#pragma omp taskloop grainsize(3)
    for (int i = 0; i < kSize; ++i) values[i] = i;
    check(values[kSize - 1] == kSize - 1, "taskloop");
    int reduced = 0;
#pragma omp taskloop reduction(+ : reduced)
    for (int i = 0; i < kSize; ++i) reduced += values[i];
    check(reduced == kSize * (kSize - 1) / 2, "reduction of a taskloop");
    omp_event_handle_t event;
    int body = 0;
    int message = 0;
#pragma omp task detach(event) depend(out : body) shared(body)
    body = 1;
#pragma omp task depend(in : body) shared(body, message)
    check(body == 1 && message == 2, "detach");
#pragma omp task shared(message) firstprivate(event) depend(out : values[0])
    {
      message = 2;
      omp_fulfill_event(event);
    }
#pragma omp taskwait
  }
}

void reductions_of_tasks() {
  int sum = 0;
  int of_threads = 0;
  int of_loop = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < kSize; ++i) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  check(sum == kSize * (kSize - 1) / 2, "task_reduction");
#pragma omp parallel reduction(task, + : of_threads) num_threads(4)
  {
#pragma omp task in_reduction(+ : of_threads)
    of_threads += 1;
    of_threads += 2;
  }
  check(of_threads == 12, "reduction of a region's tasks");
#pragma omp parallel num_threads(4)
#pragma omp for reduction(task, + : of_loop)
  for (int i = 0; i < kSize; ++i) {
#pragma omp task in_reduction(+ : of_loop)
    of_loop += i;
  }
  check(of_loop == kSize * (kSize - 1) / 2, "reduction of a loop's tasks");
}

void atomics() {
  int count = 0;
  int most = 0;
  char small = 1;
  double number = 0;
  long double wide = 0;
  int half = 1;
#pragma omp parallel num_threads(8)
  {
    int before = half;
#pragma omp atomic capture
    {
      before = count;
      count += 1;
    }
#pragma omp atomic compare
    if (most < before) {
      most = before;
    }
#pragma omp atomic seq_cst
    small = 3 * small;
#pragma omp atomic read
    before = half;
#pragma omp atomic
    number += 0.5 * before;
#pragma omp atomic
    wide += 0.5L;
  }
  check(count == 8 && most == 7, "atomic capture and compare");
  check(number == 4 && wide == 4 && small != 0, "atomic");
}

void dependences() {
  int x = 0;
  int y = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : x)
    x = 1;
    omp_depend_t object;
#pragma omp depobj(object) depend(inout : x)
#pragma omp task depend(depobj : object)
    x += 1;
#pragma omp depobj(object) destroy
#pragma omp task depend(iterator(int i = 0 : 2), out : values[i]) depend(in : x)
    values[0] = values[1] = x;
#pragma omp taskwait
#pragma omp task depend(out : y)
    y = 1;
#ifdef HAS_ALL_MEMORY
#pragma omp task depend(inout : omp_all_memory)
    values[2] = x + y;
#else
#pragma omp task depend(inout : x, y)
    values[2] = x + y;
#endif
#pragma omp task depend(out : x)
    x = values[2];
  }
  check(x == 3, "dependences");
}

void teams() {
  int count = 0;
#pragma omp teams num_teams(3) reduction(+ : count)
#pragma omp distribute parallel for reduction(+ : count)
  for (int i = 0; i < kSize; ++i) count += 1;
  check(count == kSize, "teams");
}

// What comes behind a cancel in every execution is left out: it would be in conflict with others.
void cancels() {
  int found = -1;
  int after = 0;
  int late = 0;
  if (omp_get_cancellation() == 0) return;
#pragma omp parallel num_threads(4) shared(after)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < kSize; ++i) {
      if (i == 7) {
#pragma omp atomic write
        found = i;
#pragma omp cancel for
        after += 1;
      }
      values[i] = i;
#pragma omp cancellation point for
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
        after += 1;
      }
#pragma omp section
      values[0] = 1;
    }
#pragma omp single
    values[7] = 7;
  }
  check(found == 7 && after == 0 && values[kSize - 1] == kSize - 1, "cancel for");
#pragma omp parallel num_threads(4)
  {
#pragma omp cancel parallel if (omp_get_thread_num() == 2)
    values[omp_get_thread_num()] = 1;
#pragma omp barrier
    late += 1;  // nobody comes here
  }
  check(late == 0, "cancel parallel");
#pragma omp parallel num_threads(4)
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task shared(found)
    found = 1;
#pragma omp task shared(late) depend(out : late)
    {
#pragma omp cancel taskgroup
      late += 1;
    }
#pragma omp task shared(late, found) depend(in : late)
    found = late;  // not even begun
  }
  check(late == 0 && found == 1, "cancel taskgroup");
}

void nested() {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(3)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(4)
    values[outer * 4 + omp_get_thread_num()] = 1;
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += values[outer * 4 + i];
    check(sum == 4, "nested");
  }
  omp_set_max_active_levels(1);
}

void targets() {
  int x = 1;
#pragma omp target teams distribute parallel for map(tofrom : values)
  for (int i = 0; i < kSize; ++i) values[i] = 2;
#pragma omp parallel
#pragma omp single
  {
#pragma omp target map(tofrom : x) nowait depend(out : x)
    x += 1;
#pragma omp task depend(in : x)
    check(x == 2, "target");
  }
#pragma omp target map(tofrom : x) nowait depend(out : x)
  x += 1;
#pragma omp target map(tofrom : x) nowait depend(inout : x)
  x += 1;
#pragma omp taskwait
  check(x == 4, "target outside of a region");
#pragma omp target map(tofrom : x) nowait
  x += 1;
#pragma omp barrier
  check(x == 5, "target before a barrier");
}

}  // namespace

int main() {
  for (int round = 0; round < 2; ++round) {
    loops();
    turns();
    one_of_many();
    exclusion();
    messages();
    tasks();
    reductions_of_tasks();
    atomics();
    dependences();
    teams();
    cancels();
    nested();
    targets();
  }
  std::printf("done\n");
}
