// SPDX-License-Identifier: Apache-2.0
//
// A program of clang with code for a device, which is this processor: LLVM's libomptarget runs it
// there, and asks the OpenMP library for what it needs. Prints the checks that fail; status 1 then.
#include <omp.h>
#include <stdio.h>

#include "check.h"

static void check_that_there_are_devices(void) {
  const int count = omp_get_num_devices();
  int on_host = 1;
#pragma omp target map(from : on_host)
  on_host = omp_is_initial_device();
  CHECK(count > 0 && on_host == 0);
  CHECK(omp_get_initial_device() == count && omp_get_device_num() == count);
}

static void check_without_waiting(void) {
  int alone = 0, chained = 0, data = 1;
#pragma omp target nowait map(tofrom : alone)
  alone += 1;
#pragma omp taskwait
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp target nowait map(tofrom : chained) depend(out : chained)
    chained = 20;
#pragma omp target nowait map(tofrom : chained) depend(inout : chained)
    chained += 2;
#pragma omp target enter data map(to : data) nowait depend(out : data)
#pragma omp target map(tofrom : data) nowait depend(inout : data)
    data += 1;
#pragma omp target update from(data) nowait depend(inout : data)
#pragma omp target exit data map(release : data) nowait depend(inout : data)
  }
  CHECK(alone == 1 && chained == 22 && data == 2);
}

static void check_reduction(void) {
  int sum = 0;
#pragma omp target teams distribute parallel for map(tofrom : sum) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  CHECK(sum == 4950);
}

int main(void) {
  check_that_there_are_devices();
  check_without_waiting();
  check_reduction();
  return failures != 0;
}
