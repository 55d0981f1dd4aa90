// SPDX-License-Identifier: Apache-2.0
#include "plat/cpu_distance.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/format.hpp"

namespace {

using namespace myr;
namespace fs = std::filesystem;

void write(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text << '\n';
}

// Two packages of two caches of two cores of two hardware threads: 0 to 15.
void make_computer(const fs::path& root) {
  const auto range = [](unsigned cpu, unsigned size) {
    return base::format("{}-{}", cpu / size * size, cpu / size * size + size - 1);
  };
  for (unsigned cpu = 0; cpu < 16; ++cpu) {
    const fs::path folder = root / base::format("cpu{}", cpu);
    write(folder / "topology/thread_siblings_list", range(cpu, 2));
    write(folder / "cache/index3/shared_cpu_list", range(cpu, 4));
    write(folder / "topology/core_siblings_list", range(cpu, 8));
  }
}

TEST_CASE("processors are as far apart as the lowest level that they share") {
  char name[] = "/tmp/myr-cpus-XXXXXX";
  const fs::path root = mkdtemp(name);
  make_computer(root);
  const auto at = [&](unsigned cpu) { return plat::read_cpu_place(root, cpu); };
  CHECK(plat::distance(at(4), at(5)) == plat::CpuPlace::kCore);
  CHECK(plat::distance(at(4), at(7)) == plat::CpuPlace::kCache);
  CHECK(plat::distance(at(4), at(1)) == plat::CpuPlace::kPackage);
  CHECK(plat::distance(at(4), at(12)) == plat::CpuPlace::kLevels);
  fs::remove_all(root);
}

TEST_CASE("processors that nothing is known of share nothing") {
  const plat::CpuPlace nowhere = plat::read_cpu_place("/nonexistent", 0);
  CHECK(plat::distance(nowhere, nowhere) == plat::CpuPlace::kLevels);
}

}  // namespace
