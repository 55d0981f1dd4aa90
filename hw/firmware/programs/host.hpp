// SPDX-License-Identifier: Apache-2.0
//
// In the place of platform.h, on the host.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

inline uint64_t cycle_count() { return 0; }
inline void print_text(const char* text) { fputs(text, stdout); }
inline void print_number(uint64_t number) {
  printf("%llu", static_cast<unsigned long long>(number));
}
inline void print_hex(uint64_t number) { printf("%llx", static_cast<unsigned long long>(number)); }
inline void* allocate(size_t bytes) {
  void* const memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == nullptr) abort();
  return memory;
}
extern "C" int firmware_main(void);
int main() { return firmware_main(); }
