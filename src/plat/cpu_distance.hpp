// SPDX-License-Identifier: Apache-2.0
//
// Where processors are, by what Linux says of each: which of them share a core, a cache, a package.
#pragma once

#include <array>
#include <string>

namespace myr::plat {

// Processors with the same list share the level. Empty: unknown, as in some sandboxes.
struct CpuPlace {
  enum Level : unsigned { kCore, kCache, kPackage, kLevels };
  std::array<std::string, kLevels> sharers;
};

// `root` stands for /sys/devices/system/cpu. Cost: three files are read.
[[nodiscard]] CpuPlace read_cpu_place(const std::string& root, unsigned cpu);
[[nodiscard]] CpuPlace cpu_place(unsigned cpu);

// The lowest level that both share; CpuPlace::kLevels: none that is known.
[[nodiscard]] unsigned distance(const CpuPlace& one, const CpuPlace& other) noexcept;

}  // namespace myr::plat
