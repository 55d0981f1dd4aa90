// SPDX-License-Identifier: Apache-2.0
//
// The C++ program of the install test: fills blocks of a region in parallel and adds them up. The
// program sum.c prints the same.
#include <cstdio>
#include <myr/myr.hpp>

constexpr int kBlockCount = 16;
constexpr int kBlockSize = 1000;

int main() {
  const myr::Region region = myr::Region::create();
  long total = 0;
  for (int block = 0; block < kBlockCount; ++block) {
    long* values = region.make_array<long>(kBlockSize);
    myr::spawn(
        [](long* first, int seed) {
          for (int i = 0; i < kBlockSize; ++i) first[i] = (seed + 1L) * i;
        },
        myr::out(values, kBlockSize), block);
    myr::spawn(
        [](const long* first, long& sum) {
          for (int i = 0; i < kBlockSize; ++i) sum += first[i];
        },
        myr::in(values, kBlockSize), myr::inout(total));
  }
  myr::wait(myr::in(total));
  std::printf("sum %ld\n", total);
  region.free();
}
