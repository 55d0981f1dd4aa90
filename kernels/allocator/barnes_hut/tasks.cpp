// SPDX-License-Identifier: Apache-2.0
//
// The task program. The bodies lie in chunks, each an object of one region. Every step makes a
// region for its octree, in which the larger subtrees have sub-regions of their own:
//
//   drift            inout(chunk)                 for each chunk
//   plant            in(bodies) inout(tree)       copies the bodies' points into the tree's region
//     grow           inout(subtree)               for each subtree, to any depth
//     summarise      inout(subtree)               after all tasks below it
//   kick and drift   in(tree) inout(chunk)        for each chunk
//
// Then the tree's region is freed with everything in it.
#include <algorithm>
#include <myr/myr.hpp>
#include <span>
#include <vector>

#include "methods/bodies/motion.hpp"

using myr::in;
using myr::inout;

namespace barnes_hut {
namespace {

using Chunk = std::span<Body>;

void drift_chunk(Body* bodies, std::size_t count, double time_step) {
  drift({bodies, count}, time_step);
}

void kick_chunk(Body* bodies, std::size_t count, myr::Region /*tree*/, const Cell* root,
                Settings settings) {
  kick_and_drift({bodies, count}, *root, settings);
}

// Runs after all tasks that build below `cell`.
void summarise_subtree(myr::Region /*subtree*/, Cell* cell) { summarise(*cell); }

// Builds the subtree of a cluster whose points lie in the subtree's region.
void grow(myr::Region region, Cell* cell, Cluster cluster, std::size_t task_points) {
  std::vector<Point> scratch;
  if (cluster.points.size() <= task_points || cluster.is_small()) {
    build(*cell, cluster, scratch, [region] { return region.make<Cell>(); });
    return;
  }
  cell->width = cluster.cube.width;
  cell->depth = cluster.depth;
  const std::array<Cluster, 8> parts = split(cluster, scratch);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Cluster part = parts[i];
    if (part.points.empty()) continue;
    // The child gets copies in its own region, and so needs nothing of this one.
    const myr::Region subtree = myr::Region::create(region);
    auto* points = subtree.make_array<Point>(part.points.size());
    std::copy(part.points.begin(), part.points.end(), points);
    part.points = {points, part.points.size()};
    cell->children[i] = subtree.make<Cell>();
    myr::spawn(grow, inout(subtree), cell->children[i], myr::unchecked(part), task_points);
  }
  myr::spawn(summarise_subtree, inout(region), cell);
}

// The root of the tree, from all bodies.
void plant(myr::Region /*bodies*/, std::span<const Chunk> chunks, myr::Region tree, Cell* root,
           std::size_t task_points) {
  std::size_t body_count = 0;
  for (const Chunk& chunk : chunks) body_count += chunk.size();
  auto* points = tree.make_array<Point>(body_count);
  Point* next = points;
  for (const Chunk& chunk : chunks) {
    for (const Body& body : chunk) *next++ = {body.position, body.mass};
  }
  grow(tree, root, surround({points, body_count}), task_points);
}

// All bodies: `list` is the same as `chunks`, but lies in the region, for the tasks that read it.
struct Bodies {
  myr::Region region;
  std::vector<Chunk> chunks;
  Chunk* list;
};

Bodies copy_in(std::span<const Body> source, std::size_t chunk_size) {
  Bodies bodies{.region = myr::Region::create(), .chunks = {}, .list = nullptr};
  while (!source.empty()) {
    const std::size_t count = std::min(chunk_size, source.size());
    const Chunk chunk{bodies.region.make_array<Body>(count), count};
    std::copy_n(source.begin(), count, chunk.begin());
    bodies.chunks.push_back(chunk);
    source = source.subspan(count);
  }
  bodies.list = bodies.region.make_array<Chunk>(bodies.chunks.size());
  std::copy(bodies.chunks.begin(), bodies.chunks.end(), bodies.list);
  return bodies;
}

// Spawns the tasks of one step.
void step(const Bodies& bodies, const Settings& settings) {
  for (const Chunk& chunk : bodies.chunks) {
    myr::spawn(drift_chunk, inout(chunk.data()), chunk.size(), settings.time_step);
  }
  const myr::Region tree = myr::Region::create();
  auto* root = tree.make<Cell>();
  const std::span<const Chunk> chunks{bodies.list, bodies.chunks.size()};
  myr::spawn(plant, in(bodies.region), myr::unchecked(chunks), inout(tree), root,
             bodies.chunks.front().size());
  for (const Chunk& chunk : bodies.chunks) {
    myr::spawn(kick_chunk, inout(chunk.data()), chunk.size(), in(tree), root, settings);
  }
  tree.free();  // after the tasks that use it
}

}  // namespace

void run_tasks(std::vector<Body>& bodies, const Settings& settings, std::size_t chunk_size) {
  const Bodies copies = copy_in(bodies, chunk_size);
  for (std::int64_t i = 0; i < settings.steps; ++i) step(copies, settings);
  myr::wait_all();

  auto target = bodies.begin();
  for (const Chunk& chunk : copies.chunks) {
    target = std::copy(chunk.begin(), chunk.end(), target);
  }
  copies.region.free();
}

}  // namespace barnes_hut
