/* SPDX-License-Identifier: Apache-2.0
 *
 * Dependences of tasks: a task that reads an address waits for the earlier siblings that write it,
 * a task that writes it for all earlier siblings that name it. gcc's library has them in software,
 * and so have both of ours.
 *
 * An address that live tasks of one parent name is a place with a queue of accesses, in the order
 * of the tasks. From its front, one writer or all readers up to the next writer are granted; a task
 * is ready when all its accesses are. */
#ifndef DEPEND_H
#define DEPEND_H

#include "scheduler.h"

/* Adds a task behind those that it depends on, by gcc's list. False: there is no room for its
 * accesses, and nothing is done. */
bool task_add_after(struct task* task, void** dependences);
/* The task has run: those that waited for nothing else are made ready. */
void task_release(struct task* task);

#endif
