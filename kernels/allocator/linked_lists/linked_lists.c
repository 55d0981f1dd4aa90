/* SPDX-License-Identifier: Apache-2.0
 *
 * The list exchange of the Myrmics allocator paper, section 6.5, as tasks. Each list has a region,
 * in which a task builds it node by node. Then, in stages, each list is handed whole to one of the
 * others' owners, which visits all its nodes. A task names the region only, and follows the
 * pointers inside. In the end the regions are freed, not the nodes.
 */
#include "allocator/linked_lists/linked_lists.h"

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

/* The nodes of a list, for tasks that have one each. They are linked, too. */
static void begin_one(struct node* node, struct node* next, uint64_t list, size_t index) {
  node_begin(node, list, index);
  node->next = next;
}

static void visit_one(struct node* node, uint64_t visitor) { node_visit(node, visitor); }

static void build_by_nodes(struct node** nodes, uint64_t list, size_t node_count) {
  for (size_t i = 0; i < node_count; ++i) {
    struct node *node = nodes[i], *next = i + 1 < node_count ? nodes[i + 1] : NULL;
#pragma myrmics task out(node), in(next, list, i), safe(next)
    begin_one(node, next, list, i);
  }
}

static void visit_by_nodes(struct node** nodes, uint64_t visitor, size_t node_count) {
  for (size_t i = 0; i < node_count; ++i) {
    struct node* node = nodes[i];
#pragma myrmics task inout(node), in(visitor)
    visit_one(node, visitor);
  }
}

/* The lists of main, which names nodes only where tasks have one each: else `nodes` is the
 * first. */
struct list {
  rid_t region;
  struct node** nodes;
};

static void spawn_build(const struct linked_lists* lists, const struct list* list, uint64_t index) {
  size_t node_count = lists->node_count;
  if (lists->by_nodes) {
    build_by_nodes(list->nodes, index, node_count);
    return;
  }
  rid_t region = list->region;
  struct node* head = list->nodes[0];
#pragma myrmics task region inout(region), in(head, index, node_count), safe(head)
  build(region, head, index, node_count);
}

static void spawn_visit(const struct linked_lists* lists, const struct list* list,
                        uint64_t visitor) {
  if (lists->by_nodes) {
    visit_by_nodes(list->nodes, visitor, lists->node_count);
    return;
  }
  rid_t region = list->region;
  struct node* head = list->nodes[0];
#pragma myrmics task region inout(region), in(head, visitor), safe(head)
  visit(region, head, visitor);
}

void linked_lists_run(struct linked_lists* lists) {
  size_t list_count = lists->list_count;
  size_t named_count = lists->by_nodes ? lists->node_count : 1;
  rid_t all = sys_ralloc(0, 99);
  struct list* list = sys_alloc(list_count * sizeof(struct list), all);
  for (size_t i = 0; i < list_count; ++i) {
    list[i].region = sys_ralloc(all, 0);
    list[i].nodes = sys_alloc(named_count * sizeof(struct node*), all);
    sys_balloc(sizeof(struct node), list[i].region, named_count, (void**)list[i].nodes);
    spawn_build(lists, &list[i], i);
  }
  /* In each stage the list i is visited by the owner of another one. */
  for (size_t stage = 1; stage < list_count; ++stage) {
    for (size_t i = 0; i < list_count; ++i) spawn_visit(lists, &list[i], i ^ stage);
  }
  for (size_t i = 0; i < list_count; ++i) {
    rid_t region = list[i].region;
    struct node* head = list[i].nodes[0];
    uint64_t* result = &lists->digests[i];
#pragma myrmics task region in(region), in(head), safe(head), out(result)
    digest(region, head, result);
  }
  sys_rfree(all); /* after the tasks that use it */
#pragma myrmics wait
}
