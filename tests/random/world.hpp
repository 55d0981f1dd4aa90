// SPDX-License-Identifier: Apache-2.0
//
// The memory of a random program while it is generated, in serial order: which regions and objects
// exist, who made them when, and how targets lie in each other.
#pragma once

#include <vector>

#include "program.hpp"

namespace myr::random_test {

// When something came to be: in which task, and at which point of the serial order.
struct Birth {
  unsigned task;
  unsigned time;
};

class World {
 public:
  World();

  unsigned add_region(unsigned parent, Birth birth);
  unsigned add_object(unsigned region, unsigned words, Birth birth);
  void kill_object(unsigned object) { object_alive_[object] = false; }
  void kill_region(unsigned region);  // with everything in it

  [[nodiscard]] unsigned region_count() const { return static_cast<unsigned>(parent_.size()); }
  [[nodiscard]] unsigned object_count() const { return static_cast<unsigned>(objects_.size()); }
  [[nodiscard]] unsigned live_object_count() const;
  [[nodiscard]] bool region_alive(unsigned region) const { return region_alive_[region]; }
  [[nodiscard]] bool object_alive(unsigned object) const { return object_alive_[object]; }
  [[nodiscard]] const ObjectPlan& object(unsigned index) const { return objects_[index]; }
  [[nodiscard]] unsigned parent(unsigned region) const { return parent_[region]; }
  [[nodiscard]] unsigned depth(unsigned region) const;
  [[nodiscard]] Birth region_birth(unsigned region) const { return region_birth_[region]; }
  [[nodiscard]] Birth object_birth(unsigned object) const { return object_birth_[object]; }
  [[nodiscard]] const std::vector<unsigned>& region_parents() const { return parent_; }
  [[nodiscard]] const std::vector<ObjectPlan>& objects() const { return objects_; }

  [[nodiscard]] Target region_target(unsigned region) const { return {true, true, region, 0, 0}; }
  // A whole object; all words of it if it is unmanaged, where only ranges exist.
  [[nodiscard]] Target object_target(unsigned object) const;

  [[nodiscard]] bool region_inside(unsigned region, unsigned ancestor) const;
  [[nodiscard]] bool covers(const Target& outer, const Target& inner) const;
  [[nodiscard]] bool overlaps(const Target& a, const Target& b) const;

 private:
  [[nodiscard]] unsigned home(const Target& target) const {
    return target.is_region ? target.index : objects_[target.index].region;
  }

  std::vector<unsigned> parent_;
  std::vector<bool> region_alive_;
  std::vector<Birth> region_birth_;
  std::vector<ObjectPlan> objects_;
  std::vector<bool> object_alive_;
  std::vector<Birth> object_birth_;
};

}  // namespace myr::random_test
