// SPDX-License-Identifier: Apache-2.0
#include "plat/cpu_quota.hpp"

#include <algorithm>
#include <cinttypes>
#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "plat/cpu_mask.hpp"

namespace myr::plat {
namespace {

// Processors for `quota` of each `period` microseconds; 0: no limit.
unsigned processors_of(std::int64_t quota, std::int64_t period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<unsigned>(std::clamp<std::int64_t>((quota - 1) / period + 1, 1, UINT32_MAX));
}

// Closes a file.
struct Close {
  void operator()(std::FILE* file) const noexcept { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;
File open(const std::string& path) { return File(std::fopen(path.c_str(), "re")); }

// "QUOTA PERIOD" or "max PERIOD".
unsigned quota_of_version_2(const std::string& folder) {
  const File file = open(folder + "/cpu.max");
  std::int64_t quota = 0;
  std::int64_t period = 0;
  if (file == nullptr || std::fscanf(file.get(), "%" SCNd64 " %" SCNd64, &quota, &period) != 2) {
    return 0;
  }
  return processors_of(quota, period);
}

// 0: there is none.
std::int64_t number_in(const std::string& path) {
  const File file = open(path);
  std::int64_t number = 0;
  const bool has_number = file != nullptr && std::fscanf(file.get(), "%" SCNd64, &number) == 1;
  return has_number ? number : 0;
}

unsigned quota_of_version_1(const std::string& folder) {
  return processors_of(number_in(folder + "/cpu.cfs_quota_us"),
                       number_in(folder + "/cpu.cfs_period_us"));
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

bool has_cpu(std::string_view controllers) {
  while (!controllers.empty()) {
    const std::string_view name = controllers.substr(0, controllers.find(','));
    if (name == "cpu") return true;
    controllers.remove_prefix(std::min(controllers.size(), name.size() + 1));
  }
  return false;
}

// HIERARCHY:CONTROLLERS:PATH; version 2 has no controllers there.
unsigned quota_of_line(std::string_view line, const std::string& mount) {
  const std::size_t first = line.find(':');
  const std::size_t second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return 0;
  const std::string_view controllers = line.substr(first + 1, second - first - 1);
  const std::string path(line.substr(second + 1));
  if (controllers.empty()) return tightest(mount, path, quota_of_version_2);
  if (!has_cpu(controllers)) return 0;
  return tighter(tightest(mount + "/cpu", path, quota_of_version_1),
                 tightest(mount + "/cpu,cpuacct", path, quota_of_version_1));
}

}  // namespace

unsigned cpu_quota(const std::string& proc_cgroup, const std::string& mount) {
  const File groups = open(proc_cgroup);
  unsigned quota = 0;
  char line[PATH_MAX];
  while (groups != nullptr && std::fgets(line, sizeof line, groups.get()) != nullptr) {
    line[std::strcspn(line, "\n")] = 0;
    quota = tighter(quota, quota_of_line(line, mount));
  }
  return quota;
}

unsigned usable_cpu_count() {
  static const unsigned quota = cpu_quota("/proc/self/cgroup", "/sys/fs/cgroup");
  const unsigned bound = bound_cpu_count();
  return quota == 0 ? bound : std::min(bound, quota);
}

}  // namespace myr::plat
