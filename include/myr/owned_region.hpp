// SPDX-License-Identifier: Apache-2.0
//
// A region with an owner: a part of myr.hpp.
//
//   myr::OwnedRegion tree;
//   Node* root = tree.make<Node>();
//   myr::spawn(grow, myr::inout(tree), root, 16);   // the task gets a Region
//                                                   // } waits, destroys, frees
#pragma once

#include <myr/cxx20.hpp>

#include <myr/region.hpp>
#include <utility>

namespace myr::inline v0 {

// Frees its region when its own life ends: after the tasks that use it, and with the destructors of
// all that was made in it and in regions inside, the last first. It can be moved, not copied; a
// copy of the Region that it is copies only the handle.
class OwnedRegion : public Region {
 public:
  explicit OwnedRegion(Region parent = root(), int level_hint = 0,
                       const void* site = __builtin_source_location())
      : Region(create(parent, level_hint, site)), site_(site) {}
  OwnedRegion(OwnedRegion&& other) noexcept : Region(other.release()), site_(other.site_) {}
  OwnedRegion& operator=(OwnedRegion&& other) noexcept {
    OwnedRegion(std::move(other)).swap(*this);
    return *this;
  }
  OwnedRegion(const OwnedRegion&) = delete;
  OwnedRegion& operator=(const OwnedRegion&) = delete;
  ~OwnedRegion() { Region::free(site_); }

  // Earlier.
  void free(const void* site = __builtin_source_location()) { release().free(site); }
  // From now on it owns nothing, and the region is the caller's to free.
  [[nodiscard]] Region release() noexcept {
    return std::exchange(static_cast<Region&>(*this), Region());
  }
  [[nodiscard]] Region region() const noexcept { return *this; }

 private:
  void swap(OwnedRegion& other) noexcept {
    std::swap(static_cast<Region&>(*this), static_cast<Region&>(other));
    std::swap(site_, other.site_);
  }

  const void* site_;  // where it was made: for messages
};

}  // namespace myr::inline v0
