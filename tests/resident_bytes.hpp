// SPDX-License-Identifier: Apache-2.0
//
// What the memory of this process is, for tests that it does not grow.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <fstream>

namespace myr::tests {

// Bytes that are in memory now.
inline std::uint64_t resident_bytes() {
  std::ifstream status("/proc/self/statm");
  std::uint64_t total_pages = 0;
  std::uint64_t resident_pages = 0;
  status >> total_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace myr::tests
