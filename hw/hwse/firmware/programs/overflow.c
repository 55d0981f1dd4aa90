/* SPDX-License-Identifier: Apache-2.0
 *
 * A stack that is too small, as a wide array on it makes: the simulation must end and name the
 * core. */
#include "../runtime/platform.h"

enum { TOO_MANY = 8000 };

static void fill(volatile uint8_t* bytes) {
  for (unsigned i = 0; i < TOO_MANY; i += 16) bytes[i] = (uint8_t)i;
}

void cluster_start(unsigned core) {
  if (core + 1 == core_count()) {
    volatile uint8_t bytes[TOO_MANY];
    fill(bytes);
    end_program(0);
  }
  for (;;) {
  }
}
