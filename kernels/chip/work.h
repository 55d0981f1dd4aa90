/* SPDX-License-Identifier: Apache-2.0
 *
 * Computing time on a simulated chip: a function that works on a tile says here how many cycles
 * that takes a worker core; costs.h has the numbers. The serial twin, the task version, the OpenMP
 * version and the MPI twin share these functions and so declare the same.
 *
 * A sink is told: the frame (program.cpp) sets one on a simulated machine, an MPI twin on a
 * simulated chip. Everywhere else there is none, and a call is one comparison for each tile.
 *
 * Threads: the sink is set while no tasks run, and called by the thread that works.
 */
#ifndef MYR_KERNELS_CHIP_WORK_H
#define MYR_KERNELS_CHIP_WORK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*kernel_work_sink)(uint64_t cycles);

/* Sets the sink; NULL: nobody wants to know. Returns the one before. */
kernel_work_sink kernel_work_to(kernel_work_sink sink);

/* The same for the memory that a function goes through, as myr_touch() describes it. */
typedef void (*kernel_touch_sink)(const void* first, size_t bytes, size_t rows, size_t stride,
                                  unsigned mode);
void kernel_touch_to(kernel_touch_sink sink);

extern kernel_work_sink kernel_work_sink_now; /* for the functions below */
extern kernel_touch_sink kernel_touch_sink_now;

/* The caller has computed something that takes a worker core so many cycles. */
static inline void kernel_work(uint64_t cycles) {
  if (kernel_work_sink_now != NULL) kernel_work_sink_now(cycles);
}

/* The caller has gone through this memory. */
static inline void kernel_touch(const void* first, size_t bytes, size_t rows, size_t stride,
                                unsigned mode) {
  if (kernel_touch_sink_now != NULL) kernel_touch_sink_now(first, bytes, rows, stride, mode);
}

#ifdef __cplusplus
}
#endif
#endif
