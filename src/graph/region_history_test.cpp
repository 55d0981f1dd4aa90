// SPDX-License-Identifier: Apache-2.0
#include "graph/region_history.hpp"

#include <set>

#include "graph/test_regions.hpp"
#include "graph/test_tasks.hpp"

using namespace myr;
using namespace myr::graph;
using deps::kRootRegion;
using deps::RegionIndex;
using Index = RegionHistory::Index;
using Entry = RegionHistory::Entry;

namespace {

// The regions whose entries are found inside `region`.
std::set<RegionIndex> inside(const RegionHistory& history, const deps::RegionTree& tree,
                             RegionIndex region) {
  std::set<RegionIndex> found;
  history.for_inside(tree, region, [&](const Entry& entry) {
    CHECK(found.insert(entry.region).second);  // each once
  });
  return found;
}

}  // namespace

TEST_CASE("entries are linked up to the top region and not beyond") {
  TestRegions regions;
  const RegionIndex top = regions.create();
  const RegionIndex middle = regions.create(top);
  const RegionIndex leaf = regions.create(middle);
  const RegionIndex other = regions.create(top);
  RegionHistory history;
  CHECK(history.empty());
  const Index index = history.at(regions.tree(), leaf, top);
  CHECK(history.at(regions.tree(), leaf, top) == index);
  CHECK(history.entry(index).region == leaf);
  std::vector<RegionIndex> above;
  for (Index i = index; i != RegionHistory::kNone; i = history.entry(i).parent) {
    CHECK(history.entry(i).linked);
    above.push_back(history.entry(i).region);
  }
  CHECK(above == std::vector{leaf, middle, top});
  CHECK(history.find(regions.tree(), kRootRegion) == RegionHistory::kNone);
  CHECK(history.find(regions.tree(), other) == RegionHistory::kNone);
  CHECK(inside(history, regions.tree(), top) == std::set{top, middle, leaf});
  CHECK(inside(history, regions.tree(), middle) == std::set{middle, leaf});
  // The region encloses what the owner holds.
  CHECK(inside(history, regions.tree(), kRootRegion) == std::set{top, middle, leaf});
  CHECK(inside(history, regions.tree(), other).empty());
}

TEST_CASE("a writer of a region supersedes what is inside, and only that") {
  TestTasks tasks;
  TestRegions regions;
  const RegionIndex left = regions.create();
  const RegionIndex left_leaf = regions.create(left);
  const RegionIndex right = regions.create();
  RegionHistory history;
  for (const RegionIndex region : {left, left_leaf, right}) {
    Entry& entry = history.entry(history.at(regions.tree(), region, kRootRegion));
    entry.users.writer = tasks.make_ref();
    entry.users.group.add(tasks.make_ref());
    entry.below_writers.add(tasks.make_ref());
    entry.below_readers.add(tasks.make_ref());
  }
  history.supersede(history.at(regions.tree(), left, kRootRegion));
  CHECK(inside(history, regions.tree(), left) == std::set{left});
  CHECK(inside(history, regions.tree(), kRootRegion) == std::set{kRootRegion, left, right});
  const Entry& entry = history.entry(history.find(regions.tree(), left));
  CHECK_FALSE(entry.users.writer);
  CHECK(entry.users.group.empty());
  CHECK(entry.below_writers.empty());
  CHECK(entry.below_readers.empty());
  CHECK(history.entry(history.find(regions.tree(), right)).users.writer);
  // What was let go comes back empty.
  const Entry& leaf = history.entry(history.at(regions.tree(), left_leaf, kRootRegion));
  CHECK(leaf.linked);
  CHECK_FALSE(leaf.users.writer);
  CHECK(inside(history, regions.tree(), left) == std::set{left, left_leaf});
}

