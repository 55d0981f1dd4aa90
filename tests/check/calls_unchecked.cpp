// SPDX-License-Identifier: Apache-2.0
//
// Tasks call code of an object file whose accesses are not reported.
#include <cstdio>
#include <myr/myr.hpp>

extern int hidden_sum;
void add_in_secret(int number);

int main() {
  for (int i = 0; i < 4; ++i) myr::spawn([i] { add_in_secret(i); });
  myr::wait_all();
  std::printf("%d\n", hidden_sum);
}
