/* SPDX-License-Identifier: Apache-2.0
 *
 * The Jacobi iteration with MPI. Each rank has some rows, and of the rows above and below them a
 * copy. These travel while the rank works on the rows inside of its own.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ranks.h"
#include "myrmics/jacobi/grid.h"

enum { ABOVE, BELOW, DIRECTIONS };

/* Some rows of a rank: its first one, its last one, or those between. */
struct piece {
  int row_count;
  float* rows;
  float* edges[2]; /* as in struct jacobi_tile */
};

struct share {
  int columns, iterations;
  int neighbour[DIRECTIONS]; /* a rank, or MPI_PROC_NULL */
  int piece_count;
  struct piece pieces[3];
  /* Rows of the neighbours, as edges of a piece: the row above is the second one, that below the
   * first one. */
  float* halo[DIRECTIONS];
};

static float* new_rows(const struct share* share, int count) {
  return ranks_memory((size_t)count * (size_t)share->columns * sizeof(float));
}

static void add_piece(struct share* share, int row_count) {
  if (row_count == 0) return;
  struct piece* piece = &share->pieces[share->piece_count++];
  piece->row_count = row_count;
  piece->rows = new_rows(share, row_count);
  for (int i = 0; i < 2; ++i) piece->edges[i] = new_rows(share, 2);
}

static void load(struct share* share, const struct jacobi* jacobi, int first_row) {
  const size_t columns = (size_t)share->columns, row_bytes = columns * sizeof(float);
  for (int p = 0; p < share->piece_count; ++p) {
    const struct piece* piece = &share->pieces[p];
    float* const last = piece->rows + (size_t)(piece->row_count - 1) * columns;
    for (float* row = piece->rows; row <= last; row += columns) {
      memcpy(row, jacobi_row(jacobi, first_row++), row_bytes);
    }
    memcpy(piece->edges[0], piece->rows, row_bytes);
    memcpy(piece->edges[0] + columns, last, row_bytes);
  }
}

static void store(const struct share* share, const struct jacobi* jacobi, int first_row) {
  const size_t columns = (size_t)share->columns;
  for (int p = 0; p < share->piece_count; ++p) {
    const struct piece* piece = &share->pieces[p];
    for (int r = 0; r < piece->row_count; ++r) {
      float* const row = jacobi_row(jacobi, first_row++);
      memcpy(row, piece->rows + (size_t)r * columns, columns * sizeof(float));
      ranks_result(row, columns * sizeof(float));
    }
  }
}

static struct share new_share(const struct jacobi* jacobi, int row_count) {
  int rank, rank_count;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  struct share share = {.columns = jacobi->columns, .iterations = jacobi->iterations};
  share.neighbour[ABOVE] = rank > 0 ? rank - 1 : MPI_PROC_NULL;
  share.neighbour[BELOW] = rank < rank_count - 1 ? rank + 1 : MPI_PROC_NULL;
  add_piece(&share, 1);
  add_piece(&share, row_count > 2 ? row_count - 2 : 0);
  add_piece(&share, row_count > 1 ? 1 : 0);
  for (int d = 0; d < DIRECTIONS; ++d) share.halo[d] = new_rows(&share, 2);
  return share;
}

static void free_share(struct share* share) {
  for (int p = 0; p < share->piece_count; ++p) {
    free(share->pieces[p].rows);
    for (int i = 0; i < 2; ++i) free(share->pieces[p].edges[i]);
  }
  for (int d = 0; d < DIRECTIONS; ++d) free(share->halo[d]);
}

static void step_piece(const struct share* share, int p, int now) {
  const struct piece* piece = &share->pieces[p];
  const bool has_above = share->neighbour[ABOVE] != MPI_PROC_NULL;
  const bool has_below = share->neighbour[BELOW] != MPI_PROC_NULL;
  const float* north = has_above ? share->halo[ABOVE] : NULL;
  const float* south = has_below ? share->halo[BELOW] : NULL;
  if (p > 0) north = piece[-1].edges[now];
  if (p < share->piece_count - 1) south = piece[1].edges[now];
  jacobi_step(north, piece->rows, south, piece->edges[1 - now], piece->row_count, share->columns);
}

static void iterate(const struct share* share, int now) {
  const int columns = share->columns, above = share->neighbour[ABOVE];
  const int below = share->neighbour[BELOW], last = share->piece_count - 1;
  MPI_Request requests[2 * DIRECTIONS];
  MPI_Irecv(share->halo[ABOVE] + columns, columns, MPI_FLOAT, above, BELOW, MPI_COMM_WORLD,
            &requests[0]);
  MPI_Irecv(share->halo[BELOW], columns, MPI_FLOAT, below, ABOVE, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(share->pieces[0].edges[now], columns, MPI_FLOAT, above, ABOVE, MPI_COMM_WORLD,
            &requests[2]);
  MPI_Isend(share->pieces[last].edges[now] + columns, columns, MPI_FLOAT, below, BELOW,
            MPI_COMM_WORLD, &requests[3]);
  for (int p = 1; p < last; ++p) step_piece(share, p, now);
  MPI_Waitall(2 * DIRECTIONS, requests, MPI_STATUSES_IGNORE);
  step_piece(share, 0, now);
  if (last > 0) step_piece(share, last, now);
}

static void run_rank(void* argument) {
  const struct jacobi* const jacobi = argument;
  const size_t rows = (size_t)jacobi->tile_total * (size_t)jacobi->tile_rows;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int first_row = (int)ranks_first(rows, rank), end_row = (int)ranks_first(rows, rank + 1);
  struct share share = new_share(jacobi, end_row - first_row);
  load(&share, jacobi, first_row);
  ranks_start();
  for (int i = 0; i < share.iterations; ++i) iterate(&share, i % 2);
  ranks_stop();
  store(&share, jacobi, first_row);
  free_share(&share);
}

void jacobi_tasks(struct jacobi* jacobi) {
  if (jacobi->tile_total * jacobi->tile_rows < ranks_count()) {
    ranks_refuse("there must be no more ranks than rows");
  }
  ranks_run(run_rank, jacobi);
}
