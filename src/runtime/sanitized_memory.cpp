// SPDX-License-Identifier: Apache-2.0
#include "runtime/sanitized_memory.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/sanitizers.hpp"

namespace myr::runtime {

namespace {

const std::byte* at(std::uint64_t address) { return reinterpret_cast<const std::byte*>(address); }

class Holding {
 public:
  explicit Holding(std::mutex& lock) : held_(lock) {}

 private:
  base::InLibrary in_library_;  // from before the lock until behind it
  std::scoped_lock<std::mutex> held_;
};

}  // namespace

void SanitizedMemory::add_region(myr_region region, myr_region parent) {
  const Holding holding(lock_);
  regions_[parent].inner.insert(region);
  regions_[region].parent = parent;
}

void SanitizedMemory::remove_region(myr_region region) {
  const Holding holding(lock_);
  if (const auto found = regions_.find(region); found != regions_.end()) {
    if (const auto above = regions_.find(found->second.parent); above != regions_.end()) {
      above->second.inner.erase(region);
    }
  }
  for (std::vector<myr_region> left{region}; !left.empty();) {
    const auto found = regions_.find(left.back());
    left.pop_back();
    if (found == regions_.end()) continue;
    const Region gone = std::move(found->second);
    regions_.erase(found);
    for (const std::uint64_t first : gone.objects) {
      const auto object = objects_.find(first);
      base::tell_unusable(at(first), object->second.room);
      objects_.erase(object);
    }
    left.insert(left.end(), gone.inner.begin(), gone.inner.end());
  }
}

void SanitizedMemory::add_object(Object object) {
  const Holding holding(lock_);
  const std::uint64_t end = object.first + object.room;
  // What was there has been freed, and is about to be removed.
  auto old = objects_.lower_bound(object.first);
  if (old != objects_.begin() && std::prev(old)->second.end() > object.first) --old;
  while (old != objects_.end() && old->first < end) erase_locked(old++);
  object.number = ++object_count_;
  objects_[object.first] = object;
  regions_[object.region].objects.insert(object.first);
  begin_ = std::min(begin_, object.first);
  end_ = std::max(end_, end);
  base::tell_new_memory(at(object.first), object.bytes);
  base::tell_usable(at(object.first), object.bytes);
  base::tell_unusable(at(object.first + object.bytes), object.room - object.bytes);
}

void SanitizedMemory::erase_locked(Objects::iterator object) {
  if (const auto in = regions_.find(object->second.region); in != regions_.end()) {
    in->second.objects.erase(object->first);
  }
  objects_.erase(object);
}

void SanitizedMemory::remove_object(const Object& object) {
  const Holding holding(lock_);
  const auto found = objects_.find(object.first);
  if (found == objects_.end() || found->second.number != object.number) return;
  base::tell_unusable(at(object.first), object.room);
  erase_locked(found);
}

std::optional<SanitizedMemory::Object> SanitizedMemory::find(std::uint64_t address) const {
  const Holding holding(lock_);
  auto behind = objects_.upper_bound(address);
  if (behind == objects_.begin()) return {};
  const Object& object = (--behind)->second;
  if (address - object.first >= object.room) return {};
  return object;
}

std::vector<myr_region> SanitizedMemory::path_of(myr_region region) const {
  const Holding holding(lock_);
  std::vector<myr_region> path{region};
  while (path.back() != MYR_ROOT) {
    const auto found = regions_.find(path.back());
    path.push_back(found == regions_.end() ? MYR_ROOT : found->second.parent);
  }
  return path;
}

void SanitizedMemory::tell_reachable() const {
  const Holding holding(lock_);
  for (const auto& [first, object] : objects_) base::tell_reachable(at(first), object.bytes);
}

void SanitizedMemory::clear() {
  const Holding holding(lock_);
  objects_.clear();
  regions_.clear();
  if (begin_ < end_) base::tell_usable(at(begin_), end_ - begin_);
  begin_ = ~std::uint64_t{0};
  end_ = 0;
}

}  // namespace myr::runtime
