// SPDX-License-Identifier: Apache-2.0
//
// The same simulation with MPI. Each rank has some parts that follow each other. A step:
//
//   drift            each rank its parts
//   bisect           all bodies go to rank 0, which halves them and sends the right half to the
//                    rank in the middle; both go on in the same way, until each rank has its own
//   plant            each rank the trees of its parts
//   all to all       each rank sends its trees to all others, and adds the attraction of the trees
//                    of rank 0, 1, 2, ... to its bodies, while those of later ranks arrive
//   kick and drift   each rank its parts
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <deque>
#include <memory>
#include <new>
#include <utility>

#include "chip/costs.h"
#include "chip/ranks.h"
#include "chip/work.h"
#include "myrmics/barnes_hut_parts/parted.hpp"

namespace barnes_hut {
namespace {

// ---- messages ----

using Requests = std::vector<MPI_Request>;

template <class Item>
void start_send(const std::vector<Item>& items, int target, Requests& requests) {
  MPI_Isend(items.data(), static_cast<int>(items.size() * sizeof(Item)), MPI_BYTE, target, 0,
            MPI_COMM_WORLD, &requests.emplace_back());
}

template <class Item>
void start_receive(std::vector<Item>& items, int source, Requests& requests) {
  MPI_Irecv(items.data(), static_cast<int>(items.size() * sizeof(Item)), MPI_BYTE, source, 0,
            MPI_COMM_WORLD, &requests.emplace_back());
}

void wait_all(Requests& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
}

// ---- bodies ----

// The particles of some portions as they travel.
struct PackedBodies {
  std::vector<std::uint64_t> counts;  // of each portion
  std::vector<Particle> particles;
};

PackedBodies pack(const std::vector<Portion*>& portions) {
  PackedBodies packed;
  for (Portion* portion : portions) {
    const std::span<const Particle> some = portion->particles();
    packed.counts.push_back(some.size());
    packed.particles.insert(packed.particles.end(), some.begin(), some.end());
  }
  kernel_work(packed.particles.size() * sizeof(Particle) / 4 * COST_COPY);
  return packed;
}

void start_send(const PackedBodies& packed, int target, Requests& requests) {
  start_send(packed.counts, target, requests);
  start_send(packed.particles, target, requests);
}

void receive(const std::vector<Portion*>& portions, int source) {
  PackedBodies packed;
  Requests requests;
  packed.counts.resize(portions.size());
  start_receive(packed.counts, source, requests);
  wait_all(requests);
  std::size_t total = 0;
  for (std::size_t i = 0; i < portions.size(); ++i) {
    portions[i]->count = packed.counts[i];
    total += packed.counts[i];
  }
  packed.particles.resize(total);
  start_receive(packed.particles, source, requests);
  wait_all(requests);
  auto next = packed.particles.begin();
  for (Portion* portion : portions) {
    const auto end = next + static_cast<std::ptrdiff_t>(portion->count);
    std::copy(next, end, portion->particles().begin());
    next = end;
  }
  kernel_work(total * sizeof(Particle) / 4 * COST_COPY);
}

// A rank's own tree of nodes: as large as the largest part of the bodies that it ever halves. Its
// own portions are the first ones.
class Subtree {
 public:
  Subtree(std::size_t leaf_count, std::size_t room) : room_(room), root_(grow(leaf_count)) {}

  [[nodiscard]] Node& root() const { return *root_; }

 private:
  struct Free {
    void operator()(Portion* portion) const { std::free(portion); }
  };

  Node* grow(std::size_t leaf_count) {
    Node* node = &nodes_.emplace_back();
    if (leaf_count == 1) {
      void* memory = ranks_memory(sizeof(Portion) + room_ * sizeof(Particle));
      node->portion = new (memory) Portion{.count = 0, .room = room_};
      portions_.emplace_back(node->portion);
      return node;
    }
    node->left = grow(leaf_count / 2);
    node->right = grow(leaf_count / 2);
    return node;
  }

  std::size_t room_;
  std::deque<Node> nodes_;
  std::vector<std::unique_ptr<Portion, Free>> portions_;
  Node* root_;
};

// ---- trees ----

// A cell as it travels: its children have indices, and the points of leaves stand in the order of
// the leaves.
struct FlatCell {
  static constexpr std::uint32_t kNone = ~0U;

