// SPDX-License-Identifier: Apache-2.0
#include "omp/observe.hpp"
#include "omp/wait.hpp"

namespace myr::omp {

void Mutex::lock_slow() noexcept {
  constexpr unsigned kTurns = 200;
  Resting resting(Rest::InTeam);
  const bool spins = !too_many_awake();
  for (unsigned turn = 0; spins && turn < kTurns; ++turn) {
    sync::spin_pause();
    if (word_.load(sync::relaxed) == kFree && try_lock()) return;
  }
  resting.falls_asleep();
  // [omp.mutex]
  while (word_.exchange(kWanted, sync::acquire) != kFree) sync::futex_wait(word_, kWanted);
}

}  // namespace myr::omp
