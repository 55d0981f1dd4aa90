// SPDX-License-Identifier: Apache-2.0
#include "plat/cpu_quota.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

namespace plat = myr::plat;
namespace fs = std::filesystem;

// A folder with files as the kernel has them, gone at the end of the scope.
class Groups {
 public:
  explicit Groups(const std::string& process) {
    std::string name = (fs::temp_directory_path() / "myr-groups-XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    root_ = name;
    write("self", process);
  }
  Groups(const Groups&) = delete;
  Groups& operator=(const Groups&) = delete;
  ~Groups() { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  [[nodiscard]] unsigned quota() const {
    return plat::cpu_quota((root_ / "self").string(), root_.string());
  }

 private:
  fs::path root_;
};

}  // namespace

TEST_CASE("without limits on processor time there is no quota") {
  CHECK(plat::cpu_quota("/no such file", "/no such folder") == 0);
  CHECK(Groups("").quota() == 0);
  CHECK(Groups("nonsense\n0::/\n").quota() == 0);
  const Groups unlimited("0::/a\n");
  unlimited.write("a/cpu.max", "max 100000\n");
  CHECK(unlimited.quota() == 0);
  const Groups old("3:cpu,cpuacct:/\n");
  old.write("cpu/cpu.cfs_quota_us", "-1\n");
  old.write("cpu/cpu.cfs_period_us", "100000\n");
  CHECK(old.quota() == 0);
}

TEST_CASE("the tightest quota of a group and those around it counts, rounded up") {
  const Groups groups("0::/a/b\n");
  groups.write("a/b/cpu.max", "max 100000\n");
  groups.write("a/cpu.max", "250000 100000\n");
  CHECK(groups.quota() == 3);
  groups.write("cpu.max", "50000 100000\n");  // where a container sees its own group
  CHECK(groups.quota() == 1);
  groups.write("a/b/cpu.max", "10000000 100000\n");
  CHECK(groups.quota() == 1);
}

TEST_CASE("the quota of the older files counts, too") {
  const Groups groups("4:memory:/x\n3:cpu,cpuacct:/x/y\n1:cpuset:/x\n");
  groups.write("cpu,cpuacct/x/cpu.cfs_quota_us", "400000\n");
  groups.write("cpu,cpuacct/x/cpu.cfs_period_us", "100000\n");
  CHECK(groups.quota() == 4);
  groups.write("cpu/cpu.cfs_quota_us", "150000\n");
  groups.write("cpu/cpu.cfs_period_us", "100000\n");
  CHECK(groups.quota() == 2);
}
