// SPDX-License-Identifier: Apache-2.0
#include "trace/clock.hpp"

namespace myr::trace {

std::uint64_t Clock::ns(std::uint64_t ticks) const noexcept {
  if (ticks <= start_ticks) return 0;
  if (ticks >= end_ticks) return elapsed_ns;
  const auto rate = static_cast<double>(elapsed_ns) / static_cast<double>(end_ticks - start_ticks);
  return static_cast<std::uint64_t>(static_cast<double>(ticks - start_ticks) * rate);
}

}  // namespace myr::trace
