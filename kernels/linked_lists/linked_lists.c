/* SPDX-License-Identifier: Apache-2.0
 *
 * The list exchange of the Myrmics allocator paper, section 6.5, as tasks. Each list has a region,
 * in which a task builds it node by node. Then, in stages, each list is handed whole to one of the
 * others' owners, who visits all its nodes. A task names the region only, and follows the pointers
 * inside. In the end the regions are freed, not the nodes.
 */
#include "linked_lists/linked_lists.h"

#include <myrmics.h>

/* Builds a list behind its first node. */
static void build(rid_t region, struct node* head, uint64_t list, size_t node_count) {
  node_begin(head, list, 0);
  struct node* last = head;
  for (size_t i = 1; i < node_count; ++i) {
    last->next = sys_alloc(sizeof(struct node), region);
    last = last->next;
    node_begin(last, list, i);
  }
  last->next = NULL;
}

static void visit(rid_t region, struct node* head, uint64_t visitor) {
  (void)region;
  list_visit(head, visitor);
}

static void digest(rid_t region, struct node* head, uint64_t* result) {
  (void)region;
  *result = list_digest(head);
}

struct list {
  rid_t region;
  struct node* head;
};

void linked_lists_run(struct linked_lists* lists) {
  size_t list_count = lists->list_count, node_count = lists->node_count;
  rid_t all = sys_ralloc(0, 99);
  struct list* list = sys_alloc(list_count * sizeof(struct list), all);
  for (size_t i = 0; i < list_count; ++i) {
    rid_t region = sys_ralloc(all, 0);
    struct node* head = sys_alloc(sizeof(struct node), region);
    list[i] = (struct list){region, head};
#pragma myrmics task region inout(region), in(head, i, node_count), safe(head)
    build(region, head, i, node_count);
  }
  for (size_t stage = 1; stage < list_count; ++stage) {
    for (size_t i = 0; i < list_count; ++i) {
      rid_t region = list[i].region;
      struct node* head = list[i].head;
      size_t visitor = i ^ stage; /* whose list is visited by `i` in turn */
#pragma myrmics task region inout(region), in(head, visitor), safe(head)
      visit(region, head, visitor);
    }
  }
  for (size_t i = 0; i < list_count; ++i) {
    rid_t region = list[i].region;
    struct node* head = list[i].head;
    uint64_t* result = &lists->digests[i];
#pragma myrmics task region in(region), in(head), safe(head), out(result)
    digest(region, head, result);
  }
  sys_rfree(all); /* after the tasks that use it */
#pragma myrmics wait
}
