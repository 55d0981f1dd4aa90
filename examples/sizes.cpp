// SPDX-License-Identifier: Apache-2.0
//
// From docs/tutorial/7-speed.md: the same work in tasks of a size that the command line gives.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <myr/myr.hpp>
#include <span>
#include <vector>

void step(std::span<double> part) {
  for (double& x : part) x = x * 0.5 + 1;
}

int main(int argc, char** argv) {
  std::vector<double> values(1'000'000);
  const std::size_t size = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 20'000;
  for (int steps = 0; steps < 20; ++steps) {
    for (std::size_t first = 0; first + size <= values.size(); first += size) {
      myr::spawn(step, myr::inout(std::span(values).subspan(first, size)));
    }
  }
  myr::wait_all();
  std::printf("%.6f\n", values[0]);
}
