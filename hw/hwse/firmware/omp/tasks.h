/* SPDX-License-Identifier: Apache-2.0
 *
 * Tasks above either scheduler: what their descriptors hold, how they are run, and groups of them.
 */
#ifndef TASKS_H
#define TASKS_H

#include "scheduler.h"

/* A task that a core begins to make: how it is called, and what its copy is made from. */
struct call {
  task_body* body;
  const void* argument;
  void (*copy)(void*, void*); /* NULL: plain words */
  unsigned bytes;
};

/* Makes a task that may run at once; or, with dependences as gcc lists them, when the earlier ones
 * of its siblings have ended that they name. False: there is no room, and the caller runs it. */
bool task_init(const struct call* call, void** dependences);
/* Runs a task that is ready, if there is one, on the stack of what waits. */
bool task_run(void);
/* Waits for the children of the current task, and runs others meanwhile. */
void task_wait(void);

/* Tasks made between open and close, and what they make: close waits for them. */
struct group {
  lock_t lock;
  unsigned pending;
  struct group* outer;
};
void group_open(struct group* group);
void group_wait(struct group* group);
void group_close(struct group* group);

#endif
