/* SPDX-License-Identifier: Apache-2.0
 *
 * The list exchange with OpenMP's tasks and malloc(): the first node stands for its list.
 */
#include <stdio.h>
#include <stdlib.h>

#include "linked_lists/linked_lists.h"

static struct node* new_node(void) {
  struct node* node = malloc(sizeof *node);
  if (node == NULL) {
    fprintf(stderr, "linked_lists: no memory for a node\n");
    exit(1);
  }
  node->next = NULL;
  return node;
}

static void build(struct node* head, uint64_t list, size_t node_count) {
  node_begin(head, list, 0);
  struct node* last = head;
  for (size_t i = 1; i < node_count; ++i) {
    last->next = new_node();
    last = last->next;
    node_begin(last, list, i);
  }
}

static void release(struct node* list) {
  while (list != NULL) {
    struct node* next = list->next;
    free(list);
    list = next;
  }
}

static void exchange(struct linked_lists* lists, struct node** heads) {
  const size_t list_count = lists->list_count, node_count = lists->node_count;
  for (size_t i = 0; i < list_count; ++i) {
    struct node* head = heads[i] = new_node();
#pragma omp task firstprivate(head, i, node_count), depend(out : head[0])
    build(head, i, node_count);
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
      release(head);
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
