/* SPDX-License-Identifier: Apache-2.0
 *
 * The frame of the applications of paper 5's table V: programs of kernels/hwse on the cluster, and
 * on the host for their results. All their data is in the scratchpad; what inputs.py makes comes
 * from outside, by DMA. Compiled with -DLOOPS=1 they run their parallel loops, with -DLOOPS=0 their
 * tasks. */
#ifndef APPLICATION_H
#define APPLICATION_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../programs/report.h"

/* A constant that stays outside of the cluster, for bring_in(). */
#define OUTSIDE __attribute__((aligned(64), section(".l3")))

/* Memory for a copy of an input, rounded up to whole bursts. */
static inline void* bring_in(const void* from, size_t bytes) {
  const size_t room = (bytes + 63) & ~(size_t)63;
  void* const to = aligned_alloc(64, room);
#ifdef __riscv
  if (to == NULL) fail("no room for an input of bytes", bytes);
  dma_copy(to, from, room);
#else
  memcpy(to, from, bytes);
#endif
  return to;
}

static inline void* new_zeros(size_t bytes) {
  void* const memory = calloc(1, bytes);
#ifdef __riscv
  if (memory == NULL) fail("no room for bytes", bytes);
#endif
  return memory;
}

/* The digest of whole words. */
static inline unsigned digest(const void* data, size_t bytes) {
  const uint32_t* const word = data;
  uint32_t sum = 2166136261U;
  for (size_t i = 0; i < bytes / sizeof(uint32_t); ++i) sum = (sum ^ word[i]) * 16777619U;
  return sum;
}

/* Runs the application, and says how many cycles that took. The host has none. By the two names
 * cluster.py finds the instructions that the simulator's profile begins and ends with. */
static inline void run_timed(void (*run)(void)) {
#ifdef __riscv
  unsigned start, end;
  __asm__ volatile("run_begins: csrr %0, mcycle" : "=r"(start)::"memory");
  run();
  __asm__ volatile("run_ends: csrr %0, mcycle" : "=r"(end)::"memory");
  report("cycles", end - start);
#else
  run();
#endif
}

#endif
