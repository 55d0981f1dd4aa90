/* SPDX-License-Identifier: Apache-2.0
 *
 * A program as Myrmics got them from its own compiler: a table of functions, spawns by hand with as
 * many words as an array needs, and a main function that takes numbers. Built by
 * `myrcc --main by_hand.c`; it gets the size and the number of tiles.
 */
#include <myrmics.h>

void by_hand(int size, int tile_count);

static void fill(int* tile, int size, int first) {
  for (int i = 0; i < size; i++) tile[i] = first + i;
}

/* Takes a tile for each of `count`. */
static void sum(rid_t region, int* result, int size, int count, ...) {
  va_list tiles;
  va_start(tiles, count);
  *result = 0;
  for (int i = 0; i < count; i++) {
    const int* tile = va_arg(tiles, int*);
    for (int j = 0; j < size; j++) *result += tile[j];
  }
  va_end(tiles);
  (void)region;
}

func_t by_hand_task_table[] = {(func_t)by_hand, (func_t)fill, (func_t)sum};

void by_hand(int size, int tile_count) {
  rid_t region = sys_ralloc(0, 99);
  int *tiles[600], *result = sys_alloc(sizeof(int), 0);
  void* args[604];
  unsigned types[604];
  sys_balloc((size_t)size * sizeof(int), region, tile_count, tiles);
  for (int i = 0; i < tile_count; i++) {
    args[0] = tiles[i], types[0] = SYS_TYPE_INOUT_ARG;
    args[1] = (void*)(intptr_t)size, types[1] = SYS_TYPE_BYVALUE_ARG;
    args[2] = (void*)(intptr_t)i, types[2] = SYS_TYPE_BYVALUE_ARG;
    sys_spawn(1, args, types, 3);
  }
  args[0] = (void*)(uintptr_t)region, types[0] = SYS_TYPE_REGION_ARG | SYS_TYPE_IN_ARG;
  args[1] = result, types[1] = SYS_TYPE_OUT_ARG;
  args[2] = (void*)(intptr_t)size, types[2] = SYS_TYPE_BYVALUE_ARG;
  args[3] = (void*)(intptr_t)tile_count, types[3] = SYS_TYPE_BYVALUE_ARG;
  for (int i = 0; i < tile_count; i++) args[4 + i] = tiles[i], types[4 + i] = SYS_TYPE_BYVALUE_ARG;
  sys_spawn(2, args, types, 4 + tile_count);
  sys_wait(&args[1], &types[1], 1);
  printf("%d\n", *result);
  sys_rfree(region);
}
