// SPDX-License-Identifier: Apache-2.0
//
// A std::pmr::memory_resource of a region: containers live there.
//
//   myr::OwnedRegion graph;
//   auto* nodes = graph.make<std::pmr::vector<Node>>(myr::make_resource(graph));
#pragma once

#include <myr/cxx20.hpp>

#include <cstddef>
#include <cstdlib>
#include <memory_resource>
#include <myr/region.hpp>
#include <new>

namespace myr::inline v0 {

namespace detail {

class RegionResource final : public std::pmr::memory_resource {
 public:
  RegionResource(Region region, const void* site) noexcept
      : region_(region), site_(static_cast<const myr_site*>(site)) {}

 private:
  // An allocation of no bytes has a pointer of its own, too.
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (alignment > kAlignmentMax) refuse();
    return detail::allocate(bytes == 0 ? 1 : bytes, 0, region_.id(), site_);
  }
  void do_deallocate(void* memory, std::size_t, std::size_t) override {
    myr_free_at(memory, site_);
  }
  [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override {
    return this == &other;
  }
  static void refuse() {
#if defined(__cpp_exceptions)
    throw std::bad_alloc();
#else
    std::abort();
#endif
  }

  static constexpr std::size_t kAlignmentMax = 64;

  Region region_;
  const myr_site* site_;
};

}  // namespace detail

// A resource that allocates in the region, and lives there as long as the region does. Tasks that
// use it hold the region for writing, as all that allocate there. Objects have 64 bytes or more
// each.
[[nodiscard]] inline std::pmr::memory_resource* make_resource(
    Region region, const void* site = __builtin_source_location()) {
  return region.make<detail::RegionResource>(region, site);
}

}  // namespace myr::inline v0
