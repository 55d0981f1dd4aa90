/* SPDX-License-Identifier: Apache-2.0
 *
 * The list exchange as OpenMP's parallel loops with malloc(), one a stage.
 */
#include <stdlib.h>

#include "allocator/linked_lists/plain_list.h"

void linked_lists_tasks(struct linked_lists* lists) {
  const size_t list_count = lists->list_count, node_count = lists->node_count;
  struct node** heads = malloc(list_count * sizeof *heads);
  if (heads == NULL) exit(1);
#pragma omp parallel
  {
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t i = 0; i < list_count; ++i) {
      heads[i] = list_new_node();
      list_build(heads[i], i, node_count);
    }
    for (size_t stage = 1; stage < list_count; ++stage) {
#pragma omp for schedule(OPENMP_SCHEDULE)
      for (size_t i = 0; i < list_count; ++i) list_visit(heads[i], i ^ stage);
    }
#pragma omp for schedule(OPENMP_SCHEDULE)
    for (size_t i = 0; i < list_count; ++i) {
      lists->digests[i] = list_digest(heads[i]);
      list_release(heads[i]);
    }
  }
  free(heads);
}
