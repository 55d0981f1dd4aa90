/* SPDX-License-Identifier: Apache-2.0
 *
 * For the OpenMP versions: a loop whose iteration i needs, of the loop before, only what iteration
 * i has done. With the static schedule the same thread has done that, so no barrier is needed.
 */
#ifndef KERNELS_COMMON_OPENMP_LOOP_H
#define KERNELS_COMMON_OPENMP_LOOP_H

#ifdef OPENMP_STATIC
#define LOOP_WITHOUT_BARRIER _Pragma("omp for schedule(static) nowait")
#else
#define LOOP_WITHOUT_BARRIER _Pragma("omp for schedule(dynamic)")
#endif

#endif
