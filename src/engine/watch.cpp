// SPDX-License-Identifier: Apache-2.0
#include "engine/watch.hpp"

#include <algorithm>
#include <utility>

#include "engine/engine.hpp"

namespace myr::engine {

void Watch::stop() {
  stopping_.store(1, sync::relaxed);
  sync::futex_wake(stopping_, 1);
}

void Watch::loop() {
  while (stopping_.load(sync::relaxed) == 0) plat::futex_wait(&stopping_, 0, look());
}

std::uint64_t Watch::look() {
  std::uint64_t steps = 0;
  std::uint32_t ready = engine_.common().has_some() ? 1 : 0;
  for (unsigned i = 0; i < engine_.queue_count(); ++i) {
    steps += engine_.worker(i).steps();
    ready += engine_.worker(i).ready_hint();
  }
  const bool has_moved = std::exchange(steps_, steps) != steps;
  if (ready != 0 && !has_moved) engine_.sleepers().call_one();
  nap_ns_ = ready != 0 || has_moved ? kNapMinNs : std::min(2 * nap_ns_, kNapMaxNs);
  return nap_ns_;
}

}  // namespace myr::engine
