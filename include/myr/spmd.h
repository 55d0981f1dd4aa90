/* SPDX-License-Identifier: Apache-2.0
 *
 * SPMD programs with regions: each of several processes, the workers, runs the whole program; there
 * are no tasks. Memory comes from schedulers, processes of their own, and has the same addresses in
 * all processes; a worker knows what is in it when it has written it, or another worker has sent
 * it. So structures with pointers travel as they are, a region at once.
 *
 *   myr run --on spmd:1+4 ./program      one scheduler, four workers
 *
 * The calls of myr.h for memory are those of any program: myr_region_new(), myr_region_free(),
 * myr_alloc(), myr_alloc_many(), myr_realloc(), myr_free(). Any worker may call them for any region
 * that it knows of; the freed are freed at once. myr_worker_index() and myr_worker_count() tell the
 * worker which one it is. docs/user/spmd.md is about all of it.
 *
 * The processes are an MPI job, and MPI is there from before main to after it: the program may use
 * it beside these calls, but neither starts nor ends it.
 *
 * Threads: main's.
 */
#ifndef MYR_SPMD_H
#define MYR_SPMD_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

MYR_API void myr_spmd_send_at(unsigned worker, const myr_region* regions, size_t region_count,
                              void* const* objects, size_t object_count, const myr_site* site);
MYR_API void myr_spmd_receive_at(unsigned worker, myr_region* regions, size_t region_count,
                                 void** objects, size_t object_count, const myr_site* site);
MYR_API void myr_spmd_exchange_at(unsigned worker, const myr_region* regions, size_t region_count,
                                  void* const* objects, size_t object_count,
                                  myr_region* their_regions, size_t their_region_count,
                                  void** their_objects, size_t their_object_count,
                                  const myr_site* site);
MYR_API void myr_spmd_barrier_at(const myr_site* site);
MYR_API unsigned myr_spmd_rank_at(unsigned worker, const myr_site* site);

/* Sends another worker what these regions, with all regions in them, and these objects hold here.
 * Returns when it has all been sent: at the latest when that worker has received it. */
#define myr_spmd_send(worker, regions, region_count, objects, object_count)                      \
  myr_spmd_send_at((worker), (regions), (region_count), (void* const*)(objects), (object_count), \
                   MYR_SITE_)
/* Waits for the next thing that the worker sends to this one. It is then where it was there;
 * `regions` and `objects` become the ones that the sender has named, which must be so many. */
#define myr_spmd_receive(worker, regions, region_count, objects, object_count)                \
  myr_spmd_receive_at((worker), (regions), (region_count), (void**)(objects), (object_count), \
                      MYR_SITE_)
/* Both at once: sends the worker these regions and objects, and receives what it sends in the same
 * call, as many as it names. Neither waits for the other one to begin. The other one does not send
 * in the same exchange what one sends. */
#define myr_spmd_exchange(worker, regions, region_count, objects, object_count, their_regions, \
                          their_region_count, their_objects, their_object_count)               \
  myr_spmd_exchange_at((worker), (regions), (region_count), (void* const*)(objects),           \
                       (object_count), (their_regions), (their_region_count),                  \
                       (void**)(their_objects), (their_object_count), MYR_SITE_)
/* Returns when all workers have called it. */
#define myr_spmd_barrier() myr_spmd_barrier_at(MYR_SITE_)
/* The rank of a worker in MPI_COMM_WORLD, for programs that use MPI, too. */
#define myr_spmd_rank(worker) myr_spmd_rank_at((worker), MYR_SITE_)

#ifdef __cplusplus
}
#endif
#endif
