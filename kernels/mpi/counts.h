/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program of MPI sends: its calls are counted on their way to MPI (the standard's profiling
 * interface). Collective calls count as on a tree: to and from each rank but the root once.
 *
 * Threads: one at a time.
 */
#ifndef MYR_KERNELS_MPI_COUNTS_H
#define MYR_KERNELS_MPI_COUNTS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct mpi_counts {
  int64_t messages, bytes;
};
/* The counts of this rank. */
extern struct mpi_counts mpi_counts_now;

#ifdef __cplusplus
}
#endif
#endif
