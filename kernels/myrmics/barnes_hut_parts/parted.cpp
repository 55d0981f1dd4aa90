// SPDX-License-Identifier: Apache-2.0
//
// Bodies in parts and their octrees; see parted.hpp.
#include "myrmics/barnes_hut_parts/parted.hpp"

#include <algorithm>
#include <bit>
#include <new>

#include "chip/costs.h"
#include "chip/work.h"
#include "methods/bodies/motion.hpp"

namespace barnes_hut {
namespace {

// How many bodies more than its share a part may get.
constexpr std::size_t kRoomFactor = 2;

double coordinate(const Vector& v, int dimension) {
  return dimension == 0 ? v.x : dimension == 1 ? v.y : v.z;
}

int longest_dimension(const std::vector<Particle>& particles) {
  const Box box = box_of(particles);
  const Vector extent = box.high - box.low;
  if (extent.x >= extent.y && extent.x >= extent.z) return 0;
  return extent.y >= extent.z ? 1 : 2;
}

void add_portions(Node& node, std::vector<Portion*>& portions) {
  if (node.portion != nullptr) {
    portions.push_back(node.portion);
  } else {
    add_portions(*node.left, portions);
    add_portions(*node.right, portions);
  }
}

void spread(std::span<const Particle> particles, const std::vector<Portion*>& portions) {
  const std::size_t count = particles.size();
  for (std::size_t i = 0; i < portions.size(); ++i) {
    const std::size_t begin = i * count / portions.size();
    const std::size_t end = (i + 1) * count / portions.size();
    portions[i]->count = end - begin;
    std::copy(particles.begin() + static_cast<std::ptrdiff_t>(begin),
              particles.begin() + static_cast<std::ptrdiff_t>(end),
              portions[i]->particles().begin());
  }
}

// Behind which particle the left side's share of the costs lies, by so many portions on either
// side; neither side gets more than fits its portions.
std::size_t cut_at(const std::vector<Particle>& particles, std::size_t left, std::size_t right,
                   std::size_t portion_room) {
  std::uint64_t rest = 0;
  for (const Particle& particle : particles) rest += particle.points + 1;
  std::size_t count = 0;
  for (std::uint64_t sum = 0; sum * right < rest * left; ++count) {
    const std::uint64_t cost = particles[count].points + 1;
    sum += cost;
    rest -= cost;
  }
  const std::size_t left_room = left * portion_room, right_room = right * portion_room;
  const std::size_t least = particles.size() > right_room ? particles.size() - right_room : 0;
  return std::clamp(count, least, std::min(left_room, particles.size()));
}

// The square of the least distance between a place and the box.
double square_distance(const Box& box, const Vector& place) {
  const Vector offset{std::max({box.low.x - place.x, place.x - box.high.x, 0.0}),
                      std::max({box.low.y - place.y, place.y - box.high.y, 0.0}),
                      std::max({box.low.z - place.z, place.z - box.high.z, 0.0})};
  return dot(offset, offset);
}

int depth_needed_in(const Cell& cell, const Box& box, double opening) {
  // Rounding cannot make any place in the box nearer than this.
  if (is_far(cell, square_distance(box, cell.centre.position), opening)) return cell.depth;
  int depth = cell.depth;
  for (const Cell* child : cell.children) {
    if (child != nullptr) depth = std::max(depth, depth_needed_in(*child, box, opening));
  }
  return depth;
}

// Room for the cells and the leaves' points of some trees.
struct TreeRoom {
  Cell* cells;
  Point* points;
};

struct TreeSize {
  std::size_t cells = 0;
  std::size_t points = 0;
};

void add_size(const Cell& cell, TreeSize& size) {
  size.cells += 1;
  size.points += cell.points.size();
  for (const Cell* child : cell.children) {
    if (child != nullptr) add_size(*child, size);
  }
}

Cell* copy_tree(const Cell& cell, TreeRoom& room) {
  Cell* copy = new (room.cells++) Cell(cell);
  std::copy(cell.points.begin(), cell.points.end(), room.points);
  copy->points = {room.points, cell.points.size()};
  room.points += cell.points.size();
  for (Cell*& child : copy->children) {
    if (child != nullptr) child = copy_tree(*child, room);
  }
  return copy;
}

// Builds the subtree below `cell`. Points of leaves are copied into the regions of their levels.
void grow_by_level(Tree& tree, Cell& cell, const Cluster& cluster, std::vector<Point>& scratch) {
  const auto level_of = [](int depth) {
    return std::min(static_cast<std::size_t>(depth), Tree::kLevels - 1);
  };
  cell.width = cluster.cube.width;
  cell.depth = cluster.depth;
  if (cluster.is_small()) {
    const std::size_t bytes = cluster.points.size() * sizeof(Point);
    auto* points = static_cast<Point*>(myr_alloc(bytes, tree.levels[level_of(cell.depth)]));
    std::copy(cluster.points.begin(), cluster.points.end(), points);
    cell.points = {points, cluster.points.size()};
  } else {
    const std::array<Cluster, 8> parts = split(cluster, scratch);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (parts[i].points.empty()) continue;
      const myr_region region = tree.levels[level_of(parts[i].depth)];
      cell.children[i] = new (myr_alloc(sizeof(Cell), region)) Cell;
      grow_by_level(tree, *cell.children[i], parts[i], scratch);
    }
  }
  summarise(cell);
}

}  // namespace

