// SPDX-License-Identifier: Apache-2.0
//
// The same simulation as an SPMD program, as paper 2 has it (section 6.3): a worker a part, and a
// region for each level of its octree. A step:
//
//   drift            each worker its bodies
//   bisect           all bodies go to worker 0, which halves them and sends the right half, a
//                    region, to the worker in the middle; both go on, until each has its own
//   plant            each worker the tree of its bodies, a region a level
//   exchange         in stages, two workers tell each other the bounds of their bodies; each sends
//                    as many levels of its tree as the bodies within need: one region
//   attract, kick    each worker adds the attraction of all trees, in their order, to its bodies
//
// Trees are read where they arrive, by their own pointers.
#include <fmt/core.h>
#include <myr/spmd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <vector>

#include "common/command_line.hpp"
#include "common/workers.hpp"
#include "myrmics/barnes_hut_parts/parted.hpp"

namespace barnes_hut {
namespace {

// The regions and portions of all parts, for workers that have not made them: an object.
struct Layout {
  struct Place {
    myr_region region;     // of the node
    std::int32_t portion;  // index of the portion, or -1
    Portion* address;
  };
  std::size_t count;
  [[nodiscard]] Place* places() { return reinterpret_cast<Place*>(this + 1); }
};

// Nodes in the order: itself, left side, right side.
void list_nodes(const Node& node, myr_region region, std::vector<Layout::Place>& places) {
  places.push_back({region, node.portion == nullptr ? -1 : 0, node.portion});
  if (node.portion != nullptr) return;
  list_nodes(*node.left, node.left_region, places);
  list_nodes(*node.right, node.right_region, places);
}

class Nodes {
 public:
  explicit Nodes(Layout& layout) : next_(layout.places()) { root_ = make(root_region_); }
  [[nodiscard]] Node& root() const { return *root_; }

 private:
  Node* make(myr_region& region) {
    const Layout::Place place = *next_++;
    region = place.region;
    Node* const node = &nodes_.emplace_back();
    node->portion = place.address;
    if (place.portion >= 0) return node;
    node->left = make(node->left_region);
    node->right = make(node->right_region);
    return node;
  }

  Layout::Place* next_;
  myr_region root_region_ = 0;
  std::deque<Node> nodes_;
  Node* root_ = nullptr;
};

// Worker 0 has made the regions of all bodies; it shows the others where they are.
Layout& share_layout(const Parted* bodies) {
  void* object = nullptr;
  if (bodies == nullptr) {
    myr_spmd_receive(0, nullptr, 0, &object, 1);
    return *static_cast<Layout*>(object);
  }
  std::vector<Layout::Place> places;
  list_nodes(*bodies->root.node, bodies->root.region, places);
  object = myr_alloc(sizeof(Layout) + places.size() * sizeof places[0], MYR_ROOT);
  auto& layout = *new (object) Layout{places.size()};
  std::copy(places.begin(), places.end(), layout.places());
  for (unsigned worker = 1; worker < myr_worker_count(); ++worker) {
    myr_spmd_send(worker, nullptr, 0, &object, 1);
  }
  return layout;
}

// The leaf of a worker, with the region in which it lies.
struct Leaf {
  myr_region region;
  Portion* portion;
};

Leaf leaf_of(Node& node, unsigned worker, unsigned count) {
  const unsigned half = count / 2;
  const bool is_left = worker < half;
  Node& side = is_left ? *node.left : *node.right;
  if (half > 1) return leaf_of(side, is_left ? worker : worker - half, half);
  return {is_left ? node.left_region : node.right_region, side.portion};
}

// What a worker shows another one of its tree: an object in the region of the first level.
struct Offer {
  const Cell* root;
  int depth_max;
};

class Worker {
 public:
  Worker(const Settings& settings, Node& root, Leaf leaf)
      : settings_(settings), root_(root), leaf_(leaf) {}

  void step() {
    drift(*leaf_.portion, settings_.time_step);
    gather();
    bisect();
    Tree tree{.root = nullptr, .region = myr_region_new(MYR_ROOT, 0), .levels = {}};
    plant(tree);
    std::vector<const Offer*> offers(count_);
    offers[self_] = offer_;
    for (unsigned stage = 1; stage < count_; ++stage) exchange(tree, self_ ^ stage, offers);
    for (const Offer* offer : offers) {
      const int depth_max = offer == offer_ ? Cluster::kDepthMax : offer->depth_max;
      attract(*leaf_.portion, *offer->root, {.opening = settings_.opening, .depth_max = depth_max});
    }
    kick_and_drift(*leaf_.portion, settings_.time_step);
    myr_region_free(tree.region);
  }

  // All bodies to worker 0.
  void gather() {
    if (self_ != 0) {
      myr_spmd_send(0, &leaf_.region, 1, nullptr, 0);
      return;
    }
    for (unsigned worker = 1; worker < count_; ++worker) {
      myr_region region = 0;
      myr_spmd_receive(worker, &region, 1, nullptr, 0);
    }
  }

