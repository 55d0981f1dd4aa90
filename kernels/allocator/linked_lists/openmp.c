/* SPDX-License-Identifier: Apache-2.0
 *
 * The list exchange with OpenMP's tasks and malloc(): the first node stands for its list.
 */
#include <stdlib.h>

#include "allocator/linked_lists/plain_list.h"

static void exchange(struct linked_lists* lists, struct node** heads) {
  const size_t list_count = lists->list_count, node_count = lists->node_count;
  for (size_t i = 0; i < list_count; ++i) {
    struct node* head = heads[i] = list_new_node();
#pragma omp task firstprivate(head, i, node_count), depend(out : head[0])
    list_build(head, i, node_count);
  }
  for (size_t stage = 1; stage < list_count; ++stage) {
    for (size_t i = 0; i < list_count; ++i) {
      struct node* head = heads[i];
      const uint64_t visitor = i ^ stage;
#pragma omp task firstprivate(head, visitor), depend(inout : head[0])
      list_visit(head, visitor);
    }
  }
  for (size_t i = 0; i < list_count; ++i) {
    struct node* head = heads[i];
    uint64_t* result = &lists->digests[i];
#pragma omp task firstprivate(head, result), depend(inout : head[0])
    {
      *result = list_digest(head);
      list_release(head);
    }
  }
}

void linked_lists_tasks(struct linked_lists* lists) {
  struct node** heads = malloc(lists->list_count * sizeof *heads);
  if (heads == NULL) exit(1);
#pragma omp parallel
#pragma omp single
  {
    exchange(lists, heads);
#pragma omp taskwait
  }
  free(heads);
}
