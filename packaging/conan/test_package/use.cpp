// SPDX-License-Identifier: Apache-2.0
//
// The smallest program with tasks: two of them, one behind the other.
#include <myr/myr.hpp>

int main() {
  int x = 1;
  myr::spawn([](int& y) { y += 20; }, myr::inout(x));
  myr::spawn([](int& y) { y *= 2; }, myr::inout(x));
  myr::wait(myr::in(x));
  return x == 42 ? 0 : 1;
}
