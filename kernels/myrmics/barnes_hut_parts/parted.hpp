// SPDX-License-Identifier: Apache-2.0
//
// Bodies that are parted among the leaves of a binary tree of regions, and the octrees of the
// parts: the data of the programs barnes_hut_parts.cpp (Myrmics' pragmas) and openmp.cpp, and what
// their tasks do with one part.
//
//   region of the root
//     left region                 right region               and so on; regions as coarse as
//       ...                         ...                      the coarse tasks are in between
//         region of a leaf: Portion of the bodies
//
// Threads: a function may be called by any thread that may use its arguments.
#pragma once

#include <myr/myr.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "methods/bodies/body.hpp"
#include "methods/bodies/octree.hpp"

namespace barnes_hut {

struct Particle {
  Body body;
  Vector acceleration;  // in this step
  // Whose attraction was summed up, in steps before counted less and less: what it costs.
  std::uint64_t points = 0;
};

// The bodies of one part: an object, the particles right behind it.
struct Portion {
  std::size_t count;
  std::size_t room;

  [[nodiscard]] std::span<Particle> particles() {
    return {reinterpret_cast<Particle*>(this + 1), count};
  }
};
static_assert(sizeof(Portion) % alignof(Particle) == 0);

// A node of the tree of regions. It lies in plain memory, which is not changed any more: coarse
// tasks only hand the data on, and so have none of it.
struct Node {
  myr_region left_region, right_region;
  Node *left, *right;
  Portion* portion;  // of a leaf, which has no left and right
};

// What main knows of a node where a coarse task begins.
struct Group {
  myr_region region;
  Node* node;
};

// All bodies, in `part_count` parts. The parts of a group are handled by one coarse task.
class Parted {
 public:
  struct Shape {
    std::size_t part_count, group_count;  // as many parts in each group
    bool trees_by_level;                  // each level of an octree has a region of its own
  };
  Parted(const Settings& settings, const Shape& shape, std::size_t body_count);
  ~Parted() {
    myr_region_free(root.region);
    myr_free(end);
  }
  Parted(const Parted&) = delete;
  Parted& operator=(const Parted&) = delete;

  // Spreads the bodies evenly, in their order.
  void fill(const std::vector<Body>& bodies) const;
  // The particles of all parts, part after part.
  [[nodiscard]] std::vector<Particle> particles() const;

  Settings settings;
  Shape shape;
  Group root{};
  std::vector<Group> groups;
  int* end;  // the object to wait for; see common/parts.h

 private:
  void split_groups(const Group& top, std::size_t group_count);
  Node* grow(Node* node, myr_region region, std::size_t leaf_count, std::size_t room);

  std::deque<Node> nodes_;
};

// The octree of a part. All its cells lie in `region`; with a region a level, what lies in
// levels[d] are the levels 0 to d, each in a region inside that of the next: one access to a region
// gives the upper part of the tree.
struct Tree {
  static constexpr std::size_t kLevels = 24;  // the last one also holds what is deeper

  Cell* root;
  myr_region region;
  std::array<myr_region, kLevels> levels;
};

// The portions below a node, from left to right.
[[nodiscard]] std::vector<Portion*> portions_of(Node& node);

// Parts what is below an inner node among its sides: cuts across the longest extent, so that all
// portions cost the same.
void divide(Node& node);

void drift(Portion& portion, double time_step);  // half a step, and clears the accelerations
void kick_and_drift(Portion& portion, double time_step);
// Adds the attraction of a tree, of which no more than the levels up to `depth_max` are looked at.
void attract(Portion& portion, const Cell& root, const Walk& walk);

// The points of a portion, for its octree.
void copy_points(Portion& portion, std::span<Point> points);
// Copies trees to a region; copies[i] is the root of the copy of roots[i].
void copy_trees(std::span<const Cell* const> roots, myr_region region, Cell** copies);
// Builds an octree in the regions of its levels; `points` is scratch memory.
void build_by_level(Tree& tree, std::span<Point> points);
// What is around the places of some particles.
struct Box {
  Vector low, high;
};
// REQUIRES: there is one.
[[nodiscard]] Box box_of(std::span<const Particle> particles);
// How deep attract() may look into a tree: the deepest level that particles in the box, or those of
// the portion, would use.
[[nodiscard]] int depth_needed(const Cell& root, const Box& box, double opening);
[[nodiscard]] int depth_needed(const Cell& root, Portion& portion, double opening);

}  // namespace barnes_hut

// The programs: move all bodies by some steps.
void barnes_hut_parts_serial(barnes_hut::Parted& bodies);
void barnes_hut_parts_tasks(barnes_hut::Parted& bodies);
