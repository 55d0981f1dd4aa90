/* SPDX-License-Identifier: Apache-2.0
 *
 * Data cut in two steps, as the hierarchical programs of the Myrmics paper cut theirs: into parts,
 * a region each, on which coarse tasks work, and each part into tiles, an object each, for the fine
 * tasks that the coarse ones spawn.
 *
 * A part's table of tiles lies in the part's region, so a task that holds the region may look its
 * tiles up. Threads: as for the calls of myr.h.
 */
#ifndef MYR_KERNELS_COMMON_PARTS_H
#define MYR_KERNELS_COMMON_PARTS_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

struct part {
  myr_region region;
  void** tiles; /* an object of the region, as are the tiles themselves */
};

struct parts {
  myr_region region; /* around all parts */
  struct part* part;
  size_t part_count;
  size_t tile_count; /* in a part */
};

/* Tiles of `tile_bytes` each; what they contain is undefined. Ends the program when memory does. */
struct parts parts_new(size_t part_count, size_t tile_count, size_t tile_bytes);
void parts_free(struct parts* parts);

/* The tile with this index, counted through all parts. */
static inline void* parts_tile(const struct parts* parts, size_t index) {
  return parts->part[index / parts->tile_count].tiles[index % parts->tile_count];
}

#ifdef __cplusplus
}
#endif
#endif
