/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program without an operating system has: cores, a clock, a console, an end, and memory
 * that is never given back. hw/soc/simulate.cpp is the other side of the console and of the end.
 *
 * Threads: one a core. Printing and allocating only from core 0, or from a core that then ends the
 * program.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef CORES
#error "compile with -DCORES=N"
#endif
enum { CACHE_LINE = 64 };

static inline unsigned core_index(void) {
  uint64_t core;
  __asm__ volatile("csrr %0, mhartid" : "=r"(core));
  return (unsigned)core;
}

/* Cycles since reset. */
static inline uint64_t cycle_count(void) {
  uint64_t cycle;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycle)::"memory");
  return cycle;
}

static inline void wait_cycles(uint64_t cycles) {
  const uint64_t start = cycle_count();
  while (cycle_count() - start < cycles) {
  }
}

void print_text(const char* text);
void print_number(uint64_t number);
void print_hex(uint64_t number);

__attribute__((noreturn)) void end_program(int status);
/* Prints "what" with a number, and ends the program with MYR_EXIT_MISUSE. */
__attribute__((noreturn)) void fail(const char* what, uint64_t number);

/* Memory that starts a cache line; ends the program when there is none left. */
void* allocate(size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
