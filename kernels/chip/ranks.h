/* SPDX-License-Identifier: Apache-2.0
 *
 * What the MPI versions of kernels have in common. Such a version is NAME_tasks() of its kernel: it
 * runs a program on all ranks, in which each begins with its share of the input at hand and ends
 * with its share of the result in place. Neither costs time, nor does it in the task version, whose
 * data lie where tasks have left them.
 *
 * The same source runs on a simulated chip (chip/ranks.cpp), where all ranks are in this process,
 * and as a job of Open MPI or MPICH (mpi/ranks.cpp), where each is a process that has all of the
 * kernel's data for itself.
 */
#ifndef MYR_KERNELS_CHIP_RANKS_H
#define MYR_KERNELS_CHIP_RANKS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How many ranks there are. */
int ranks_count(void);
/* Runs program(argument) on every rank. Ends the process with a text if that goes wrong. */
void ranks_run(void (*program)(void* argument), void* argument);
/* What the program does between these two takes time; all ranks begin it together, and it lasts
 * until all have ended it. */
void ranks_start(void);
void ranks_stop(void);
/* The calling rank has put a part of the result there; after the run all ranks have it. */
void ranks_result(const void* part, size_t bytes);
/* Ends the process, since the kernel cannot run on so many ranks: "the ranks must be ...". */
void ranks_refuse(const char* rule);

/* Memory of a rank, to be given to free(); it begins with a cache line, as objects do. Ends the
 * process when there is none. */
void* ranks_memory(size_t bytes);

/* The first of the things that a rank gets when `total` are dealt to all, some after each other. */
static inline size_t ranks_first(size_t total, int rank) {
  return total * (size_t)rank / (size_t)ranks_count();
}

#ifdef __cplusplus
}
#endif
#endif
