/* SPDX-License-Identifier: Apache-2.0
 *
 * What is done with nodes and lists: one object for all programs.
 */
#include "allocator/linked_lists/linked_lists.h"

void node_begin(struct node* node, uint64_t list, uint64_t index) {
  for (uint64_t i = 0; i < NODE_WORDS; ++i) node->words[i] = (list << 40) + (index << 8) + i;
}

void node_visit(struct node* node, uint64_t visitor) {
  for (size_t i = 0; i < NODE_WORDS; ++i) {
    node->words[i] = (node->words[i] ^ (visitor + 1)) * 0x9e3779b97f4a7c15U;
  }
}

uint64_t node_digest(const struct node* node, uint64_t digest) {
  for (size_t i = 0; i < NODE_WORDS; ++i) {
    digest = (digest ^ node->words[i]) * 0xbf58476d1ce4e5b9U + 1;
  }
  return digest;
}

void list_visit(struct node* list, uint64_t visitor) {
  for (; list != NULL; list = list->next) node_visit(list, visitor);
}

uint64_t list_digest(const struct node* list) {
  uint64_t digest = 0;
  for (; list != NULL; list = list->next) digest = node_digest(list, digest);
  return digest;
}
