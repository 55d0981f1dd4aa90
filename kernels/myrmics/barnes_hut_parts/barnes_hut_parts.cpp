// SPDX-License-Identifier: Apache-2.0
//
// Barnes-Hut as both Myrmics papers have it: the bodies are parted by recursive bisection, each
// part builds an octree of its bodies in a region of its own, which lives for one step, and tasks
// add the attraction of all trees to the bodies of a part. A step:
//
//   drift             inout(group)             for each group, then inout(portion) for each part
//   bisect            inout(node)              for each node of the tree of regions, from the root
//   plant             in(group) inout(trees)   for each group, then for each part
//   collect           in(forest) out(copies)   for each group
//   attract           inout(group)             for each group, then for each part
//   kick and drift    inout(group)             for each group, then for each part
//
// In paper 1 a tree lies in one region. Here each group gets copies of all trees, in a region
// within its own, so that the fine tasks of `attract` know nothing of other groups.
//
// In paper 2 each level has a region: from the bounds of a part's bodies follows how many levels of
// another tree it needs. There is no `collect`, and a fine task of `attract` is for two parts and
// reads only these levels.
#include <new>

#include "common/parts.h"
#include "myrmics/barnes_hut_parts/parted.hpp"

using barnes_hut::Cell;
using barnes_hut::Group;
using barnes_hut::Node;
using barnes_hut::Parted;
using barnes_hut::Point;
using barnes_hut::Portion;
using barnes_hut::Tree;

// All trees of a step. It and the lists in it are objects.
struct Forest {
  std::size_t group_count;
  std::size_t group_trees;  // in a group
  Tree*** trees;            // group by group
};

// ---- moving ----

static void drift_portion(Portion* portion, double time_step) { drift(*portion, time_step); }

static void kick_portion(Portion* portion, double time_step) {
  kick_and_drift(*portion, time_step);
}

static void drift_group(myr_region /*region*/, Node* node, double time_step) {
  for (Portion* portion : portions_of(*node)) {
#pragma myrmics task inout(portion), in(time_step)
    drift_portion(portion, time_step);
  }
}

static void kick_group(myr_region /*region*/, Node* node, double time_step) {
  for (Portion* portion : portions_of(*node)) {
#pragma myrmics task inout(portion), in(time_step)
    kick_portion(portion, time_step);
  }
}

// ---- parting ----

static void bisect(myr_region /*region*/, Node* node) {
  if (node->portion != nullptr) return;
  divide(*node);
  myr_region left_region = node->left_region, right_region = node->right_region;
  Node *left = node->left, *right = node->right;
#pragma myrmics task region inout(left_region), in(left), safe(left)
  bisect(left_region, left);
#pragma myrmics task region inout(right_region), in(right), safe(right)
  bisect(right_region, right);
}

// ---- building trees ----

// Hands out cells of a region. They come many at a time, since asking for memory takes long.
class Cells {
 public:
  Cells(myr_region region, std::size_t count_at_once)
      : region_(region), count_at_once_(count_at_once) {}
  Cell* make() {
    if (next_ == end_) {
      next_ = static_cast<Cell*>(myr_alloc(count_at_once_ * sizeof(Cell), region_));
      end_ = next_ + count_at_once_;
    }
    return new (next_++) Cell;
  }

 private:
  myr_region region_;
  std::size_t count_at_once_;
  Cell* next_ = nullptr;
  Cell* end_ = nullptr;
};

static void plant_tree(Portion* portion, myr_region region, Tree* tree) {
  auto* points = static_cast<Point*>(myr_alloc(portion->count * sizeof(Point), region));
  const std::span<Point> all{points, portion->count};
  copy_points(*portion, all);
  std::vector<Point> scratch;
  Cells cells(region, 1 + portion->count / 4);
  tree->root = cells.make();
  build(*tree->root, barnes_hut::surround(all), scratch, [&cells] { return cells.make(); });
}

static void plant_levels(Portion* portion, myr_region /*region*/, Tree* tree) {
  std::vector<Point> points(portion->count);
  copy_points(*portion, points);
  build_by_level(*tree, points);
}

