// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/copies.hpp"

namespace myr::cluster::mpi {

void Copies::add(const Range& range, std::uint64_t version) {
  if (copies_.size() >= kCountMax) copies_.clear();
  copies_.set(range.address, range.address + range.bytes, version);
}

bool Copies::have(const Range& range, std::uint64_t version) const {
  std::uint64_t begin = range.address;
  const std::uint64_t end = range.address + range.bytes;
  copies_.visit(begin, end, [&](std::uint64_t first, std::uint64_t behind, std::uint64_t has) {
    if (first != begin || has != version) return false;
    begin = behind;
    return true;
  });
  return begin == end;
}

}  // namespace myr::cluster::mpi
