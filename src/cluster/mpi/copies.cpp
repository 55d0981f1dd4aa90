// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/copies.hpp"

#include <algorithm>
#include <iterator>

namespace myr::cluster::mpi {

// Takes the range out of all copies.
void Copies::cut(const Range& range) {
  const std::uint64_t begin = range.address;
  const std::uint64_t end = range.address + range.bytes;
  auto copy = copies_.lower_bound(begin);
  if (copy != copies_.begin() && std::prev(copy)->second.end > begin) --copy;
  while (copy != copies_.end() && copy->first < end) {
    const std::uint64_t first = copy->first;
    const Copy old = copy->second;
    copy = copies_.erase(copy);
    if (first < begin) copies_.emplace(first, Copy{begin, old.version});
    if (old.end > end) copies_.emplace(end, Copy{old.end, old.version});
  }
}

void Copies::add(const Range& range, std::uint64_t version) {
  if (range.bytes == 0) return;
  if (copies_.size() >= kCountMax) copies_.clear();
  cut(range);
  copies_.emplace(range.address, Copy{range.address + range.bytes, version});
}

bool Copies::have(const Range& range, std::uint64_t version) const {
  std::uint64_t begin = range.address;
  const std::uint64_t end = range.address + range.bytes;
  while (begin < end) {
    auto copy = copies_.upper_bound(begin);
    if (copy == copies_.begin()) return false;
    --copy;
    if (copy->second.end <= begin || copy->second.version != version) return false;
    begin = copy->second.end;
  }
  return true;
}

}  // namespace myr::cluster::mpi