  Point centre;
  double width = 0;
  std::int32_t depth = 0;
  std::uint32_t point_count = 0;
  std::array<std::uint32_t, 8> children{};
};

// The trees of a rank as they travel, root after root.
struct FlatTrees {
  std::vector<std::uint64_t> sizes{0, 0};  // of the lists below
  std::vector<FlatCell> cells;
  std::vector<Point> points;
};

struct Trees {
  std::deque<Cell> cells;
  std::vector<std::vector<Point>> points;
  std::vector<Cell*> roots;
};

void plant(Portion& portion, Trees& trees) {
  std::vector<Point>& points = trees.points.emplace_back(portion.count);
  copy_points(portion, points);
  std::vector<Point> scratch;
  trees.roots.push_back(&trees.cells.emplace_back());
  build(*trees.roots.back(), surround(points), scratch,
        [&trees] { return &trees.cells.emplace_back(); });
}

std::uint32_t flatten(const Cell& cell, FlatTrees& flat) {
  const auto index = static_cast<std::uint32_t>(flat.cells.size());
  flat.cells.push_back({.centre = cell.centre,
                        .width = cell.width,
                        .depth = cell.depth,
                        .point_count = static_cast<std::uint32_t>(cell.points.size())});
  flat.points.insert(flat.points.end(), cell.points.begin(), cell.points.end());
  for (std::size_t i = 0; i < cell.children.size(); ++i) {
    const Cell* const child = cell.children[i];
    const std::uint32_t place = child == nullptr ? FlatCell::kNone : flatten(*child, flat);
    flat.cells[index].children[i] = place;
  }
  return index;
}

void declare_copy(const FlatTrees& flat) {
  const std::size_t bytes =
      flat.cells.size() * sizeof(FlatCell) + flat.points.size() * sizeof(Point);
  kernel_work(bytes / 4 * COST_COPY);
}

FlatTrees flatten(const Trees& trees) {
  FlatTrees flat;
  for (const Cell* root : trees.roots) flatten(*root, flat);
  flat.sizes = {flat.cells.size(), flat.points.size()};
  declare_copy(flat);
  return flat;
}

// The trees refer to the points of the flat ones.
std::vector<Cell> unflatten(const FlatTrees& flat) {
  std::vector<Cell> cells(flat.cells.size());
  const Point* points = flat.points.data();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const FlatCell& from = flat.cells[i];
    cells[i].centre = from.centre;
    cells[i].width = from.width;
    cells[i].depth = from.depth;
    cells[i].points = {points, from.point_count};
    points += from.point_count;
    for (std::size_t k = 0; k < from.children.size(); ++k) {
      if (from.children[k] != FlatCell::kNone) cells[i].children[k] = &cells[from.children[k]];
    }
  }
  declare_copy(flat);
  return cells;
}

// ---- a rank ----

class RankProgram {
 public:
  RankProgram(const Parted& bodies, int rank)
      : settings_(bodies.settings),
        rank_(rank),
        own_(bodies.shape.part_count / static_cast<std::size_t>(ranks_count())),
        subtree_(own_ * static_cast<std::size_t>(span()),
                 portions_of(*bodies.root.node).front()->room),
        portions_(portions_of(subtree_.root())) {
    const std::vector<Portion*> all = portions_of(*bodies.root.node);
    for (std::size_t i = 0; i < own_; ++i) copy(*all[first() + i], *portions_[i]);
  }

  void run() {
    for (std::int64_t i = 0; i < settings_.steps; ++i) step();
  }

  void store(const Parted& bodies) const {
    const std::vector<Portion*> all = portions_of(*bodies.root.node);
    for (std::size_t i = 0; i < own_; ++i) {
      Portion* const to = all[first() + i];
      copy(*portions_[i], *to);
      ranks_result(to, sizeof *to + to->particles().size_bytes());
    }
  }

 private:
  static void copy(Portion& from, Portion& to) {
    to.count = from.count;
    std::copy(from.particles().begin(), from.particles().end(), to.particles().begin());
  }

  [[nodiscard]] std::size_t first() const { return own_ * static_cast<std::size_t>(rank_); }
  // How many ranks get their bodies through this one, itself included.
  [[nodiscard]] int span() const { return rank_ == 0 ? ranks_count() : rank_ & -rank_; }
  [[nodiscard]] std::vector<Portion*> own() const {
    return {portions_.begin(), portions_.begin() + static_cast<std::ptrdiff_t>(own_)};
  }

