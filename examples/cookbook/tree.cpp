// SPDX-License-Identifier: Apache-2.0
//
// A search tree whose larger parts are regions: built, changed and summed by tasks.
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>

constexpr long kSmall = 5'000;  // a part of fewer nodes is one task's work

struct Node {
  long key = 0;
  Node* below[2] = {};
  myr::Region regions[2];  // of what hangs below, where that is large
};

void build(myr::Region region, Node* node, long first, long count) {
  const long half = count / 2;
  node->key = first + half;
  const long firsts[2] = {first, first + half + 1};
  const long counts[2] = {half, count - half - 1};
  for (int side = 0; side < 2; ++side) {
    if (counts[side] == 0) continue;
    if (counts[side] < kSmall) {
      node->below[side] = region.make<Node>();
      build(region, node->below[side], firsts[side], counts[side]);
    } else {
      const myr::Region own = node->regions[side] = myr::Region::create(region);
      node->below[side] = own.make<Node>();
      myr::spawn(build, myr::inout(own), node->below[side], firsts[side], counts[side]);
    }
  }
}

void add(myr::Region, Node* node, long more) {
  node->key += more;
  for (int side = 0; side < 2; ++side) {
    if (node->below[side] == nullptr) continue;
    if (node->regions[side]) {
      myr::spawn(add, myr::inout(node->regions[side]), node->below[side], more);
    } else {
      add({}, node->below[side], more);
    }
  }
}

void sum(myr::Region, const Node* node, long& total) {
  total += node->key;
  for (int side = 0; side < 2; ++side) {
    if (node->below[side] == nullptr || node->regions[side]) continue;
    sum({}, node->below[side], total);
  }
  for (int side = 0; side < 2; ++side) {
    if (!node->regions[side]) continue;
    myr::spawn(sum, myr::in(node->regions[side]), node->below[side],
               myr::reduce(total, std::plus<>()));
  }
}

int main() {
  constexpr long kKeys = 100'000;
  myr::OwnedRegion tree;
  Node* const root = tree.make<Node>();
  long total = 0;
  myr::spawn(build, myr::inout(tree), root, 0L, kKeys);
  myr::spawn(add, myr::inout(tree), root, 1L);
  myr::spawn(sum, myr::in(tree), root, myr::reduce(total, std::plus<>()));
  myr::wait(myr::in(total));
  std::printf("%ld\n", total);
}
