/* SPDX-License-Identifier: Apache-2.0
 *
 * The tree kernel in C, close to figure 1 of the Myrmics paper: a binary tree with a region for
 * each subtree is built, processed by tasks and then read by one task.
 *
 * usage: kernel_tree_c [LEVELS [TASK_LEVELS]]
 */
#include <myr/myr.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct TreeNode {
  uint64_t value;
  struct TreeNode *left, *right;
  myr_region lreg, rreg; /* of the subtrees; 0 in the lower part, which needs no own regions */
} TreeNode;

/* ---- what the serial and the task version share ---- */

static uint64_t scramble(uint64_t x) {
  for (int round = 0; round < 8; ++round) x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u + 1;
  return x;
}

/* Sums up the tree from left to right; the order matters. */
static void print(const TreeNode* n, uint64_t* digest) {
  if (n == NULL) return;
  print(n->left, digest);
  *digest = scramble(*digest ^ n->value);
  print(n->right, digest);
}

/* ---- the serial program ---- */

static TreeNode* grow_serial(TreeNode** next, int levels) {
  if (levels == 0) return NULL;
  TreeNode* n = (*next)++;
  n->left = grow_serial(next, levels - 1);
  n->right = grow_serial(next, levels - 1);
  return n;
}

static void process_serial(TreeNode* n, uint64_t seed) {
  n->value = scramble(seed);
  if (n->left == NULL) return;
  process_serial(n->left, n->value);
  process_serial(n->right, ~n->value);
}

static uint64_t run_serial(int levels) {
  TreeNode* nodes = calloc((size_t)1 << levels, sizeof(TreeNode));
  if (nodes == NULL) {
    fprintf(stderr, "kernel_tree_c: no memory for %d levels\n", levels);
    exit(1);
  }
  TreeNode* next = nodes;
  TreeNode* root = grow_serial(&next, levels);
  process_serial(root, 1);
  uint64_t digest = 0;
  print(root, &digest);
  free(nodes);
  return digest;
}

/* ---- the task program ---- */

static TreeNode* new_node(myr_region region) {
  TreeNode* n = myr_alloc(sizeof(TreeNode), region);
  *n = (TreeNode){0};
  return n;
}

/* Builds the subtree below n in its region; `task_levels` levels of tasks are still to come. */
static void grow(TreeNode* n, myr_region region, int levels, int task_levels);

static void grow_task(const myr_access* args) { /* region, node, levels, task levels */
  grow(args[1].address, args[0].region, (int)args[2].integer, (int)args[3].integer);
}

static void grow(TreeNode* n, myr_region region, int levels, int task_levels) {
  if (levels == 1) return;
  if (task_levels == 0) {
    n->left = new_node(region);
    n->right = new_node(region);
    grow(n->left, region, levels - 1, 0);
    grow(n->right, region, levels - 1, 0);
    return;
  }
  n->lreg = myr_region_new(region, 0);
  n->rreg = myr_region_new(region, 0);
  n->left = new_node(n->lreg);
  n->right = new_node(n->rreg);
  myr_spawn(grow_task, myr_inout_region(n->lreg), myr_pointer(n->left), myr_value(levels - 1),
            myr_value(task_levels - 1));
  myr_spawn(grow_task, myr_inout_region(n->rreg), myr_pointer(n->right), myr_value(levels - 1),
            myr_value(task_levels - 1));
}

static void process(const myr_access* args) { /* region, node, seed */
  TreeNode* n = args[1].address;
  if (n->lreg == MYR_ROOT) {
    process_serial(n, (uint64_t)args[2].integer);
    return;
  }
  n->value = scramble((uint64_t)args[2].integer);
  myr_spawn(process, myr_inout_region(n->lreg), myr_pointer(n->left), myr_value((int64_t)n->value));
  myr_spawn(process, myr_inout_region(n->rreg), myr_pointer(n->right),
            myr_value((int64_t)~n->value));
}

static void print_task(const myr_access* args) { /* region, node, digest */
  print(args[1].address, args[2].address);
}

static uint64_t run_tasks(int levels, int task_levels) {
  uint64_t digest = 0;
  const myr_region top = myr_region_new(MYR_ROOT, 99);
  TreeNode* root = new_node(top);

  myr_spawn(grow_task, myr_inout_region(top), myr_pointer(root), myr_value(levels),
            myr_value(task_levels));
  myr_spawn(process, myr_inout_region(top), myr_pointer(root), myr_value(1));
  myr_spawn(print_task, myr_in_region(top), myr_pointer(root),
            myr_inout_range(&digest, sizeof(digest)));

  myr_region_free(top); /* after the tasks that use it */
  myr_wait_all();
  return digest;
}

static double now_s(void) {
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char** argv) {
  const int levels = argc > 1 ? atoi(argv[1]) : 20;
  const int task_levels = argc > 2 ? atoi(argv[2]) : 8;
  if (levels < 1 || levels > 26 || task_levels < 0) {
    fprintf(stderr, "usage: %s [LEVELS (1 to 26) [TASK_LEVELS]]\n", argv[0]);
    return 2;
  }
  const double start_s = now_s();
  const uint64_t expected = run_serial(levels);
  const double serial_s = now_s() - start_s;
  myr_init();
  const double restart_s = now_s();
  const uint64_t digest = run_tasks(levels, task_levels);
  const double parallel_s = now_s() - restart_s;

  printf("nodes       %ld\n", (1L << levels) - 1);
  printf("workers     %u\n", myr_worker_count());
  printf("serial      %.4f s\nparallel    %.4f s\n", serial_s, parallel_s);
  printf("check       %s\n", digest == expected ? "same as serial" : "WRONG: differs from serial");
  return digest == expected ? 0 : 1;
}
