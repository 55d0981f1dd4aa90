// SPDX-License-Identifier: Apache-2.0
#include "deps/region_tree.hpp"

#include <doctest/doctest.h>

using namespace myr::deps;

TEST_CASE("regions nest, and stale ids are refused") {
  std::vector<RegionNode> nodes(128);
  RegionTree tree(nodes.data(), 128);
  RegionIndex parent = kRootRegion;
  std::vector<RegionIndex> chain;
  for (int i = 0; i < 64; ++i) {
    const RegionIndex index = tree.allocate_index();
    tree.insert(index, parent);
    chain.push_back(index);
    parent = index;
  }
  CHECK(tree.depth(chain.back()) == 64);
  CHECK(tree.encloses(kRootRegion, chain.back()));
  CHECK(tree.encloses(chain[10], chain[63]));
  CHECK_FALSE(tree.encloses(chain[63], chain[10]));
  const myr_region id = tree.id_of(chain.back());
  CHECK(tree.find(id) == chain.back());
  tree.erase(chain.back());
  CHECK(tree.find(id) == kNoRegion);
  tree.release_index(chain.back());
  const RegionIndex again = tree.allocate_index();
  tree.insert(again, kRootRegion);
  CHECK(again == chain.back());
  CHECK(tree.find(id) == kNoRegion);
  CHECK(tree.find(tree.id_of(again)) == again);
}

TEST_CASE("children are unlinked in any order") {
  std::vector<RegionNode> nodes(8);
  RegionTree tree(nodes.data(), 8);
  RegionIndex child[3];
  for (RegionIndex& index : child) {
    index = tree.allocate_index();
    tree.insert(index, kRootRegion);
  }
  tree.erase(child[1]);
  tree.erase(child[2]);
  CHECK(tree.first_child(kRootRegion) == child[0]);
  tree.erase(child[0]);
  CHECK(tree.first_child(kRootRegion) == kNoRegion);
}

TEST_CASE("indices run out with an answer") {
  std::vector<RegionNode> nodes(2);
  RegionTree tree(nodes.data(), 2);
  CHECK(tree.allocate_index() == 1);
  CHECK(tree.allocate_index() == kNoRegion);
}

TEST_CASE("an index that has used up its ids is not given out again") {
  std::vector<RegionNode> nodes(3);
  RegionTree tree(nodes.data(), 3);
  const RegionIndex worn = tree.allocate_index();
  nodes[worn].generation = RegionTree::kLastGeneration - 2;
  tree.insert(worn, kRootRegion);
  const myr_region last = tree.id_of(worn);
  CHECK(tree.find(last) == worn);
  tree.erase(worn);
  tree.release_index(worn);
  CHECK(tree.find(last) == kNoRegion);
  CHECK(tree.allocate_index() != worn);
  CHECK(tree.allocate_index() == kNoRegion);
}

TEST_CASE("ids that were never given out are refused") {
  std::vector<RegionNode> nodes(4);
  const RegionTree tree(nodes.data(), 4);
  CHECK(tree.find(0) == kRootRegion);
  CHECK(tree.find(1) == kNoRegion);
  CHECK(tree.find(77) == kNoRegion);
}
