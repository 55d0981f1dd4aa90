/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program on the cluster has: cores, a clock, the scratchpad, locks, a console, an end.
 * hw/hwse/cluster/simulate.cpp is the other side of the console and of the end.
 *
 * Memory is consistent in order: a core's accesses reach the scratchpad one after the other, so
 * what the compiler does not move stays in order for all. Printing only from one core at a time. */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

enum { CORES_MAX = 16 };

/* The instruction cache has room for 256 instructions, and each other one displaces one of them. So
 * what threads do again and again lies together (link.ld), and what is rare lies elsewhere. */
#define HOT __attribute__((hot))
#define HOT_CALL __attribute__((hot, noinline))
#define RARE __attribute__((cold, noinline))

#define L1_BASE 0x10000000U
#define L1_BYTES 0x40000U
#define TEST_AND_SET_OFFSET 0x100000U /* from a word of the scratchpad to its alias */
#define ENGINE_BASE 0x10200000U
#define DMA_BASE 0x10300000U
#define CONSOLE 0x60000000U
#define EXIT 0x60000004U
#define CORE_COUNT 0x60000008U /* and 0x6000000c is start.S's */

static inline unsigned core_index(void) {
  unsigned core;
  __asm__("csrr %0, mhartid" : "=r"(core));
  return core;
}

/* Cycles since the core started. */
static inline unsigned cycle_count(void) {
  unsigned cycle;
  __asm__ volatile("csrr %0, mcycle" : "=r"(cycle)::"memory");
  return cycle;
}

static inline uint32_t read_word(uintptr_t address) {
  uint32_t word;
  __asm__ volatile("lw %0, %1" : "=r"(word) : "m"(*(const uint32_t*)address) : "memory");
  return word;
}
static inline void write_word(uintptr_t address, uint32_t word) {
  __asm__ volatile("sw %1, %0" : "=m"(*(uint32_t*)address) : "r"(word) : "memory");
}

/* How many there are. */
static inline unsigned core_count(void) { return read_word(CORE_COUNT); }

/* A word of the scratchpad, 0 while it is free. */
typedef uint32_t lock_t;

static inline int lock_try(lock_t* lock) {
  return read_word((uintptr_t)lock + TEST_AND_SET_OFFSET) == 0;
}
static inline void lock_take(lock_t* lock) {
  while (!lock_try(lock)) {
  }
}
static inline void lock_give(lock_t* lock) { write_word((uintptr_t)lock, 0); }

/* Copies between the scratchpad and what is outside; all are multiples of 64 bytes. */
void dma_copy(void* to, const void* from, unsigned bytes);

void print_text(const char* text);
void print_number(unsigned number);

__attribute__((noreturn)) void end_program(int status);
/* Prints "what: number", and ends the program with status 2. */
__attribute__((noreturn)) void fail(const char* what, unsigned number);

#endif
