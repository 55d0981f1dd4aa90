// SPDX-License-Identifier: Apache-2.0
#include "plat/cpu_quota.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>

namespace myr::plat {
namespace {

// Processors for `quota` of each `period` microseconds; 0: no limit.
unsigned processors_of(std::int64_t quota, std::int64_t period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<unsigned>(std::clamp<std::int64_t>((quota - 1) / period + 1, 1, UINT32_MAX));
}

// "QUOTA PERIOD" or "max PERIOD". A word that is no number leaves 0.
unsigned quota_of_version_2(const std::string& folder) {
  std::ifstream file(folder + "/cpu.max");
  std::int64_t quota = 0;
  std::int64_t period = 0;
  file >> quota >> period;
  return file.fail() ? 0 : processors_of(quota, period);
}

unsigned quota_of_version_1(const std::string& folder) {
  std::ifstream quota_file(folder + "/cpu.cfs_quota_us");
  std::ifstream period_file(folder + "/cpu.cfs_period_us");
  std::int64_t quota = 0;
  std::int64_t period = 0;
  quota_file >> quota;
  period_file >> period;
  return quota_file.fail() || period_file.fail() ? 0 : processors_of(quota, period);
}

unsigned tighter(unsigned a, unsigned b) {
  if (a == 0 || b == 0) return std::max(a, b);
  return std::min(a, b);
}

// The tightest limit of a group and those around it. In a container the upper part of the path may
// lie outside of what is mounted; then only the mount itself is there.
template <class QuotaOf>
unsigned tightest(const std::string& mount, std::string path, QuotaOf&& quota_of) {
  unsigned tightest = 0;
  for (;;) {
    tightest = tighter(tightest, quota_of(mount + path));
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return tightest;
    path.resize(slash);
  }
}

bool has_cpu(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

}  // namespace

unsigned cpu_quota(const std::string& proc_cgroup, const std::string& mount) {
  unsigned quota = 0;
  std::ifstream groups(proc_cgroup);
  // HIERARCHY:CONTROLLERS:PATH; version 2 has no controllers there.
  for (std::string line; std::getline(groups, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      quota = tighter(quota, tightest(mount, path, quota_of_version_2));
    } else if (has_cpu(controllers)) {
      quota = tighter(quota, tightest(mount + "/cpu", path, quota_of_version_1));
      quota = tighter(quota, tightest(mount + "/cpu,cpuacct", path, quota_of_version_1));
    }
  }
  return quota;
}

}  // namespace myr::plat