// The regions of groups are made one after the other, so they spread evenly over the schedulers;
// what is in them stays with them.
void Parted::split_groups(const Group& top, std::size_t group_count) {
  if (group_count == 1) return groups.push_back(top);
  const auto side = [&](std::size_t count) {
    return Group{myr_region_new(top.region, count == 1 ? 0 : 99), &nodes_.emplace_back()};
  };
  const std::size_t left_count = group_count / 2, right_count = group_count - left_count;
  const Group left = side(left_count), right = side(right_count);
  *top.node = {left.region, right.region, left.node, right.node, nullptr};
  split_groups(left, left_count);
  split_groups(right, right_count);
}

Node* Parted::grow(Node* node, myr_region region, std::size_t leaf_count, std::size_t room) {
  if (leaf_count == 1) {
    const std::size_t bytes = sizeof(Portion) + room * sizeof(Particle);
    node->portion = new (myr_alloc(bytes, region)) Portion{.count = 0, .room = room};
    return node;
  }
  node->left_region = myr_region_new(region, 0);
  node->right_region = myr_region_new(region, 0);
  node->left = grow(&nodes_.emplace_back(), node->left_region, leaf_count / 2, room);
  node->right = grow(&nodes_.emplace_back(), node->right_region, leaf_count - leaf_count / 2, room);
  return node;
}

Parted::Parted(const Settings& settings_, const Shape& shape_, std::size_t body_count)
    : settings(settings_), shape(shape_), end(static_cast<int*>(myr_alloc(sizeof(int), MYR_ROOT))) {
  const std::size_t share = (body_count + shape.part_count - 1) / shape.part_count;
  root = {myr_region_new(MYR_ROOT, 99), &nodes_.emplace_back()};
  split_groups(root, shape.group_count);
  for (const Group& group : groups) {
    grow(group.node, group.region, shape.part_count / shape.group_count, kRoomFactor * share);
  }
}

void Parted::fill(const std::vector<Body>& bodies) const {
  std::vector<Particle> particles;
  for (const Body& body : bodies) particles.push_back({.body = body, .acceleration = {}});
  spread(particles, portions_of(*root.node));
}