 private:
  // A worker halves what is below a node, if it is the first of those that are to have it.
  void bisect() {
    Node* node = &root_;
    unsigned first = 0;
    for (unsigned half = count_ / 2; half != 0; half /= 2) {
      const unsigned middle = first + half;
      if (self_ == first) {
        divide(*node);
        myr_spmd_send(middle, &node->right_region, 1, nullptr, 0);
      } else if (self_ == middle) {
        myr_region region = 0;
        myr_spmd_receive(first, &region, 1, nullptr, 0);
      }
      const bool is_left = self_ < middle;
      node = is_left ? node->left : node->right;
      if (!is_left) first = middle;
    }
  }

  void plant(Tree& tree) {
    std::vector<Point> points(leaf_.portion->count);
    copy_points(*leaf_.portion, points);
    build_by_level(tree, points);
    offer_ = new (myr_alloc(sizeof(Offer), tree.levels.front())) Offer{tree.root, 0};
  }

  void exchange(const Tree& tree, unsigned peer, std::vector<const Offer*>& offers) {
    void* own = new (myr_alloc(sizeof(Box), MYR_ROOT)) Box(box_of(leaf_.portion->particles()));
    void* theirs = nullptr;
    kernels::exchange(
        peer, [&] { myr_spmd_send(peer, nullptr, 0, &own, 1); },
        [&] { myr_spmd_receive(peer, nullptr, 0, &theirs, 1); });
    offer_->depth_max = depth_needed(*tree.root, *static_cast<Box*>(theirs), settings_.opening);
    const auto depth = static_cast<std::size_t>(offer_->depth_max);
    const myr_region levels = depth < Tree::kLevels ? tree.levels[depth] : tree.region;
    void* offer = nullptr;
    kernels::exchange(
        peer, [&] { myr_spmd_send(peer, &levels, 1, reinterpret_cast<void**>(&offer_), 1); },
        [&] {
          myr_region region = 0;
          myr_spmd_receive(peer, &region, 1, &offer, 1);
        });
    offers[peer] = static_cast<const Offer*>(offer);
    myr_free(own);
  }

  Settings settings_;
  Node& root_;
  Leaf leaf_;
  Offer* offer_ = nullptr;  // of this step
  const unsigned self_ = myr_worker_index();
  const unsigned count_ = myr_worker_count();
};

// The serial program's result, bit for bit?
bool is_serial_result(const Parted& bodies, const std::vector<Body>& start) {
  Parted serial(bodies.settings, bodies.shape, start.size());
  serial.fill(start);
  barnes_hut_parts_serial(serial);
  const std::vector<Particle> here = bodies.particles();
  const std::vector<Particle> there = serial.particles();
  return std::equal(here.begin(), here.end(), there.begin(), there.end(),
                    [](const Particle& a, const Particle& b) {
                      return std::memcmp(&a.body, &b.body, sizeof a.body) == 0 &&
                             std::memcmp(&a.acceleration, &b.acceleration, sizeof(Vector)) == 0;
                    });
}

int run(std::int64_t body_count, const Settings& settings, bool checks) {
  const unsigned count = myr_worker_count();
  const std::vector<Body> start = two_galaxies(body_count);
  std::unique_ptr<Parted> bodies;
  if (myr_worker_index() == 0) {
    const Parted::Shape shape{.part_count = count, .group_count = count, .trees_by_level = true};
    bodies = std::make_unique<Parted>(settings, shape, start.size());
    bodies->fill(start);
  }
  Layout& layout = share_layout(bodies.get());
  Nodes nodes(layout);
  const Leaf leaf = count == 1 ? Leaf{bodies->root.region, nodes.root().portion}
                               : leaf_of(nodes.root(), myr_worker_index(), count);
  if (bodies != nullptr) {
    for (unsigned worker = 1; worker < count; ++worker) {
      myr_spmd_send(worker, &bodies->root.region, 1, nullptr, 0);
    }
  } else {
    myr_region region = 0;
    myr_spmd_receive(0, &region, 1, nullptr, 0);
  }
  Worker worker(settings, nodes.root(), leaf);
  myr_spmd_barrier();
  const kernels::Stopwatch watch;
  for (std::int64_t i = 0; i < settings.steps; ++i) worker.step();
  myr_spmd_barrier();
  const double seconds = watch.seconds();
  worker.gather();
  if (bodies == nullptr) return 0;
  fmt::print(
      R"({{"bench": "barnes_hut", "workers": {}, "bodies": {}, "steps": {}, "run_s": {:.6f}}})"
      "\n",
      count, start.size(), settings.steps, seconds);
  if (!checks || is_serial_result(*bodies, start)) return 0;
  fmt::print(stderr, "WRONG: the bodies are not where the serial program has them\n");
  return 1;
}

}  // namespace
}  // namespace barnes_hut

int main(int argc, char** argv) {
  barnes_hut::Settings settings{.steps = 4};
  std::int64_t bodies = 20000;
  bool checks = false;
  kernels::CommandLine line(
      "Barnes-Hut simulation, an SPMD program with a region for each level of a tree.");
  line.add_number("--size", &bodies, "bodies", 500, 10'000'000);
  line.add_count("--steps", &settings.steps, "steps in time", 1'000'000);
  line.add_flag("--check", &checks, "compare the result with the serial program's");
  line.parse(argc, argv);
  if (std::has_single_bit(myr_worker_count())) return barnes_hut::run(bodies, settings, checks);
  fmt::print(stderr, "barnes_hut: the number of workers must be a power of two\n");
  return 1;
}
