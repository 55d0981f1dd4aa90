/* SPDX-License-Identifier: Apache-2.0
 *
 * What the five kernels of paper 3 cost a core of its chip, in cycles: the only place with these
 * numbers.
 *
 * A core is a Pentium (P54C) at 533 MHz. The paper gives no costs. We assume the latencies of its
 * floating-point unit in the processor's manual, with each operation waiting for the one before, as
 * a compiler of that time leaves sums and polynomials; data lie in the first cache. Misses of the
 * caches are the machine's to count.
 */
#ifndef MYR_KERNELS_CHIP_SCC_COSTS_H
#define MYR_KERNELS_CHIP_SCC_COSTS_H

/* ---- instructions ---- */
enum {
  SCC_LOAD = 1,  /* or a store */
  SCC_FLOAT = 3, /* + - * */
  SCC_LOOP = 2,  /* count and branch */
  SCC_DIVIDE = 39,
  SCC_ROOT = 70,
  SCC_EXP = 160, /* by F2XM1, FRNDINT and FSCALE */
  SCC_LOG = 115  /* by FYL2X */
};

/* ---- kernels ---- */
enum {
  /* The normal distribution: a quotient, a polynomial of degree five, an exponential. */
  SCC_NORMAL = SCC_DIVIDE + 16 * SCC_FLOAT + SCC_EXP + 8 * SCC_LOAD,
  /* An option: two of these, a logarithm, a root, an exponential, two quotients, sums. */
  SCC_OPTION = 2 * SCC_NORMAL + SCC_LOG + SCC_ROOT + SCC_EXP + 2 * SCC_DIVIDE + 14 * SCC_FLOAT +
               12 * SCC_LOAD + SCC_LOOP,

  /* A product that is added to a sum. */
  SCC_MULTIPLY_ADD = SCC_LOAD + 2 * SCC_FLOAT + SCC_LOOP,

  /* Two complex numbers of a transform: a product, a sum and a difference. */
  SCC_BUTTERFLY = 10 * SCC_FLOAT + 10 * SCC_LOAD + SCC_LOOP,
  /* Two complex numbers change places. */
  SCC_SWAP = 8 * SCC_LOAD + SCC_LOOP,
  /* One becomes a copy of another. */
  SCC_COPY = 4 * SCC_LOAD + SCC_LOOP,

  /* The mean of four neighbours. */
  SCC_JACOBI_POINT = 4 * SCC_LOAD + 4 * SCC_FLOAT + SCC_LOAD + SCC_LOOP
};

#endif
