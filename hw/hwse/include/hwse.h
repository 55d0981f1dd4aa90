/* SPDX-License-Identifier: Apache-2.0
 *
 * The registers of the scheduling engine, for C and C++: what software reads (R) and writes (W).
 * Each access is one primitive and done at once: no other core's comes between, and none waits for
 * another core. What cannot be done yet is answered with 0, and the software asks again or does
 * something else. A write that was refused shows in HWSE_TAKEN; a mistake also in HWSE_ERROR, and
 * changes nothing. hw/hwse/rtl/hwse_pkg.sv has the same numbers. */
#ifndef MYR_HWSE_H
#define MYR_HWSE_H

enum hwse_register {
  /* Teams. R, argument: how many threads. Opens a team; the answer is the context of its thread 0,
   * or 0: no team is free. */
  HWSE_TEAM_OPEN = 0,
  /* W: closes the team of a context. All its threads are past its last barrier. */
  HWSE_TEAM_CLOSE = 1,
  /* RW: the core's context: team, rank and turn. Write HWSE_CONTEXT_OF(context, rank) to join a
   * team; to run a nested team read this and HWSE_CHUNK_END before, and write both back after. 0:
   * no team. */
  HWSE_CONTEXT = 2,
  /* RW: the end of the chunk that the core fetched last (the one after the last iteration). */
  HWSE_CHUNK_END = 3,

  /* INIT of loops and sections. R: enters the team's next work-share. 1: this thread came first and
   * writes the bounds, then one of the four after them, which opens it; 2: it is open; 0: ask
   * again, since it is being filled or a thread is still in the work-share before the last. */
  HWSE_SHARE_INIT = 4,
  /* R: `single`, which needs no other access: 1: this thread runs it; 2: another does; 0: ask
   * again. */
  HWSE_SINGLE = 5,
  HWSE_LOOP_START = 6,   /* W, signed; 0 if not written */
  HWSE_LOOP_END = 7,     /* W, signed: the one after the last; 0 if not written */
  HWSE_LOOP_STATIC = 8,  /* W: chunk times stride; below zero counts down */
  HWSE_LOOP_DYNAMIC = 9, /* W: likewise */
  HWSE_LOOP_GUIDED = 10, /* W: likewise; the stride is 1 or -1 */
  HWSE_SECTIONS = 11,    /* W: how many; they are fetched as 1, 2, ... */

  /* FETCH. R: the start of the thread's next chunk, or the next section. HWSE_CHUNK_END has the
   * chunk's end; nothing is left if the two are equal (then both are 0). */
  HWSE_SHARE_FETCH = 12,
  /* END. W, any value: the thread leaves the work-share. */
  HWSE_SHARE_LEAVE = 13,
  /* SYNC. R: the team's barrier. 0: ask again; 1: all threads have come. */
  HWSE_SYNC = 14,

  /* Queues of words, for tasks: an argument says which. W: takes a word, which is not 0; refused
   * if the queue is full. R: gives the oldest word, or 0: there is none. The cluster's queues keep
   * the addresses of as many descriptors of 128 bytes, which begin where its RTL says, and no other
   * words. */
  HWSE_QUEUE_PUSH = 15,
  HWSE_QUEUE_POP = 16,
  /* Queue 0 as allocator. W: the heap's bounds and then the size of its bins, which also empties
   * the queue. After that HWSE_QUEUE_POP allocates a bin, and HWSE_QUEUE_PUSH frees one. */
  HWSE_HEAP_START = 17,
  HWSE_HEAP_END = 18,
  HWSE_HEAP_STEP = 19,

  /* Counters, for the children of a task: an argument says which. HWSE_COUNT is RW; the others are
   * R, change it by one, and answer what it is then. */
  HWSE_COUNT = 20,
  HWSE_COUNT_UP = 21,
  HWSE_COUNT_DOWN = 22,

  HWSE_TAKEN = 23, /* R: 1 if the core's last write was done, 0 if it was refused */
  HWSE_ERROR = 24  /* R: the first mistake, and from bit 8 on its core; W: clears it */
};

enum hwse_error {
  HWSE_ERR_NONE = 0,
  HWSE_ERR_REGISTER = 1, /* there is no such register, or not in this direction */
  HWSE_ERR_ARGUMENT = 2, /* no such queue or counter, or no such size of a team */
  HWSE_ERR_CONTEXT = 3,  /* a context that names no open team, or a rank outside of it */
  HWSE_ERR_TEAM = 4,     /* closing a team that is not open, or has an open work-share or barrier */
  HWSE_ERR_NO_TEAM = 5,  /* a work-share or barrier outside of a team */
  HWSE_ERR_NESTED = 6,   /* a second work-share before leaving the first */
  HWSE_ERR_NOT_INSIDE = 7,  /* fetching from a work-share, or leaving it, without being inside */
  HWSE_ERR_NOT_FILLING = 8, /* bounds from a thread that did not come first, or too late */
  HWSE_ERR_STEP = 9,        /* a step of zero; it is taken as one */
  HWSE_ERR_COUNT = 10       /* counting below zero, or more than a counter holds */
};

/* Where a register lies, in bytes from the engine's base. */
#define HWSE_OFFSET(reg, argument) ((unsigned)(reg) << 9 | (unsigned)(argument) << 2)
/* The context of another thread of the team that HWSE_TEAM_OPEN has opened. */
#define HWSE_CONTEXT_OF(context, rank) ((context) | (unsigned)(rank) << 5)

#endif