  void step() {
    for (Portion* portion : own()) drift(*portion, settings_.time_step);
    gather();
    std::deque<PackedBodies> sent;
    Requests requests;
    bisect(subtree_.root(), span(), sent, requests);
    wait_all(requests);
    attract_all();
    for (Portion* portion : own()) kick_and_drift(*portion, settings_.time_step);
  }

  // To rank 0, and from the rank that halves before this one.
  void gather() {
    if (rank_ != 0) {
      const PackedBodies packed = pack(own());
      Requests requests;
      start_send(packed, 0, requests);
      wait_all(requests);
      receive(portions_, rank_ & (rank_ - 1));
      return;
    }
    for (int source = 1; source < ranks_count(); ++source) {
      const auto begin = portions_.begin() + static_cast<std::ptrdiff_t>(own_) * source;
      receive({begin, begin + static_cast<std::ptrdiff_t>(own_)}, source);
    }
  }

  // `span` ranks have what is below the node.
  void bisect(Node& node, int span, std::deque<PackedBodies>& sent, Requests& requests) const {
    if (node.portion != nullptr) return;
    divide(node);
    const int half = std::max(span / 2, 1);
    if (span > 1) {
      start_send(sent.emplace_back(pack(portions_of(*node.right))), rank_ + half, requests);
    } else {
      bisect(*node.right, half, sent, requests);
    }
    bisect(*node.left, half, sent, requests);
  }

  // Starts with the next rank, so that not all send to the same one.
  void send_to_all(const FlatTrees& flat, Requests& requests) const {
    for (int i = 1; i < ranks_count(); ++i) {
      const int target = (rank_ + i) % ranks_count();
      start_send(flat.sizes, target, requests);
      start_send(flat.cells, target, requests);
      start_send(flat.points, target, requests);
    }
  }

  // `arriving[i]` are the requests for `all[i]`.
  void receive_from_all(std::vector<FlatTrees>& all, std::vector<Requests>& arriving) const {
    for (int i = 1; i < ranks_count(); ++i) {
      const int source = (rank_ + ranks_count() - i) % ranks_count();
      FlatTrees& flat = all[static_cast<std::size_t>(source)];
      Requests& requests = arriving[static_cast<std::size_t>(source)];
      start_receive(flat.sizes, source, requests);
      wait_all(requests);
      flat.cells.resize(flat.sizes[0]);
      flat.points.resize(flat.sizes[1]);
      start_receive(flat.cells, source, requests);
      start_receive(flat.points, source, requests);
    }
  }

  void attract_all() const {
    const auto rank_count = static_cast<std::size_t>(ranks_count());
    Trees trees;
    for (Portion* portion : own()) plant(*portion, trees);
    std::vector<FlatTrees> all(rank_count);
    std::vector<Requests> arriving(rank_count);
    Requests sending;
    all[static_cast<std::size_t>(rank_)] = flatten(trees);
    send_to_all(all[static_cast<std::size_t>(rank_)], sending);
    receive_from_all(all, arriving);
    for (std::size_t source = 0; source < rank_count; ++source) {
      wait_all(arriving[source]);
      const std::vector<Cell> cells = unflatten(all[source]);
      for (const Cell& cell : cells) {
        if (cell.depth != 0) continue;  // no root
        for (Portion* portion : own()) attract(*portion, cell, {.opening = settings_.opening});
      }
    }
    wait_all(sending);
  }

  Settings settings_;
  int rank_;
  std::size_t own_;  // portions that are this rank's
  Subtree subtree_;
  std::vector<Portion*> portions_;  // of the subtree
};

void run_rank(void* argument) {
  const auto& bodies = *static_cast<const Parted*>(argument);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  RankProgram program(bodies, rank);
  ranks_start();
  program.run();
  ranks_stop();
  program.store(bodies);
}

}  // namespace
}  // namespace barnes_hut

void barnes_hut_parts_tasks(barnes_hut::Parted& bodies) {
  const auto rank_count = static_cast<std::size_t>(ranks_count());
  const std::size_t part_count = bodies.shape.part_count;
  if (!std::has_single_bit(rank_count) || !std::has_single_bit(part_count) ||
      rank_count > part_count) {
    ranks_refuse("ranks and parts must be powers of two, and no more ranks than parts");
  }
  ranks_run(barnes_hut::run_rank, &bodies);
}
