/* SPDX-License-Identifier: Apache-2.0
 *
 * Starts programs of ranks, which exchange messages by MPI, on a simulated chip: what task programs
 * on the same chip (`sim:CHIP`) are compared with. See mpi.h.
 *
 * Every rank has a weak core to itself and runs in virtual time: myr_work() of myr.h is its
 * computing time, messages take what the chip's network takes. The same program takes the same
 * cycles every time. Ranks share the memory of the process; others may read what one has written
 * there only if a message told them so, or before and after the run.
 *
 * These programs have myr_work() and myr_cycles() from here, not from libmyrmidon. Outside of a
 * run, the two speak of the one clock that stands still except for myr_work() and whole runs.
 */
#ifndef MYR_KERNELS_CHIP_MPI_RUN_H
#define MYR_KERNELS_CHIP_MPI_RUN_H

#ifdef __cplusplus
extern "C" {
#endif

/* How many ranks a chip can have; 0: there is no chip of this name. */
int myr_chip_rank_limit(const char* chip);

/* Runs program(argument) on so many ranks to its end. NULL, or a text that says what went wrong,
 * valid until the next call: a mistake in an MPI call, ranks that wait for each other for ever,
 * messages that nobody received. REQUIRES: not called by a rank, and by one thread at a time. */
const char* myr_chip_run(const char* chip, int rank_count, void (*program)(void* argument),
                         void* argument);

#ifdef __cplusplus
}
#endif
#endif
