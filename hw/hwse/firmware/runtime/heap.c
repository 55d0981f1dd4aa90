/* SPDX-License-Identifier: Apache-2.0
 *
 * malloc() and its like, in what programs leave of the scratchpad: the first gap that is large
 * enough. Any core may call them. What they return is aligned to a unit. */
#include <stdlib.h>
#include <string.h>

#include "platform.h"

enum { UNIT = 64 };

/* The first unit of a block; its memory follows. */
struct block {
  size_t units;       /* all of it */
  struct block* next; /* the free one at the next higher address */
};

extern char __heap[], __heap_end[];
static lock_t lock;
static struct block* first_free;
static bool begun;

static struct block* behind(struct block* block) {
  return (struct block*)((char*)block + block->units * UNIT);
}

static void begin(void) {
  first_free = (struct block*)__heap;
  first_free->units = (size_t)(__heap_end - __heap) / UNIT;
  first_free->next = NULL;
  begun = true;
}

void* malloc(size_t bytes) {
  if (bytes > L1_BYTES) return NULL;
  const size_t units = 1 + (bytes + UNIT - 1) / UNIT;
  lock_take(&lock);
  if (!begun) begin();
  struct block** link = &first_free;
  while (*link != NULL && (*link)->units < units) link = &(*link)->next;
  struct block* const block = *link;
  if (block != NULL) {
    if (block->units == units) {
      *link = block->next;
    } else {
      const struct block rest = {block->units - units, block->next};
      block->units = units;
      *link = behind(block);
      **link = rest;
    }
  }
  lock_give(&lock);
  return block == NULL ? NULL : (char*)block + UNIT;
}

/* Gaps that meet become one. */
void free(void* memory) {
  if (memory == NULL) return;
  struct block* const block = (struct block*)((char*)memory - UNIT);
  lock_take(&lock);
  struct block *before = NULL, *after = first_free;
  for (; after != NULL && after < block; after = after->next) before = after;
  block->next = after;
  if (after != NULL && behind(block) == after) {
    block->units += after->units;
    block->next = after->next;
  }
  if (before == NULL) {
    first_free = block;
  } else if (behind(before) == block) {
    before->units += block->units;
    before->next = block->next;
  } else {
    before->next = block;
  }
  lock_give(&lock);
}

void* calloc(size_t count, size_t bytes) {
  /* By words, of which a block has whole ones: C's library here goes by bytes. */
  uint32_t* const memory = malloc(count * bytes);
  for (size_t i = 0; memory != NULL && i * sizeof(uint32_t) < count * bytes; ++i)
    write_word((uintptr_t)&memory[i], 0);
  return memory;
}

void* realloc(void* memory, size_t bytes) {
  void* const larger = malloc(bytes);
  if (larger == NULL || memory == NULL) return larger;
  const size_t old = (((struct block*)((char*)memory - UNIT))->units - 1) * UNIT;
  memcpy(larger, memory, old < bytes ? old : bytes);
  free(memory);
  return larger;
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  return alignment <= UNIT ? malloc(bytes) : NULL;
}
