// SPDX-License-Identifier: Apache-2.0
#include "transport/mpi/bell.hpp"

#include <doctest/doctest.h>

#include <thread>

#include "sync/atomic.hpp"

namespace myr::transport::mpi {
namespace {

constexpr std::uint64_t kLongNs = 600'000'000'000;

// Rings until a nap of so long is over.
void wake(Bell& bell, Bell::Sleeper who) {
  sync::Atomic<bool> is_over{false};
  std::thread sleeper([&] {
    bell.nap(who, bell.rings(), kLongNs);
    is_over.store(true, sync::release);
  });
  while (!is_over.load(sync::acquire)) bell.ring();
  sleeper.join();
}

TEST_CASE("bell: a ring ends naps") {
  Bell bell{};
  wake(bell, Bell::kWaiter);
  wake(bell, Bell::kHelper);
}

TEST_CASE("bell: a ring while the helper rests is for who waits") {
  Bell bell{};
  bell.let_helper_rest(true);
  wake(bell, Bell::kWaiter);
  CHECK(bell.helper_rests());
  bell.let_helper_rest(false);
  wake(bell, Bell::kHelper);
}

TEST_CASE("bell: who has heard less than there was does not nap") {
  Bell bell{};
  const std::uint32_t heard = bell.rings();
  bell.ring();
  bell.nap(Bell::kWaiter, heard, kLongNs);
  CHECK(bell.rings() == heard + 1);
}

}  // namespace
}  // namespace myr::transport::mpi
