// SPDX-License-Identifier: Apache-2.0
#include "plat/jitter.hpp"

#include <chrono>
#include <thread>

#include "plat/clock.hpp"

namespace myr::plat {

void Jitter::delay() {
  constexpr std::uint64_t kThousand = 1024;
  constexpr std::uint64_t kPausesMax = 512;
  constexpr std::uint64_t kSleepMaxUs = 100;
  calls_ += 1;
  if (!dice_.one_in(1 + calls_ / kThousand)) return;
  const std::uint64_t number = dice_.below(32);
  if (number == 0) {
    std::this_thread::sleep_for(std::chrono::microseconds(dice_.below(kSleepMaxUs)));
  } else if (number < 3) {
    std::this_thread::yield();
  } else if (number < 12) {
    for (std::uint64_t i = dice_.below(kPausesMax); i != 0; --i) cpu_relax();
  }
}

}  // namespace myr::plat
