// SPDX-License-Identifier: Apache-2.0
#include "engine/pins.hpp"

#include <algorithm>

#include "plat/thread.hpp"

namespace myr::engine {

Pins::Pins(unsigned worker_count) {
  const std::vector<unsigned> usable = plat::usable_cpus();
  for (unsigned i = 0; i < worker_count; ++i) {
    cpus_.push_back(usable[i % usable.size()]);
    places_.push_back(i < usable.size() ? plat::cpu_place(cpus_[i]) : places_[i - usable.size()]);
  }
}

void Pins::bind(unsigned worker) const noexcept {
  if (!cpus_.empty()) static_cast<void>(plat::pin_this_thread(cpus_[worker]));
}

void Pins::bind_main() noexcept {
  is_main_bound_ = !cpus_.empty() && before_.read();
  if (is_main_bound_) bind(0);
}

void Pins::release() noexcept {
  if (is_main_bound_) static_cast<void>(before_.apply());
  is_main_bound_ = false;
}

std::vector<std::uint16_t> Pins::nearest(unsigned worker) const {
  return cpus_.empty() ? std::vector<std::uint16_t>() : nearest_first(places_, worker);
}

std::vector<std::uint16_t> nearest_first(std::span<const plat::CpuPlace> places, unsigned from) {
  const auto count = static_cast<unsigned>(places.size());
  std::vector<unsigned> far(count);
  std::vector<std::uint16_t> order;
  for (unsigned i = 1; i <= count; ++i) {
    const unsigned other = (from + i) % count;
    far[other] = plat::distance(places[from], places[other]);
    order.push_back(static_cast<std::uint16_t>(other));
  }
  std::stable_sort(order.begin(), order.end() - 1,
                   [&](unsigned one, unsigned other) { return far[one] < far[other]; });
  return order;
}

}  // namespace myr::engine