TEST_CASE("an entry of a freed region does not speak for its successor") {
  TestTasks tasks;
  TestRegions regions;
  const RegionIndex left = regions.create();
  const RegionIndex right = regions.create();
  const RegionIndex old_leaf = regions.create(left);
  RegionHistory history;
  history.entry(history.at(regions.tree(), old_leaf, kRootRegion)).users.writer = tasks.make_ref();
  static_cast<void>(history.at(regions.tree(), right, kRootRegion));
  regions.destroy(old_leaf);
  const RegionIndex leaf = regions.create(right);
  REQUIRE(leaf == old_leaf);
  CHECK(history.find(regions.tree(), leaf) == RegionHistory::kNone);
  const Entry& entry = history.entry(history.at(regions.tree(), leaf, kRootRegion));
  CHECK_FALSE(entry.users.writer);
  CHECK(history.entry(entry.parent).region == right);
  CHECK(inside(history, regions.tree(), left) == std::set{left});
  CHECK(inside(history, regions.tree(), right) == std::set{right, leaf});
}

TEST_CASE("the children of a freed region's entry are let go") {
  TestTasks tasks;
  TestRegions regions;
  const RegionIndex old_region = regions.create();
  const RegionIndex inner = regions.create(old_region);
  const RegionIndex leaf = regions.create(inner);
  RegionHistory history;
  history.entry(history.at(regions.tree(), leaf, kRootRegion)).users.writer = tasks.make_ref();
  regions.destroy(old_region);
  const RegionIndex fresh = regions.create();
  REQUIRE(fresh == old_region);
  CHECK_FALSE(history.entry(history.at(regions.tree(), fresh, kRootRegion)).users.writer);
  CHECK(inside(history, regions.tree(), fresh) == std::set{fresh});
  CHECK(inside(history, regions.tree(), kRootRegion) == std::set{kRootRegion, fresh});
}

TEST_CASE("an entry stands alone where the owner holds no region") {
  TestTasks tasks;
  TestRegions regions;
  const RegionIndex outer = regions.create();
  const RegionIndex region = regions.create(outer);
  RegionHistory history;
  const Index index = history.alone(regions.tree(), region);
  history.entry(index).below_writers.add(tasks.make_ref());
  CHECK_FALSE(history.entry(index).linked);
  CHECK(history.entry(index).parent == RegionHistory::kNone);
  CHECK(history.alone(regions.tree(), region) == index);
  CHECK(history.find(regions.tree(), region) == index);
  CHECK(inside(history, regions.tree(), outer) == std::set{region});
  CHECK(inside(history, regions.tree(), region) == std::set{region});
  regions.destroy(region);
  const RegionIndex fresh = regions.create(outer);
  REQUIRE(fresh == region);
  CHECK(inside(history, regions.tree(), outer).empty());
  CHECK(history.entry(history.alone(regions.tree(), fresh)).below_writers.empty());
}

TEST_CASE("many regions, and none after clear") {
  TestRegions regions(2000);
  RegionHistory history;
  std::set<RegionIndex> all{kRootRegion};
  std::vector<RegionIndex> order{kRootRegion};
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 900; ++i) {
      const RegionIndex region = regions.create(order[i * 7 % order.size()]);
      order.push_back(region);
      all.insert(region);
      CHECK(history.entry(history.at(regions.tree(), region, kRootRegion)).region == region);
    }
    for (const RegionIndex region : order) {
      static_cast<void>(history.at(regions.tree(), region, kRootRegion));
    }
    CHECK(inside(history, regions.tree(), kRootRegion) == all);
    history.clear();
    CHECK(history.empty());
    CHECK(inside(history, regions.tree(), kRootRegion).empty());
  }
}

TEST_CASE("a history keeps memory for what it holds, not for what it held once") {
  constexpr RegionIndex kMany = 10'000;
  TestRegions regions(kMany + 1);
  RegionHistory history;
  std::vector<RegionIndex> all;
  for (RegionIndex i = 1; i < kMany; ++i) all.push_back(regions.create());
  for (const RegionIndex region : all) {
    static_cast<void>(history.at(regions.tree(), region, kRootRegion));
  }
  const std::size_t full = history.bytes();
  history.clear();
  for (int round = 0; round < 3; ++round) {
    static_cast<void>(history.at(regions.tree(), all.front(), kRootRegion));
    history.clear();
  }
  CHECK(history.bytes() < full / 100);
}