std::vector<Particle> Parted::particles() const {
  std::vector<Particle> all;
  for (Portion* portion : portions_of(*root.node)) {
    const std::span<const Particle> some = portion->particles();
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::vector<Portion*> portions_of(Node& node) {
  std::vector<Portion*> portions;
  add_portions(node, portions);
  return portions;
}

void divide(Node& node) {
  const std::vector<Portion*> portions = portions_of(node);
  std::vector<Particle> all;
  for (Portion* portion : portions) {
    const std::span<const Particle> some = portion->particles();
    all.insert(all.end(), some.begin(), some.end());
  }
  kernel_work(all.size() * static_cast<std::uint64_t>(std::bit_width(all.size())) * COST_BODY_SORT);
  const int dimension = longest_dimension(all);
  std::sort(all.begin(), all.end(), [dimension](const Particle& a, const Particle& b) {
    return coordinate(a.body.position, dimension) < coordinate(b.body.position, dimension);
  });
  const std::vector<Portion*> left = portions_of(*node.left), right = portions_of(*node.right);
  const std::size_t cut = cut_at(all, left.size(), right.size(), portions.front()->room);
  const std::span<const Particle> sorted = all;
  spread(sorted.first(cut), left);
  spread(sorted.subspan(cut), right);
}

void drift(Portion& portion, double time_step) {
  for (Particle& particle : portion.particles()) {
    drift({&particle.body, 1}, time_step);
    particle.acceleration = {};
    particle.points /= 2;
  }
}

void kick_and_drift(Portion& portion, double time_step) {
  for (Particle& particle : portion.particles()) {
    particle.body.velocity = particle.body.velocity + time_step * particle.acceleration;
    drift({&particle.body, 1}, time_step);
  }
}

void attract(Portion& portion, const Cell& root, const Walk& walk) {
  for (Particle& particle : portion.particles()) {
    const Attraction part = attraction(root, particle.body.position, walk);
    particle.acceleration = particle.acceleration + part.acceleration;
    particle.points += part.points;
  }
}

void copy_points(Portion& portion, std::span<Point> points) {
  std::transform(
      portion.particles().begin(), portion.particles().end(), points.begin(),
      [](const Particle& particle) { return Point{particle.body.position, particle.body.mass}; });
}

void copy_trees(std::span<const Cell* const> roots, myr_region region, Cell** copies) {
  TreeSize size;
  for (const Cell* root : roots) add_size(*root, size);
  TreeRoom room{.cells = static_cast<Cell*>(myr_alloc(size.cells * sizeof(Cell), region)),
                .points = static_cast<Point*>(myr_alloc(size.points * sizeof(Point), region))};
  for (const Cell* root : roots) *copies++ = copy_tree(*root, room);
  kernel_work((size.cells * sizeof(Cell) + size.points * sizeof(Point)) / 4 * COST_COPY);
}

void build_by_level(Tree& tree, std::span<Point> points) {
  tree.levels.back() = tree.region;
  for (std::size_t level = Tree::kLevels - 1; level > 0; --level) {
    tree.levels[level - 1] = myr_region_new(tree.levels[level], 0);
  }
  std::vector<Point> scratch;
  tree.root = new (myr_alloc(sizeof(Cell), tree.levels.front())) Cell;
  grow_by_level(tree, *tree.root, surround(points), scratch);
}

Box box_of(std::span<const Particle> particles) {
  Box box{particles.front().body.position, particles.front().body.position};
  for (const Particle& particle : particles) {
    const Vector& at = particle.body.position;
    box.low = {std::min(box.low.x, at.x), std::min(box.low.y, at.y), std::min(box.low.z, at.z)};
    box.high = {std::max(box.high.x, at.x), std::max(box.high.y, at.y), std::max(box.high.z, at.z)};
  }
  return box;
}

int depth_needed(const Cell& root, const Box& box, double opening) {
  const int depth = depth_needed_in(root, box, opening);
  return depth < static_cast<int>(Tree::kLevels) - 1 ? depth : Cluster::kDepthMax;
}

int depth_needed(const Cell& root, Portion& portion, double opening) {
  return portion.count == 0 ? 0 : depth_needed(root, box_of(portion.particles()), opening);
}

}  // namespace barnes_hut
