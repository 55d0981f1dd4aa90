// SPDX-License-Identifier: Apache-2.0
//
// Random trees of tasks of which many throw: the exception that reaches main is the one that the
// serial program would have thrown first.
#include <cstdlib>
#include <random>
#include <vector>

#include "conformance/support.hpp"

using namespace myr;

namespace {

constexpr int kNone = -1;

struct Node {
  std::vector<Node> children;
  bool waits = false;  // before it throws or returns
  int throws = kNone;  // after it has spawned its children

  // The failure that its spawner gets to see. Serially its children run before it throws itself.
  [[nodiscard]] int failure() const {
    for (const Node& child : children) {
      if (const int number = child.failure(); number != kNone) return number;
    }
    return throws;
  }
  void run() const {
    for (const Node& child : children) {
      spawn([&child] { child.run(); });
    }
    if (waits) wait_all();
    if (throws != kNone) throw throws;
  }
};

Node make_tree(std::mt19937& random, int& number, unsigned depth) {
  Node node;
  if (depth > 0) {
    for (unsigned i = random() % 5; i > 0; --i) {
      node.children.push_back(make_tree(random, number, depth - 1));
    }
  }
  node.waits = random() % 3 == 0;
  number += 1;
  if (random() % 12 == 0) node.throws = number;
  return node;
}

unsigned test_seed() {
  const char* text = std::getenv("MYR_TEST_SEED");
  return text != nullptr ? static_cast<unsigned>(std::strtoul(text, nullptr, 10))
                         : std::random_device{}();
}

}  // namespace

TEST_CASE("of many exceptions, at any depth, the first in serial order is rethrown") {
  const unsigned seed = test_seed();
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    CAPTURE(round);
    int number = 0;
    const Node root = make_tree(random, number, 5);
    int caught = kNone;
    spawn([&root] { root.run(); });
    try {
      wait_all();
    } catch (int thrown) {
      caught = thrown;
    }
    CHECK(caught == root.failure());
  }
}
