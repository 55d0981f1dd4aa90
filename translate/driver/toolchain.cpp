// SPDX-License-Identifier: Apache-2.0
//
// find_toolchain(): see toolchain.hpp. MYRCC_LIBRARY_FOLDER and MYRCC_SOURCE_INCLUDE come from the
// build.

#include "translate/driver/toolchain.hpp"

#include <fmt/format.h>

#include <array>

namespace myr::translate {
namespace {

namespace fs = std::filesystem;

template <std::size_t N>
fs::path first_with(const std::array<fs::path, N>& folders, const char* file) {
  std::error_code ignored;
  for (const fs::path& folder : folders) {
    if (fs::exists(folder / file, ignored)) return fs::weakly_canonical(folder, ignored);
  }
  return {};
}

}  // namespace

base::Result<Toolchain> find_toolchain(bool links) {
  std::error_code failure;
  const fs::path self = fs::read_symlink("/proc/self/exe", failure);
  const fs::path prefix = self.parent_path().parent_path();
  Toolchain found;
  found.include =
      first_with(std::array{prefix / "include", fs::path(MYRCC_SOURCE_INCLUDE)}, "myr/pragma.h");
  found.libraries =
      first_with(std::array{prefix / MYRCC_LIBRARY_FOLDER, prefix / "lib"}, "libmyrmidon.so");
  if (found.include.empty() || (links && found.libraries.empty())) {
    return base::Error{fmt::format("cannot find Myrmidon's {} near {}; install all of it",
                                   found.include.empty() ? "headers" : "library", self.string())};
  }
  return found;
}

}  // namespace myr::translate
