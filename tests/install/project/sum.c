/* SPDX-License-Identifier: Apache-2.0
 *
 * The C program of the install test: as sum.cpp, through the C interface. */
#include <myr/myr.h>
#include <stdio.h>

enum { kBlockCount = 16, kBlockSize = 1000 };

static void fill(const myr_access* args) {
  long* first = args[0].address;
  for (int i = 0; i < kBlockSize; ++i) first[i] = (args[1].integer + 1) * i;
}

static void add(const myr_access* args) {
  const long* first = args[0].address;
  long* sum = args[1].address;
  for (int i = 0; i < kBlockSize; ++i) *sum += first[i];
}

int main(void) {
  const myr_region region = myr_region_new(MYR_ROOT, 0);
  long total = 0;
  for (int block = 0; block < kBlockCount; ++block) {
    long* values = myr_alloc(kBlockSize * sizeof(long), region);
    myr_spawn(fill, myr_out(values), myr_value(block));
    myr_spawn(add, myr_in(values), myr_inout_range(&total, sizeof total));
  }
  myr_wait(myr_in_range(&total, sizeof total));
  printf("sum %ld\n", total);
  myr_region_free(region);
  return 0;
}
