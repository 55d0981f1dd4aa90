// SPDX-License-Identifier: Apache-2.0
//
// SanitizedMemory: the objects and regions of a program that is compiled with a sanitizer.
// AddressSanitizer takes a use of what is freed, or of what lies behind an object up to the next
// one, for a mistake; ThreadSanitizer's side asks which object an address is in, and in which
// region that is.
//
// Threads: any. The asking task holds the object or region, or waits for those that free
// it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "myr/myr.h"

namespace myr::runtime {

class SanitizedMemory {
 public:
  struct Object {
    std::uint64_t first = 0;
    std::size_t bytes = 0;  // what the program has asked for
    std::size_t room = 0;   // up to the next object
    myr_region region = MYR_ROOT;
    std::size_t block_bytes = 1;  // an order of some bytes holds for all of their block
    std::uint64_t number = 0;     // no other one has or had it

    [[nodiscard]] std::uint64_t end() const noexcept { return first + room; }
  };

  void add_region(myr_region region, myr_region parent);
  // It has been freed, with all that was in it.
  void remove_region(myr_region region);
  void add_object(Object object);
  // It has been freed. The memory may be another one's already.
  void remove_object(const Object& object);

  [[nodiscard]] std::optional<Object> find(std::uint64_t address) const;
  // The region, the one around it, and so on; the last is the root.
  [[nodiscard]] std::vector<myr_region> path_of(myr_region region) const;
  // What lies in memory that is there when the process ends is no leak.
  void tell_reachable() const;
  // The machine is gone with all that was in it.
  void clear();

 private:
  struct Region {
    myr_region parent;
    std::set<std::uint64_t> objects;  // by first bytes
    std::set<myr_region> inner;
  };
  using Objects = std::map<std::uint64_t, Object>;
  void erase_locked(Objects::iterator object);

  mutable std::mutex lock_;  // guards what follows; orders nothing in the program
  Objects objects_;          // by first bytes
  std::unordered_map<myr_region, Region> regions_;
  std::uint64_t object_count_ = 0;  // ever
  // What has been made unusable lies in here.
  std::uint64_t begin_ = ~std::uint64_t{0};
  std::uint64_t end_ = 0;
};

}  // namespace myr::runtime
