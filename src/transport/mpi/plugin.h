/* SPDX-License-Identifier: Apache-2.0
 *
 * What libmyrmidon needs of MPI, as a table of functions in a library of its own, which is built
 * once for each MPI and loaded at run time: libmyrmidon itself links none.
 *
 * Threads: one call at a time. start() comes first, finish() last, and by the same thread. An error
 * of MPI ends the job, with MPI's message.
 */
#ifndef MYR_TRANSPORT_MPI_PLUGIN_H
#define MYR_TRANSPORT_MPI_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct myr_mpi_range {
  uint64_t address;
  uint64_t bytes;
} myr_mpi_range;

typedef struct myr_mpi_job {
  int rank;
  int size;
  int size_here; /* ranks on this computer */
  /* By rank: MYR_MPI_BELL_BYTES of memory, zero at first, that the processes of this computer have
   * in common; NULL: for a rank on another one. */
  void* const* bells;
} myr_mpi_job;

enum { MYR_MPI_BELL_BYTES = 64 };

/* Something under way. */
typedef struct myr_mpi_operation* myr_mpi_request;

typedef struct myr_mpi_plugin {
  uint32_t version; /* MYR_MPI_PLUGIN_VERSION */
  /* 0, or that of MPI cannot be used with threads. */
  int (*start)(myr_mpi_job* job);
  void (*finish)(void);

  /* Ends all processes of the job, with this status. */
  void (*abort)(int status);

  /* A message of some bytes, which stay where they are until test(). `is_acknowledged`: test() is
   * true only when the receiver has begun to receive it. Messages between two ranks stay in order.
   */
  myr_mpi_request (*send)(const void* bytes, size_t size, int to, int is_acknowledged);
  /* Not 0: there is one. */
  int (*probe)(int* from, size_t* size);
  void (*receive)(void* bytes, size_t size, int from);

  /* The bytes of ranges, from where they are to where they belong: the ranges of both sides have
   * the same lengths in sum. Transfers between two ranks are matched in order. */
  myr_mpi_request (*send_ranges)(const myr_mpi_range* ranges, size_t count, int to);
  myr_mpi_request (*receive_ranges)(const myr_mpi_range* ranges, size_t count, int from);

  /* It is over when all ranks have called this. */
  myr_mpi_request (*barrier)(void);
  /* Not 0: it is over, and the request is gone. */
  int (*test)(myr_mpi_request request);
} myr_mpi_plugin;

#define MYR_MPI_PLUGIN_VERSION 3
#define MYR_MPI_PLUGIN_SYMBOL "myr_mpi"
extern __attribute__((visibility("default"))) const myr_mpi_plugin myr_mpi;

#ifdef __cplusplus
}
#endif
#endif
