// SPDX-License-Identifier: Apache-2.0
//
// Pi by chance: each part of the loop draws its own random numbers.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <myr/myr.hpp>

// The random number of a sample follows from its number alone (SplitMix64).
double random(std::uint64_t number) {
  std::uint64_t x = (number + 1) * 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<double>((x ^ (x >> 31)) >> 11) / 9007199254740992.0;
}

int main() {
  constexpr std::uint64_t kSamples = 2'000'000;
  long inside = 0;
  myr::reduce_each(myr::range(kSamples), myr::reduce(inside, std::plus<>()), [](auto i) {
    const double x = random(2 * i);
    const double y = random(2 * i + 1);
    return x * x + y * y < 1 ? 1L : 0L;
  });
  myr::wait(myr::in(inside));
  std::printf("pi is about %.5f\n", 4.0 * static_cast<double>(inside) / kSamples);
}