static void plant_group(myr_region /*bodies*/, Node* node, myr_region trees_region, Tree** trees,
                        int by_level) {
  for (Portion* portion : portions_of(*node)) {
    myr_region region = myr_region_new(trees_region, 0);
    Tree* tree = new (myr_alloc(sizeof(Tree), region)) Tree{.root = nullptr, .region = region};
    *trees++ = tree;
    if (by_level != 0) {
#pragma myrmics task in(portion), region inout(region), in(tree), safe(tree)
      plant_levels(portion, region, tree);
    } else {
#pragma myrmics task in(portion), region inout(region), in(tree), safe(tree)
      plant_tree(portion, region, tree);
    }
  }
}

// ---- attraction ----

static void collect(myr_region /*forest*/, Forest* forest, myr_region copies_region,
                    Cell** copies) {
  std::vector<const Cell*> roots;
  for (std::size_t i = 0; i < forest->group_count * forest->group_trees; ++i) {
    roots.push_back(forest->trees[i / forest->group_trees][i % forest->group_trees]->root);
  }
  copy_trees(roots, copies_region, copies);
}

static void attract_portion(Portion* portion, myr_region /*copies*/, Cell** roots,
                            std::size_t tree_count, double opening) {
  for (std::size_t i = 0; i < tree_count; ++i) attract(*portion, *roots[i], {.opening = opening});
}

static void attract_group(myr_region /*bodies*/, Node* node, myr_region copies_region,
                          Cell** copies, std::size_t tree_count, double opening) {
  for (Portion* portion : portions_of(*node)) {
#pragma myrmics task inout(portion), region in(copies_region), in(copies, tree_count, opening), \
    safe(copies)
    attract_portion(portion, copies_region, copies, tree_count, opening);
  }
}

// `region` holds the upper levels of the tree.
static void attract_some_levels(Portion* portion, myr_region /*region*/, Cell* root, double opening,
                                int depth_max) {
  attract(*portion, *root, {.opening = opening, .depth_max = depth_max});
}

// How many levels of each tree the bodies of a portion need.
static void find_depths(Portion* portion, myr_region /*trees*/, Forest* forest, double opening,
                        int* depths) {
  for (std::size_t i = 0; i < forest->group_count * forest->group_trees; ++i) {
    const Tree* tree = forest->trees[i / forest->group_trees][i % forest->group_trees];
    depths[i] = depth_needed(*tree->root, *portion, opening);
  }
}

static void attract_levels(Portion* portion, Forest* forest, double opening, const int* depths) {
  for (std::size_t i = 0; i < forest->group_count * forest->group_trees; ++i) {
    Tree* tree = forest->trees[i / forest->group_trees][i % forest->group_trees];
    int depth_max = depths[i];
    const auto level = static_cast<std::size_t>(depth_max);
    myr_region region = level < Tree::kLevels ? tree->levels[level] : tree->region;
    Cell* root = tree->root;
#pragma myrmics task inout(portion), region in(region), in(root, opening, depth_max), safe(root)
    attract_some_levels(portion, region, root, opening, depth_max);
  }
}

static void attract_group_levels(myr_region bodies, Node* node, myr_region trees, Forest* forest,
                                 double opening) {
  const std::vector<Portion*> portions = portions_of(*node);
  const std::size_t depths_bytes = forest->group_count * forest->group_trees * sizeof(int);
  std::vector<int*> all_depths;
  for (Portion* portion : portions) {
    int* depths = static_cast<int*>(myr_alloc(depths_bytes, bodies));
    all_depths.push_back(depths);
#pragma myrmics task in(portion), region in(trees), in(forest, opening), safe(forest), out(depths)
    find_depths(portion, trees, forest, opening, depths);
  }
  for (std::size_t i = 0; i < portions.size(); ++i) {
    int* depths = all_depths[i];
#pragma myrmics wait on(depths)
    attract_levels(portions[i], forest, opening, depths);
    myr_free(depths);
  }
}

// ---- the steps ----

