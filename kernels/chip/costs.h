/* SPDX-License-Identifier: Apache-2.0
 *
 * What the six kernels of the Myrmics paper cost a worker core of its chip, in cycles: the only
 * place with these numbers.
 *
 * The paper gives no costs, only that tasks take a million cycles or more. We assume a MicroBlaze
 * with five pipeline stages and the single precision unit that it can be ordered with, the
 * latencies of its reference guide, and data in the first cache; nothing overlaps, since it takes
 * one instruction at a time. It has no unit for double precision: that is a call of a function,
 * whose costs are our estimate. What a loop takes is counted from the source.
 */
#ifndef MYR_KERNELS_CHIP_COSTS_H
#define MYR_KERNELS_CHIP_COSTS_H

/* ---- instructions ---- */
enum {
  COST_STEP = 1,   /* integer arithmetic, a store */
  COST_LOAD = 2,   /* with the wait for what it loads */
  COST_BRANCH = 2, /* half of them taken */
  COST_FLOAT = 5,  /* + - *, and a comparison with its branch */
  COST_FLOAT_DIVIDE = 29,
  COST_FLOAT_ROOT = 28,
  COST_LOOP = COST_STEP + COST_BRANCH,
  COST_COPY = COST_LOAD + COST_STEP, /* a word, in an unrolled loop */
  COST_DOUBLE = 150,                 /* + - * in software */
  COST_DOUBLE_DIVIDE = 700,
  COST_DOUBLE_ROOT = 1500
};

/* ---- kernels ---- */
enum {
  /* A number of the table: three neighbours are new, three sums and a product. */
  COST_JACOBI_POINT = 3 * COST_LOAD + 4 * COST_FLOAT + COST_STEP + COST_LOOP,

  /* A ball or its bound against a ray: 3 differences and two inner products, comparisons. */
  COST_RAY_TEST = 6 * COST_LOAD + 19 * COST_FLOAT + COST_LOOP,
  /* What else a pixel takes: 4 samples, each a ray to normalise and some light to mix. */
  COST_RAY_PIXEL = 4 * (60 * COST_FLOAT + COST_FLOAT_DIVIDE + 2 * COST_FLOAT_ROOT),

  /* A number that is put behind another in a merge: two loads, a comparison, one of two steps. */
  COST_MERGE = 2 * COST_LOAD + COST_BRANCH + 3 * COST_STEP + COST_LOOP,
  /* A number that is sorted into a run of 16 by insertion: it passes four on average. */
  COST_INSERT = 4 * (COST_LOAD + COST_BRANCH + COST_STEP + COST_LOOP),

  /* A point against a centre: 3 differences, their squares' sum, a comparison. */
  COST_K_MEANS_DISTANCE = 3 * COST_LOAD + 9 * COST_FLOAT + COST_LOOP,
  /* Three sums in double precision, to which a number or a sum is added. */
  COST_K_MEANS_SUM = 3 * (COST_DOUBLE + 3 * COST_LOAD) + COST_LOOP,
  COST_K_MEANS_MOVE = 3 * COST_DOUBLE_DIVIDE,

  /* A product that is added to a sum. */
  COST_MULTIPLY_ADD = 2 * COST_LOAD + 2 * COST_FLOAT + COST_LOOP,

  /* The pull of a point on a body: distance, its root and third power, and the sum. */
  COST_PULL = 17 * COST_DOUBLE + COST_DOUBLE_ROOT + COST_DOUBLE_DIVIDE,
  /* A cell on the way: its distance, and whether that is far. */
  COST_CELL = 11 * COST_DOUBLE,
  /* A body on one level of an octree: which octant, and two copies of its four numbers. */
  COST_OCTANT = 6 * COST_DOUBLE + 16 * COST_COPY,
  /* A new cell or a body in a leaf, with its share of the mass. */
  COST_SUMMARY = 10 * COST_DOUBLE,
  /* A body that is moved half a step. */
  COST_DRIFT = 9 * COST_DOUBLE,
  /* A comparison in a sort of bodies by place, with its share of moving them. */
  COST_BODY_SORT = COST_DOUBLE + 24 * COST_COPY
};

#endif
