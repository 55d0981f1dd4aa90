/* SPDX-License-Identifier: Apache-2.0
 *
 * The same for C. */
#include <myr/frontend.h>
#include <myr/myr.h>
#include <myr/sim.h>
#include <myr/spmd.h>

void use_accesses(double* numbers, size_t count);
static void nothing(const myr_access* accesses) { (void)accesses; }
void use_accesses(double* numbers, size_t count) {
  const myr_access access = myr_inout_range(numbers, count * sizeof *numbers);
  myr_wait_array(&access, 1);
  myr_spawn(nothing);
  myr_spawn(nothing, access, myr_value(2));
  myr_spawn_later(nothing, access);
  myr_spawn_priority(1, nothing, access);
  myr_spawn_array(nothing, (myr_access[]){access, myr_value(3)}, 2);
  if (myr_is_ready(access) || myr_wait_for(1000, access)) myr_wait(access, myr_in(numbers));
}
