/* SPDX-License-Identifier: Apache-2.0
 *
 * KERNEL_WIDE before a function: it is compiled twice, once for the vector registers and the fused
 * multiply-add of recent processors, and when the program starts the loader takes the version that
 * the processor can run. Not under sanitizers, which cannot be asked that early.
 */
#ifndef KERNELS_WIDE_H
#define KERNELS_WIDE_H

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KERNEL_WIDE __attribute__((target_clones("default", "arch=x86-64-v3")))
#else
#define KERNEL_WIDE
#endif

#endif
