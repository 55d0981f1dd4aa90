// SPDX-License-Identifier: Apache-2.0
//
// A function returns a structure. gcc does not report the bytes that it writes, clang does.
#include <cstdio>
#include <myr/myr.hpp>

using namespace myr;

namespace {
struct Three {
  long a, b, c;
};
[[gnu::noinline]] Three make(long number) { return {number, number, number}; }
}  // namespace

int main() {
  Three all[4] = {};
  for (long i = 0; i < 4; ++i) spawn([i](Three& one) { one = make(i); }, out(all[i]));
  wait_all();
  std::printf("%ld\n", all[3].c);
}
