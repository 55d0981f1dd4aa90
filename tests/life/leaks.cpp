// SPDX-License-Identifier: Apache-2.0
//
// A program that is compiled for AddressSanitizer: what the library still has in the end is no
// leak.
#include <cstdio>
#include <myr/myr.hpp>

int main() {
  int x = 0;
  const auto nest = [](int& y) {
    int z = 0;
    myr::spawn([](int& inner) { inner = 1; }, myr::inout(z));
    myr::wait_all();
    y = z;
  };
  for (int i = 0; i < 100; ++i) myr::spawn(nest, myr::inout(x));
  myr::wait(myr::in(x));
  std::printf("%d\n", x);
}
