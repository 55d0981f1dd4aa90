/* SPDX-License-Identifier: Apache-2.0
 *
 * Ray tracing with MPI. Rank 0 has the scene and brings it to all; then each rank renders every
 * n-th tile of n ranks, so that all have some of the dear and of the cheap ones.
 */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "chip/ranks.h"
#include "myrmics/ray_tracing/ray_tracing.h"

/* All know how large it is. */
static struct scene* receive_scene(const struct scene* original, int rank) {
  const size_t bytes = scene_bytes(original->sphere_count);
  struct scene* const scene = ranks_memory(bytes);
  if (rank == 0) memcpy(scene, original, bytes);
  MPI_Bcast(scene, (int)bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
  return scene;
}

static void run_rank(void* argument) {
  const struct ray_tracing* const data = argument;
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ranks_start();
  struct scene* const scene = receive_scene(data->scene, rank);
  const size_t tile_pixels = data->tile_pixels;
  for (size_t i = (size_t)rank; i < data->frame.tile_total; i += (size_t)ranks_count()) {
    render_pixels(scene, i * tile_pixels, tile_pixels, ray_tracing_tile(data, i));
  }
  ranks_stop();
  for (size_t i = (size_t)rank; i < data->frame.tile_total; i += (size_t)ranks_count()) {
    ranks_result(ray_tracing_tile(data, i), tile_pixels * 3);
  }
  free(scene);
}

void ray_tracing_tasks(struct ray_tracing* data) { ranks_run(run_rank, data); }
