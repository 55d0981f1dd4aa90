/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the cluster's memory is one: each core writes and reads its words of a shared array at
 * random, by bytes, halves and words, and all read words that no core writes; a lock counts; the
 * DMA engine brings data in and out; memory from malloc() belongs to one core alone, and comes back
 * whole. */
#include <stdlib.h>

#include "../runtime/platform.h"

enum { WORDS = 512, ROUNDS = 400, COUNTS = 20, COPY_WORDS = 256, ALLOCATIONS = 60 };

static uint32_t shared_words[WORDS * CORES_MAX]; /* a core's are those with its index modulo 16 */
static uint32_t common[WORDS];
static uint32_t copied[COPY_WORDS] __attribute__((aligned(64)));
static uint32_t outside[COPY_WORDS] __attribute__((aligned(64), section(".l3"))) = {1};
static lock_t lock;
static unsigned counter, done;

static uint32_t next_random(uint32_t* state) {
  *state = *state * 1664525 + 1013904223;
  return *state >> 8;
}

/* What a core writes it reads again, also through narrower accesses. */
static void access_at_random(unsigned core) {
  uint32_t state = core + 1;
  for (unsigned round = 0; round < ROUNDS; ++round) {
    volatile uint32_t* const word = &shared_words[next_random(&state) % WORDS * CORES_MAX + core];
    const uint32_t value = next_random(&state);
    const unsigned byte = value & 3, half = byte >> 1;
    *word = value;
    ((volatile uint8_t*)word)[byte] = (uint8_t)round;
    if (*word != ((value & ~(0xFFU << 8 * byte)) | (round & 0xFF) << 8 * byte)) fail("byte", core);
    *word = value;
    ((volatile uint16_t*)word)[half] = (uint16_t)(round * 3);
    if (*word != ((value & ~(0xFFFFU << 16 * half)) | round * 3 << 16 * half)) fail("half", core);
    if (((volatile uint32_t*)common)[round % WORDS] != round % WORDS) fail("word", round);
  }
}

static void count(void) {
  for (unsigned i = 0; i < COUNTS; ++i) {
    lock_take(&lock);
    counter += 1;
    lock_give(&lock);
  }
}

/* Three blocks of each core at a time, filled with its number. */
static void allocate_at_random(unsigned core) {
  enum { BLOCKS = 3, BLOCK_WORDS = 60 };
  unsigned *blocks[BLOCKS] = {0}, words[BLOCKS] = {0};
  uint32_t state = core + 1;
  for (unsigned round = 0; round < ALLOCATIONS; ++round) {
    const unsigned i = next_random(&state) % BLOCKS;
    for (unsigned k = 0; k < words[i]; ++k) {
      if (blocks[i][k] != core) fail("a word of a block", k);
    }
    free(blocks[i]);
    words[i] = 1 + next_random(&state) % BLOCK_WORDS;
    blocks[i] = malloc(words[i] * sizeof(unsigned));
    if (blocks[i] == NULL || ((uintptr_t)blocks[i] & 63) != 0) fail("a block of words", words[i]);
    for (unsigned k = 0; k < words[i]; ++k) blocks[i][k] = core;
  }
  for (unsigned i = 0; i < BLOCKS; ++i) free(blocks[i]);
}

/* All that there is, when nothing else is taken. */
static void allocate_all(void) {
  extern char __heap[], __heap_end[];
  const unsigned most = (unsigned)(__heap_end - __heap) - 64;
  if (malloc(most + 1) != NULL) fail("more than there is", most);
  void* const all = malloc(most);
  if (all == NULL || malloc(1) != NULL) fail("all that there is", most);
  void* const larger = realloc(all, most + 1);
  if (larger != NULL) fail("enlarged", most);
  free(all);
  unsigned* const word = calloc(1, sizeof(unsigned));
  *word = 7;
  unsigned* const words = realloc(word, 400);
  if (words[0] != 7) fail("a word of a block that grew", words[0]);
  free(words);
}

static void copy_in_and_out(void) {
  for (unsigned i = 0; i < COPY_WORDS; ++i) copied[i] = i * 7;
  dma_copy(outside, copied, sizeof(copied));
  for (unsigned i = 0; i < COPY_WORDS; ++i) copied[i] = 0;
  dma_copy(copied, outside, sizeof(copied));
  for (unsigned i = 0; i < COPY_WORDS; ++i) {
    if (copied[i] != i * 7) fail("a copied word", i);
  }
  if (*(volatile uint32_t*)&outside[3] != 21) fail("a word outside", outside[3]);
}

static void arrive(void) {
  lock_take(&lock);
  done += 1;
  lock_give(&lock);
}

void cluster_start(unsigned core) {
  if (core == 0) {
    for (unsigned i = 0; i < WORDS; ++i) common[i] = i;
    copy_in_and_out();
    arrive();
  }
  while (read_word((uintptr_t)&done) == 0) {
  }
  access_at_random(core);
  count();
  allocate_at_random(core);
  arrive();
  if (core != 0) return;
  while (read_word((uintptr_t)&done) != core_count() + 1) {
  }
  if (counter != core_count() * COUNTS) fail("counted", counter);
  allocate_all();
  end_program(0);
}
