// SPDX-License-Identifier: Apache-2.0
#include "common/files.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace {

std::string path_of(const std::string& name) {
  return std::filesystem::temp_directory_path() /
         ("myr_files_test_" + std::to_string(getpid()) + name);
}

}  // namespace

TEST_CASE("what was written is read again, and a rest that is no whole value is told") {
  const std::string path = path_of("_values");
  const std::vector<std::uint16_t> values{1, 2, 0xffff};
  kernels::write_file(path, [&](std::ostream& file) { kernels::put(file, values.data(), 3); });
  CHECK(kernels::read_file<std::uint16_t>(path) == values);
  CHECK_THROWS_WITH_AS(kernels::read_file<std::uint32_t>(path),
                       (path + " has 6 bytes, which must be a multiple of 4").c_str(),
                       std::runtime_error);
  std::filesystem::remove(path);
}

TEST_CASE("files that cannot be read or written are named") {
  const std::string path = path_of("_none/file");
  CHECK_THROWS_WITH_AS(kernels::read_file<char>(path), ("cannot read " + path).c_str(),
                       std::runtime_error);
  const std::string folder = std::filesystem::temp_directory_path();
  CHECK_THROWS_WITH_AS(kernels::read_file<char>(folder), ("cannot read " + folder).c_str(),
                       std::runtime_error);
  CHECK_THROWS_WITH_AS(kernels::write_file(path, [](std::ostream&) {}),
                       ("cannot write " + path).c_str(), std::runtime_error);
}
