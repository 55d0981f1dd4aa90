// SPDX-License-Identifier: Apache-2.0
#include "plat/cpu_distance.hpp"

#include <fstream>

#include "base/format.hpp"

namespace myr::plat {

CpuPlace read_cpu_place(const std::string& root, unsigned cpu) {
  static constexpr const char* kFiles[CpuPlace::kLevels] = {"topology/thread_siblings_list",
                                                            "cache/index3/shared_cpu_list",
                                                            "topology/core_siblings_list"};
  CpuPlace place;
  for (unsigned level = 0; level < CpuPlace::kLevels; ++level) {
    std::ifstream file(base::format("{}/cpu{}/{}", root, cpu, kFiles[level]));
    std::getline(file, place.sharers[level]);
  }
  return place;
}

CpuPlace cpu_place(unsigned cpu) { return read_cpu_place("/sys/devices/system/cpu", cpu); }

unsigned distance(const CpuPlace& one, const CpuPlace& other) noexcept {
  unsigned level = 0;
  while (level < CpuPlace::kLevels &&
         (one.sharers[level].empty() || one.sharers[level] != other.sharers[level])) {
    ++level;
  }
  return level;
}

}  // namespace myr::plat
