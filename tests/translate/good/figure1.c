/* SPDX-License-Identifier: Apache-2.0
 *
 * Paper 1, figure 1, as it is printed, with what it leaves out: the end of the recursion in
 * print(), print_result(), and the tree's making. The lines of the figure are marked.
 */
#include <myrmics.h>

void print_result();

typedef struct {                 /* 1 */
  rid_t lreg, rreg;              /* 2 */
  struct TreeNode *left, *right; /* 3 */
  int value;
} TreeNode; /* 4 */

TreeNode* make(rid_t region, int depth, int value) {
  TreeNode* node = sys_alloc(sizeof(TreeNode), region);
  memset(node, 0, sizeof *node);
  node->value = value;
  if (depth > 0) {
    node->lreg = sys_ralloc(region, 0);
    node->rreg = sys_ralloc(region, 0);
    node->left = (void*)make(node->lreg, depth - 1, 2 * value);
    node->right = (void*)make(node->rreg, depth - 1, 2 * value + 1);
  }
  return node;
}

main() {           /* 5 */
  rid_t top;       // Whole tree               6
  TreeNode* root;  // Tree root           7
  top = sys_ralloc(0, 99);
  root = make(top, 6, 1);
#pragma myrmics region inout(top) /* 9 */
  process(root);                  /* 10 */
#pragma myrmics region in(top)    /* 11 */
  print(root);                    /* 12 */
  return 0;
} /* 13 */

void process(TreeNode* n) { /* 14 */
  n->value = 3 * n->value + 1;
  if (n->left)                        /* 15 */
#pragma myrmics region inout(n->lreg) /* 16 */
    process(n->left);                 /* 17 */
  if (n->right)                       /* 18 */
#pragma myrmics region inout(n->rreg) /* 19 */
    process(n->right);                /* 20 */
} /* 21 */

void print(TreeNode* root) { /* 22 */
  if (!root) return;
  print(root->left);  /* 23 */
  print_result(root); /* 24 */
  print(root->right); /* 25 */
} /* 26 */

void print_result(TreeNode* n) { printf("%d ", n->value); }
