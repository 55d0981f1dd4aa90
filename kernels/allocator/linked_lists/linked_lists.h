/* SPDX-License-Identifier: Apache-2.0
 *
 * Linked lists that are passed around whole: what their nodes are and what is done with each. The
 * programs are linked_lists.c, with Myrmics' pragmas and a region a list, and openmp.c, with
 * malloc().
 */
#ifndef KERNELS_LINKED_LISTS_H
#define KERNELS_LINKED_LISTS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NODE_WORDS = 31 }; /* so that a node has 256 bytes, as in the paper */

struct node {
  struct node* next;
  uint64_t words[NODE_WORDS];
};

struct linked_lists {
  size_t list_count; /* a power of two */
  size_t node_count; /* in a list */
  int by_nodes;      /* a task a node and visit; else one a list and visit */
  uint64_t* digests; /* the result: of each list */
};

/* What the words of a new node are. */
void node_begin(struct node* node, uint64_t list, uint64_t index);

/* What a visitor does with a node; visits in another order leave other words. */
void node_visit(struct node* node, uint64_t visitor);

/* Takes the node into a list's digest. */
uint64_t node_digest(const struct node* node, uint64_t digest);

/* The same for a whole list. */
void list_visit(struct node* list, uint64_t visitor);
uint64_t list_digest(const struct node* list);

void linked_lists_serial(struct linked_lists* lists);
void linked_lists_tasks(struct linked_lists* lists);

#ifdef __cplusplus
}
#endif
#endif
