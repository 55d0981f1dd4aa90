// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/core_copies.hpp"

#include <algorithm>
#include <cstring>

#include "base/sanitizers.hpp"

namespace myr::cluster::master {

namespace {

std::byte* memory_at(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

// Appends what memory has. Returns where.
std::size_t append(std::vector<std::byte>& bytes, std::uint64_t begin, std::uint64_t end) {
  const std::size_t place = bytes.size();
  base::tell_usable(memory_at(begin), end - begin);  // of an object, what lies behind it, too
  bytes.insert(bytes.end(), memory_at(begin), memory_at(end));
  return place;
}

}  // namespace

void CoreCopies::begin(const std::vector<Extent>& extents) {
  extents_ = extents;
  hidden_.clear();
  hidden_bytes_.clear();
  for (const Extent& extent : extents_) {
    if (!extent.writes && copies_.empty()) continue;
    const std::size_t place = append(hidden_bytes_, extent.begin, extent.end);
    hidden_.push_back({.begin = extent.begin, .end = extent.end, .place = place});
  }
  for (const Copy& copy : copies_) {
    for (const Extent& extent : extents_) {
      const std::uint64_t begin = std::max(copy.begin, extent.begin);
      const std::uint64_t end = std::min(copy.end, extent.end);
      if (begin >= end) continue;
      std::memcpy(memory_at(begin), &bytes_[copy.place + (begin - copy.begin)], end - begin);
    }
  }
}

void CoreCopies::end() {
  for (const Extent& extent : extents_) {
    const std::size_t place = append(bytes_, extent.begin, extent.end);
    copies_.push_back({extent.begin, extent.end, place, extent.writes});
  }
  for (const Copy& copy : hidden_) {
    std::memcpy(memory_at(copy.begin), &hidden_bytes_[copy.place], copy.end - copy.begin);
  }
}

void CoreCopies::flush() {
  for (Copy& copy : copies_) {
    if (!copy.is_dirty) continue;
    std::memcpy(memory_at(copy.begin), &bytes_[copy.place], copy.end - copy.begin);
    copy.is_dirty = false;
  }
}

}  // namespace myr::cluster::master
