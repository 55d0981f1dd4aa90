// SPDX-License-Identifier: Apache-2.0
//
// In the place of myr.cpp, for programs without tasks: core 0 runs the program, the others sleep.
#include "firmware.h"
#include "platform.h"

extern "C" void firmware_start(unsigned core) {
  if (core == 0) end_program(firmware_main());
  for (;;) __asm__ volatile("wfi");
}
