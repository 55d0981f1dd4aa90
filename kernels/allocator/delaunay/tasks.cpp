// SPDX-License-Identifier: Apache-2.0
#include "allocator/delaunay/tasks.hpp"

#include <algorithm>
#include <memory>
#include <myr/myr.hpp>
#include <vector>

#include "allocator/delaunay/bowyer_watson.hpp"
#include "allocator/delaunay/division.hpp"
#include "allocator/delaunay/seam.hpp"

namespace delaunay {
namespace {

// A part of the plane. Lives in its region, with all that it points to.
struct Part {
  myr::Region region;
  std::size_t leaf_points;
  std::span<Vertex> vertices;  // in a leaf, and where all points lie on one line
  Triangle* hull;              // nullptr: all points lie on one line
  Cut cut;
  Part* lower;  // nullptr: a leaf
  Part* upper;
};

// Room for vertices, and for one more, which halve() needs.
std::span<Vertex> allocate_vertices(myr::Region region, std::size_t count) {
  return {static_cast<Vertex*>(myr_alloc((count + 1) * sizeof(Vertex), region.id())), count};
}

Part* make_part(myr::Region parent, std::size_t points, std::size_t leaf_points) {
  const myr::Region region = myr::Region::create(parent);
  Part* part = region.make<Part>();
  part->region = region;
  part->leaf_points = leaf_points;
  part->vertices = allocate_vertices(region, points);
  return part;
}

// Room for triangles: one object of the region.
std::span<Triangle> allocate_triangles(myr::Region region, std::size_t count) {
  return {static_cast<Triangle*>(myr_alloc(count * sizeof(Triangle), region.id())), count};
}

// Makes the halves and moves the vertices into them. REQUIRES: at least two vertices.
void halve(Part& part) {
  const std::span<Vertex> vertices = part.vertices;
  const auto [cut, pivot] = choose_division(vertices);
  std::size_t below = 0;
  for (const Vertex& v : vertices) below += cut.key(v.point) < pivot;
  part.cut = cut;
  part.lower = make_part(part.region, below, part.leaf_points);
  part.upper = make_part(part.region, vertices.size() - below, part.leaf_points);
  // Without branches, which would be taken at random: each vertex is written to both halves, and
  // stays in the one that moves on. So each half needs room for one more.
  Vertex* lower = part.lower->vertices.data();
  Vertex* upper = part.upper->vertices.data();
  for (const Vertex& v : vertices) {
    const bool is_lower = cut.key(v.point) < pivot;
    *lower = v;
    *upper = v;
    lower += is_lower;
    upper += !is_lower;
  }
  myr_free(vertices.data());
  part.vertices = {};
}

// Triangulates the part's own vertices.
void triangulate(Part& part) {
  TriangleList unused(allocate_triangles(part.region, mesh_triangles(part.vertices.size())));
  part.hull = bowyer_watson(part.vertices, unused);
}

// The mesh of both halves, where at least one has none, because its points lie on one line.
void sew_flat(Part& part) {
  Part& flat = part.lower->hull == nullptr ? *part.lower : *part.upper;
  Part& other = &flat == part.lower ? *part.upper : *part.lower;
  if (other.hull == nullptr) {
    const std::size_t count = flat.vertices.size() + other.vertices.size();
    part.vertices = allocate_vertices(part.region, count);
    std::ranges::copy(other.vertices, std::ranges::copy(flat.vertices, part.vertices.begin()).out);
    triangulate(part);
    return;
  }
  TriangleList unused(allocate_triangles(part.region, 2 * flat.vertices.size()));
  Inserter<TriangleList> mesh(unused, other.hull);
  for (const Vertex& vertex : flat.vertices) mesh.insert(vertex);
  part.hull = mesh.hull();
}

void sew(myr::Region region, Part* part) {
  if (part->lower->hull == nullptr || part->upper->hull == nullptr) {
    sew_flat(*part);
    return;
  }
  Triangle* const extra[2] = {region.make<Triangle>(), region.make<Triangle>()};
  part->hull = join({part->lower->hull, part->upper->hull}, part->cut, extra);
}

void refine(myr::Region region, Part* part) {
  if (part->vertices.size() <= part->leaf_points) {
    triangulate(*part);
    return;
  }
  halve(*part);
  myr::spawn(refine, myr::inout(part->lower->region), part->lower);
  myr::spawn(refine, myr::inout(part->upper->region), part->upper);
  myr::spawn(sew, myr::inout(region), part);
}

}  // namespace

TaskMesh triangulate_tasks(std::span<const Vertex> input, std::size_t leaf_points) {
  Part* whole = make_part(myr::Region::root(), input.size(), leaf_points);
  std::ranges::copy(input, whole->vertices.begin());
  const myr::Region region = whole->region;  // the task may write `whole`
  myr::spawn(refine, myr::inout(region), whole);
  myr::wait(myr::inout(region));
  return {whole->hull, std::shared_ptr<void>(whole, [](Part* part) { part->region.free(); })};
}

}  // namespace delaunay
