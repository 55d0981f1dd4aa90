/* SPDX-License-Identifier: Apache-2.0
 *
 * Beside myr.h: what a task tells a simulated machine, and what it may ask. On all other machines
 * nothing of it has an effect, so a program can say it anywhere. In tasks and main; any thread.
 */
#ifndef MYR_SIM_H
#define MYR_SIM_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Tells a simulated machine (`sim:CHIP`) that the calling task computes for this many cycles of a
 * worker core, and advances its clock by them. No effect on other machines. */
MYR_API void myr_work(uint64_t cycles);
/* Tells a simulated chip with caches (`sim:scc-48`) which memory the calling task goes through,
 * once and in this order: `rows` runs of `bytes` bytes, each `stride` bytes behind the one before;
 * mode MYR_IN, MYR_OUT or MYR_INOUT. A task that never says so goes once through all objects and
 * ranges that it has declared. No effect on other machines. */
MYR_API void myr_touch(const void* first, size_t bytes, size_t rows, size_t stride, unsigned mode);
/* A simulated machine's clock, as the calling task sees it, in cycles of a worker core from the
 * start. On other machines: 0. */
MYR_API uint64_t myr_cycles(void);

#ifdef __cplusplus
}
#endif
#endif
