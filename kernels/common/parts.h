/* SPDX-License-Identifier: Apache-2.0
 *
 * Data cut in two steps, as the hierarchical programs of the Myrmics paper cut theirs: into parts,
 * a region each, on which coarse tasks work, and each part into tiles, an object each, for the fine
 * tasks that the coarse ones spawn.
 *
 * A region is the matter of one scheduler, and a task of the lowest scheduler that is above all it
 * names. So a fine task names objects of its part and nothing else: what it needs from elsewhere is
 * first copied to an object of the part, by a task of its own.
 *
 * Coarse tasks do not touch the data: they only hand it on. So their regions are notransfer, and
 * the tables of tiles are not in them. For the same reason main does not wait for the data at the
 * end, except for an object that a last task changes: the results stay where tasks have left them.
 *
 * Threads: as for the calls of myr.h.
 */
#ifndef MYR_KERNELS_COMMON_PARTS_H
#define MYR_KERNELS_COMMON_PARTS_H

#include <myr/myr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Objects of one size in a region. */
struct tile_set {
  myr_region region;
  void** tiles; /* plain memory, which is not changed any more; the tiles are objects */
};

struct tile_set tile_set_new(myr_region parent, size_t tile_count, size_t tile_bytes);
void tile_set_free(struct tile_set* set);

struct part {
  myr_region region;
  void** tiles;      /* as in a tile_set */
  size_t first;      /* index of the first tile, counted through all parts */
  size_t tile_count; /* in this part */
  void* local;       /* an object for the part's copy of what all parts need; NULL if of no size */
};

struct parts {
  myr_region region; /* around all parts */
  struct part* part;
  size_t part_count;
  myr_region* branches; /* around as many parts each, in the order of the parts; NULL: none */
  size_t tile_total;    /* in all parts */
  int* end;             /* the object to wait for */
};

/* Bytes of each object; and branches, which are for schedulers one level above the lowest. */
struct part_sizes {
  size_t tile;
  size_t local; /* 0: none */
  size_t branch_count;
};

/* Spreads the tiles evenly; what they contain is undefined. Ends the program when memory does.
 * REQUIRES: no fewer tiles than parts; as many parts in each branch. */
struct parts parts_new(size_t part_count, size_t tile_total, struct part_sizes sizes);
void parts_free(struct parts* parts);

/* The last task: on everything, and on the object that main waits for. */
static inline void parts_reach_end(myr_region all, int* end) {
  (void)all;
  *end = 1;
}

/* The part that has the tile with this index. */
static inline struct part* parts_with(const struct parts* parts, size_t tile) {
  return &parts->part[((tile + 1) * parts->part_count - 1) / parts->tile_total];
}

/* The tile with this index, counted through all parts. */
static inline void* parts_tile(const struct parts* parts, size_t index) {
  const struct part* const part = parts_with(parts, index);
  return part->tiles[index - part->first];
}

#ifdef __cplusplus
}
#endif
#endif
