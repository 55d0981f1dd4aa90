/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists from malloc(), for the OpenMP programs. Ends the program when there is no memory.
 */
#ifndef KERNELS_LINKED_LISTS_PLAIN_LIST_H
#define KERNELS_LINKED_LISTS_PLAIN_LIST_H

#include <stdio.h>
#include <stdlib.h>

#include "allocator/linked_lists/linked_lists.h"

static inline struct node* list_new_node(void) {
  struct node* node = malloc(sizeof *node);
  if (node == NULL) {
    fprintf(stderr, "linked_lists: no memory for a node\n");
    exit(1);
  }
  node->next = NULL;
  return node;
}

static inline void list_build(struct node* head, uint64_t list, size_t node_count) {
  node_begin(head, list, 0);
  struct node* last = head;
  for (size_t i = 1; i < node_count; ++i) {
    last->next = list_new_node();
    last = last->next;
    node_begin(last, list, i);
  }
}

static inline void list_release(struct node* list) {
  while (list != NULL) {
    struct node* next = list->next;
    free(list);
    list = next;
  }
}

#endif
