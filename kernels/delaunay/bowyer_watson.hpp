// SPDX-License-Identifier: Apache-2.0
//
// Bowyer-Watson: inserts points into a Delaunay mesh one by one. A point is located by walking from
// a nearby triangle, the triangles whose circle holds it are dug out, and the cavity is filled with
// a fan around it. The serial program runs this on all points, the task program on the points of
// each leaf.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "delaunay/triangle.hpp"

namespace delaunay {

// Triangles to use: those of a block, and those given back, linked by neighbour[0]. The block is
// touched piece by piece, because each triangle is a cache line to fetch.
class TriangleList {
 public:
  explicit TriangleList(std::span<Triangle> block) noexcept : block_(block) {}

  void push(Triangle* unused) noexcept {
    unused->neighbour[0] = first_;
    first_ = unused;
  }
  // REQUIRES: not all are in use.
  [[nodiscard]] Triangle* pop() noexcept {
    if (first_ == nullptr) {
      Triangle* fresh = &block_.front();
      block_ = block_.subspan(1);
      return fresh;
    }
    Triangle* taken = first_;
    first_ = taken->neighbour[0];
    return taken;
  }

 private:
  Triangle* first_ = nullptr;
  std::span<Triangle> block_;
};

// How many triangles a mesh of so many points has, ghosts included.
[[nodiscard]] constexpr std::size_t mesh_triangles(std::size_t points) noexcept {
  return points < 3 ? 0 : 2 * points - 2;
}

// A mesh that points can be inserted into.
class Inserter {
 public:
  // Continues a mesh, given a ghost of its hull. New triangles come from `unused`: two for each
  // point.
  Inserter(TriangleList& unused, Triangle* hull);
  // Starts a mesh with the triangle abc. REQUIRES: it turns left; `unused` holds four triangles.
  Inserter(TriangleList& unused, Vertex a, Vertex b, Vertex c);

  // REQUIRES: differs from all points of the mesh.
  void insert(Vertex vertex);
  // A ghost of the mesh.
  [[nodiscard]] Triangle* hull() const noexcept { return hull_; }

 private:
  // An edge of the cavity's border: from a to b, counter-clockwise, with the triangle that stays
  // beyond it.
  struct Edge {
    Triangle* outer;
    int outer_edge;
    Vertex a;
    Vertex b;
  };
  struct Crossing {
    Triangle* from;
    int edge;
  };
  [[nodiscard]] Triangle* locate(Point p) const noexcept;
  void dig(Triangle* first, Point p);
  void fill(Vertex vertex);

  TriangleList& unused_;
  Triangle* last_;  // a real triangle of the last insertion: the next walk starts here
  Triangle* hull_;
  std::vector<Triangle*> cavity_;
  std::vector<Edge> border_;
  std::vector<Crossing> crossings_;
};

// Triangulates the vertices, which it sorts. Returns a ghost of the hull, or nullptr if all points
// lie on one line. REQUIRES: different points; `unused` holds mesh_triangles(vertices.size())
// triangles.
[[nodiscard]] Triangle* bowyer_watson(std::span<Vertex> vertices, TriangleList& unused);

}  // namespace delaunay
