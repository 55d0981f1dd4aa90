/* SPDX-License-Identifier: Apache-2.0
 *
 * The same for C. */
#include <myr/myr.h>
#include <myr/spmd.h>

void use_accesses(double* numbers, size_t count);
void use_accesses(double* numbers, size_t count) {
  const myr_access access = myr_inout_range(numbers, count * sizeof *numbers);
  myr_wait(&access, 1);
}
