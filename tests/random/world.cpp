// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <algorithm>

namespace myr::random_test {

World::World() { add_region(kRootRegion, {kMainTask, 0}); }

unsigned World::add_region(unsigned parent, Birth birth) {
  parent_.push_back(parent);
  region_alive_.push_back(true);
  region_birth_.push_back(birth);
  return region_count() - 1;
}

unsigned World::add_object(unsigned region, unsigned words, Birth birth) {
  objects_.push_back({region, words});
  object_alive_.push_back(true);
  object_birth_.push_back(birth);
  return object_count() - 1;
}

void World::kill_region(unsigned region) {
  for (unsigned i = 0; i < object_count(); ++i) {
    const unsigned in = objects_[i].region;
    if (in != kNoRegion && region_inside(in, region)) object_alive_[i] = false;
  }
  for (unsigned i = 0; i < region_count(); ++i) {
    if (region_inside(i, region)) region_alive_[i] = false;
  }
}

unsigned World::live_object_count() const {
  return static_cast<unsigned>(std::count(object_alive_.begin(), object_alive_.end(), true));
}

unsigned World::depth(unsigned region) const {
  unsigned result = 0;
  for (; region != kRootRegion; region = parent_[region]) ++result;
  return result;
}

Target World::object_target(unsigned object) const {
  const ObjectPlan& plan = objects_[object];
  return {false, plan.region != kNoRegion, object, 0, plan.words};
}

bool World::region_inside(unsigned region, unsigned ancestor) const {
  while (region != ancestor && region != kRootRegion) region = parent_[region];
  return region == ancestor;
}

bool World::covers(const Target& outer, const Target& inner) const {
  if (outer.is_region) return home(inner) != kNoRegion && region_inside(home(inner), outer.index);
  if (inner.is_region || outer.index != inner.index) return false;
  if (inner.is_whole) return outer.is_whole;
  return outer.first <= inner.first && inner.first + inner.count <= outer.first + outer.count;
}

bool World::overlaps(const Target& a, const Target& b) const {
  if (a.is_region || b.is_region) {
    if (home(a) == kNoRegion || home(b) == kNoRegion) return false;
    return (a.is_region && region_inside(home(b), a.index)) ||
           (b.is_region && region_inside(home(a), b.index));
  }
  return a.index == b.index && a.first < b.first + b.count && b.first < a.first + a.count;
}

}  // namespace myr::random_test
