// SPDX-License-Identifier: Apache-2.0
//
// The region space of a test program; a process has one.
#pragma once

#include <doctest/doctest.h>

#include "graph/region_space.hpp"

namespace myr::graph {

inline RegionSpace& test_space() {
  static const std::unique_ptr<RegionSpace> space = [] {
    auto made = RegionSpace::create();
    if (!made) FAIL(made.error().text);
    return std::move(*made);
  }();
  return *space;
}

// A region for one test case.
class TestRegion {
 public:
  explicit TestRegion(deps::RegionIndex parent = deps::kRootRegion)
      : index_(test_space().create_region(parent)) {
    REQUIRE(index_ != deps::kNoRegion);
  }
  ~TestRegion() { free(); }
  TestRegion(const TestRegion&) = delete;
  TestRegion& operator=(const TestRegion&) = delete;

  [[nodiscard]] deps::RegionIndex index() const noexcept { return index_; }
  [[nodiscard]] myr_region id() const noexcept { return test_space().tree().id_of(index_); }
  // An object of exactly that size, if it is a multiple of 64.
  [[nodiscard]] char* make(std::size_t bytes) const {
    void* object = mem::Heap::instance().alloc(test_space().pool(index_), bytes);
    REQUIRE(object != nullptr);
    return static_cast<char*>(object);
  }
  void free(void* object) const {
    static_cast<void>(mem::Heap::instance().free(test_space().pool(index_), object));
  }
  // Ends the region before the test case does.
  void free() {
    if (index_ != deps::kNoRegion) test_space().destroy_region(index_);
    index_ = deps::kNoRegion;
  }

 private:
  deps::RegionIndex index_;
};

}  // namespace myr::graph
