// SPDX-License-Identifier: Apache-2.0
#include "delaunay/tasks.hpp"

#include <algorithm>
#include <vector>

#include "delaunay/bowyer_watson.hpp"
#include "delaunay/seam.hpp"

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

Part* make_part(myr::Region parent, std::size_t points, std::size_t leaf_points) {
  const myr::Region region = myr::Region::create(parent);
  Part* part = region.make<Part>();
  part->region = region;
  part->leaf_points = leaf_points;
  part->vertices = {region.make_array<Vertex>(points), points};
  return part;
}

void add_triangles(TriangleList& list, myr::Region region, std::size_t count) {
  std::vector<Triangle*> made(count);
  myr_alloc_many(sizeof(Triangle), region.id(), count, made.data());
  while (!made.empty()) {
    list.push(made.back());
    made.pop_back();
  }
}

// Cuts across the longer side of the points' bounding box.
Cut choose_cut(std::span<const Vertex> vertices) noexcept {
  Point low = vertices[0].point, high = low;
  for (const auto& [p, index] : vertices) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return {high.x - low.x > high.y - low.y};
}

// About the median key, from a sample. At least one key is below it. REQUIRES: two vertices.
std::int64_t choose_pivot(std::span<const Vertex> vertices, Cut cut) {
  constexpr std::size_t kSampleMax = 1024;
  const std::size_t count = std::min(kSampleMax, vertices.size());
  std::vector<std::int64_t> sample(count);
  for (std::size_t i = 0; i < count; ++i) {
    sample[i] = cut.key(vertices[i * vertices.size() / count].point);
  }
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(count / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

// Makes the halves and moves the vertices into them.
void halve(Part& part) {
  const std::span<Vertex> vertices = part.vertices;
  part.cut = choose_cut(vertices);
  const std::int64_t pivot = choose_pivot(vertices, part.cut);
  std::size_t below = 0;
  for (const Vertex& v : vertices) below += part.cut.key(v.point) < pivot;
  part.lower = make_part(part.region, below, part.leaf_points);
  part.upper = make_part(part.region, vertices.size() - below, part.leaf_points);
  Vertex* next[2] = {part.upper->vertices.data(), part.lower->vertices.data()};
  for (const Vertex& v : vertices) *next[part.cut.key(v.point) < pivot]++ = v;
  myr_free(vertices.data());
  part.vertices = {};
}

// Triangulates the part's own vertices.
void triangulate(Part& part) {
  TriangleList unused;
  add_triangles(unused, part.region, mesh_triangles(part.vertices.size()));
  part.hull = bowyer_watson(part.vertices, unused);
}

// The mesh of both halves, where at least one has none, because its points lie on one line.
void sew_flat(Part& part) {
  Part& flat = part.lower->hull == nullptr ? *part.lower : *part.upper;
  Part& other = &flat == part.lower ? *part.upper : *part.lower;
  if (other.hull == nullptr) {
    const std::size_t count = flat.vertices.size() + other.vertices.size();
    part.vertices = {part.region.make_array<Vertex>(count), count};
    std::ranges::copy(other.vertices, std::ranges::copy(flat.vertices, part.vertices.begin()).out);
    triangulate(part);
    return;
  }
  TriangleList unused;
  add_triangles(unused, part.region, 2 * flat.vertices.size());
  Inserter mesh(unused, other.hull);
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

std::uint64_t count_tasks(const Part* part) noexcept {
  if (part->lower == nullptr) return 1;
  return 2 + count_tasks(part->lower) + count_tasks(part->upper);
}

}  // namespace

TaskMesh triangulate_tasks(std::span<const Vertex> input, std::size_t leaf_points) {
  Part* whole = make_part({}, input.size(), leaf_points);
  std::ranges::copy(input, whole->vertices.begin());
  myr::spawn(refine, myr::inout(whole->region), whole);
  myr::wait(myr::inout(whole->region));
  return {whole->region, whole->hull, count_tasks(whole)};
}

}  // namespace delaunay
