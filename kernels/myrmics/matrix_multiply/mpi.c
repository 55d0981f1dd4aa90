/* SPDX-License-Identifier: Apache-2.0
 *
 * The matrix product with MPI, by Cannon's algorithm. The ranks form a square, and each has a block
 * of all three matrices. In each phase a rank multiplies the blocks of A and B that it holds now;
 * meanwhile these travel on, A to the left and B upwards.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ranks.h"
#include "myrmics/matrix_multiply/matrix_multiply.h"

struct grid {
  int side;         /* ranks in a row */
  int row, column;  /* of this rank */
  size_t tile_side; /* tiles in a row of a block */
  size_t tile_size; /* numbers in a tile */
};

static int rank_at(const struct grid* grid, int row, int column) {
  const int side = grid->side;
  return (row + side) % side * side + (column + side) % side;
}

static size_t block_size(const struct grid* grid) {
  return grid->tile_side * grid->tile_side * grid->tile_size;
}

/* Tile `index` of the block of this rank. */
static float* tile_of(const struct matrix_multiply* m, const struct parts* matrix,
                      const struct grid* grid, size_t index) {
  const size_t row = (size_t)grid->row * grid->tile_side + index / grid->tile_side;
  const size_t column = (size_t)grid->column * grid->tile_side + index % grid->tile_side;
  const size_t n = m->tile_side;
  const struct part* part = &matrix->part[row / n * m->part_side + column / n];
  return part->tiles[row % n * n + column % n];
}

static float* load(const struct matrix_multiply* m, const struct parts* matrix,
                   const struct grid* grid) {
  float* const block = ranks_memory(block_size(grid) * sizeof(float));
  for (size_t i = 0; i < grid->tile_side * grid->tile_side; ++i) {
    memcpy(block + i * grid->tile_size, tile_of(m, matrix, grid, i),
           grid->tile_size * sizeof(float));
  }
  return block;
}

static void store(const struct matrix_multiply* m, const struct parts* matrix,
                  const struct grid* grid, const float* block) {
  const size_t bytes = grid->tile_size * sizeof(float);
  for (size_t i = 0; i < grid->tile_side * grid->tile_side; ++i) {
    float* const tile = tile_of(m, matrix, grid, i);
    memcpy(tile, block + i * grid->tile_size, bytes);
    ranks_result(tile, bytes);
  }
}

static void multiply_blocks(const struct grid* grid, const float* a, const float* b, float* c,
                            size_t side) {
  const size_t n = grid->tile_side, size = grid->tile_size;
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j < n; ++j) {
        matrix_multiply_add(a + (i * n + k) * size, b + (k * n + j) * size, c + (i * n + j) * size,
                            side);
      }
    }
  }
}

/* The blocks of one matrix that a rank has: the one it works with and the next one. */
struct blocks {
  float *now, *next;
};

/* Starts to send a block on and to get the next one. */
static void pass(const struct grid* grid, const struct blocks* blocks, int target, int source,
                 MPI_Request requests[2]) {
  const int count = (int)block_size(grid);
  MPI_Irecv(blocks->next, count, MPI_FLOAT, source, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(blocks->now, count, MPI_FLOAT, target, 0, MPI_COMM_WORLD, &requests[1]);
}

static void swap(struct blocks* blocks) {
  float* const now = blocks->now;
  blocks->now = blocks->next;
  blocks->next = now;
}

/* Row i of A turns by i blocks and column j of B by j, so that each rank has blocks that match. */
static void align(const struct grid* grid, struct blocks* a, struct blocks* b) {
  const int row = grid->row, column = grid->column;
  MPI_Request requests[4];
  pass(grid, a, rank_at(grid, row, column - row), rank_at(grid, row, column + row), requests);
  pass(grid, b, rank_at(grid, row - column, column), rank_at(grid, row + column, column),
       requests + 2);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  swap(a);
  swap(b);
}

static void multiply(const struct grid* grid, struct blocks* a, struct blocks* b, float* c,
                     size_t side) {
  const int row = grid->row, column = grid->column;
  align(grid, a, b);
  for (int phase = 1; phase <= grid->side; ++phase) {
    MPI_Request requests[4];
    const int request_count = phase < grid->side ? 4 : 0;
    if (request_count > 0) {
      pass(grid, a, rank_at(grid, row, column - 1), rank_at(grid, row, column + 1), requests);
      pass(grid, b, rank_at(grid, row - 1, column), rank_at(grid, row + 1, column), requests + 2);
    }
    multiply_blocks(grid, a->now, b->now, c, side);
    MPI_Waitall(request_count, requests, MPI_STATUSES_IGNORE);
    swap(a);
    swap(b);
  }
}

/* 0: the ranks form no square. */
static int square_root(int count) {
  int side = 0;
  while (side * side < count) side += 1;
  return side * side == count ? side : 0;
}

static void run_rank(void* argument) {
  const struct matrix_multiply* const m = argument;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int side = square_root(ranks_count());
  const struct grid grid = {.side = side,
                            .row = rank / side,
                            .column = rank % side,
                            .tile_side = m->part_side * m->tile_side / (size_t)side,
                            .tile_size = m->side * m->side};
  const size_t bytes = block_size(&grid) * sizeof(float);
  struct blocks a = {load(m, &m->a, &grid), ranks_memory(bytes)};
  struct blocks b = {load(m, &m->b, &grid), ranks_memory(bytes)};
  float* const c = load(m, &m->c, &grid);
  ranks_start();
  multiply(&grid, &a, &b, c, m->side);
  ranks_stop();
  store(m, &m->c, &grid, c);
  float* const all[] = {a.now, a.next, b.now, b.next, c};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

void matrix_multiply_tasks(struct matrix_multiply* m) {
  const int side = square_root(ranks_count());
  if (side == 0 || m->part_side * m->tile_side % (size_t)side != 0) {
    ranks_refuse("the ranks must be a square whose root divides the tiles in a row");
  }
  ranks_run(run_rank, m);
}
