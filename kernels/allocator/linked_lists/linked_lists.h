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
static inline void node_begin(struct node* node, uint64_t list, uint64_t index) {
  for (uint64_t i = 0; i < NODE_WORDS; ++i) node->words[i] = (list << 40) + (index << 8) + i;
}

/* What a visitor does with a node; visits in another order leave other words. */
static inline void node_visit(struct node* node, uint64_t visitor) {
  for (size_t i = 0; i < NODE_WORDS; ++i) {
    node->words[i] = (node->words[i] ^ (visitor + 1)) * 0x9e3779b97f4a7c15U;
  }
}

/* Takes the node into a list's digest. */
static inline uint64_t node_digest(const struct node* node, uint64_t digest) {
  for (size_t i = 0; i < NODE_WORDS; ++i) {
    digest = (digest ^ node->words[i]) * 0xbf58476d1ce4e5b9U + 1;
  }
  return digest;
}

/* The same for a whole list. */
static inline void list_visit(struct node* list, uint64_t visitor) {
  for (; list != NULL; list = list->next) node_visit(list, visitor);
}
static inline uint64_t list_digest(const struct node* list) {
  uint64_t digest = 0;
  for (; list != NULL; list = list->next) digest = node_digest(list, digest);
  return digest;
}

void linked_lists_serial(struct linked_lists* lists);
void linked_lists_tasks(struct linked_lists* lists);

#ifdef __cplusplus
}
#endif
#endif
