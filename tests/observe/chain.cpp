// SPDX-License-Identifier: Apache-2.0
//
// Tasks of which each waits for the one before, however many workers there are.
#include <myr/myr.hpp>

int main() {
  constexpr int kTasks = 50;
  constexpr long kSteps = 500'000;
  double x = 1;
  const auto work = [](double& y) {
    for (long i = 0; i < kSteps; ++i) y = y * 0.999 + 1;
  };
  for (int i = 0; i < kTasks; ++i) myr::spawn(work, myr::inout(x));
  myr::wait(myr::in(x));
  return x > 0 ? 0 : 1;
}
