// SPDX-License-Identifier: Apache-2.0
// Every construct of OpenMP that orders accesses, used as it should be: `myr check` says nothing.
#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

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
    nested();
    targets();
  }
  std::printf("done\n");
}
