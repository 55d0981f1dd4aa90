// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/copies.hpp"

namespace myr::cluster::mpi {

void Copies::add(const Range& range, std::uint64_t version, Arrival arrival, Arrival first) {
  if (copies_.size() >= kCountMax) {
    copies_.erase_if([first](const Copy& copy) { return copy.arrival < first; });
  }
  copies_.set(range.address, range.address + range.bytes, {version, arrival});
}

}  // namespace myr::cluster::mpi