static void plant_forest(const Parted& bodies, myr_region forest_region, Forest* forest) {
  for (std::size_t i = 0; i < bodies.groups.size(); ++i) {
    myr_region group_region = bodies.groups[i].region;
    Node* node = bodies.groups[i].node;
    myr_region trees_region = myr_region_new(forest_region, 0);
    Tree** trees =
        static_cast<Tree**>(myr_alloc(forest->group_trees * sizeof(Tree*), trees_region));
    forest->trees[i] = trees;
    int by_level = bodies.shape.trees_by_level ? 1 : 0;
#pragma myrmics task region in(group_region), region inout(trees_region), \
    notransfer(group_region), in(node, trees, by_level), safe(node, trees)
    plant_group(group_region, node, trees_region, trees, by_level);
  }
}

// Returns the regions of the copies.
static std::vector<myr_region> attract_by_copies(const Parted& bodies, myr_region forest_region,
                                                 Forest* forest) {
  double opening = bodies.settings.opening;
  std::size_t tree_count = bodies.shape.part_count;
  std::vector<myr_region> regions;
  for (const Group& group : bodies.groups) {
    myr_region region = group.region, copies_region = myr_region_new(region, 0);
    regions.push_back(copies_region);
    Node* node = group.node;
    auto** copies = static_cast<Cell**>(myr_alloc(tree_count * sizeof(Cell*), copies_region));
#pragma myrmics task region in(forest_region), region inout(copies_region), in(forest, copies), \
    safe(forest, copies)
    collect(forest_region, forest, copies_region, copies);
#pragma myrmics task region inout(region), notransfer(region), \
    in(node, copies_region, copies, tree_count, opening), safe(node, copies)
    attract_group(region, node, copies_region, copies, tree_count, opening);
  }
  return regions;
}

static void attract_by_levels(const Parted& bodies, myr_region forest_region, Forest* forest) {
  double opening = bodies.settings.opening;
  for (const Group& group : bodies.groups) {
    myr_region region = group.region;
    Node* node = group.node;
#pragma myrmics task region inout(region), region in(forest_region), in(node, forest, opening), \
    safe(node, forest)
    attract_group_levels(region, node, forest_region, forest, opening);
  }
}

static Forest* new_forest(const Parted::Shape& shape, myr_region region) {
  auto* trees = static_cast<Tree***>(myr_alloc(shape.group_count * sizeof(Tree**), region));
  return new (myr_alloc(sizeof(Forest), region))
      Forest{.group_count = shape.group_count,
             .group_trees = shape.part_count / shape.group_count,
             .trees = trees};
}

static void step(const Parted& bodies) {
  double time_step = bodies.settings.time_step;
  for (const Group& group : bodies.groups) {
    myr_region region = group.region;
    Node* node = group.node;
#pragma myrmics task region inout(region), notransfer(region), in(node, time_step), safe(node)
    drift_group(region, node, time_step);
  }
  myr_region root_region = bodies.root.region;
  Node* root = bodies.root.node;
#pragma myrmics task region inout(root_region), in(root), safe(root)
  bisect(root_region, root);

  myr_region forest_region = myr_region_new(MYR_ROOT, 99);
  Forest* forest = new_forest(bodies.shape, forest_region);
  plant_forest(bodies, forest_region, forest);
  std::vector<myr_region> copies;
  if (bodies.shape.trees_by_level) {
    attract_by_levels(bodies, forest_region, forest);
  } else {
    copies = attract_by_copies(bodies, forest_region, forest);
  }
  for (const Group& group : bodies.groups) {
    myr_region region = group.region;
    Node* node = group.node;
#pragma myrmics task region inout(region), notransfer(region), in(node, time_step), safe(node)
    kick_group(region, node, time_step);
  }
  for (myr_region region : copies) myr_region_free(region);  // after the tasks that use it
  myr_region_free(forest_region);                            // likewise
}

void barnes_hut_parts_run(Parted& bodies) {
  for (std::int64_t i = 0; i < bodies.settings.steps; ++i) step(bodies);
  myr_region all = bodies.root.region;
  int* end = bodies.end;
#pragma myrmics task region inout(all), notransfer(all), out(end)
  parts_reach_end(all, end);
#pragma myrmics wait on(end)
}
