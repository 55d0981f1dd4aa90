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

// The root of the tree that has myrcc in its folder bin, and the translator in libexec.
fs::path prefix() {
  std::error_code failure;
  return fs::read_symlink("/proc/self/exe", failure).parent_path().parent_path();
}

}  // namespace

base::Result<Toolchain> find_toolchain(bool links) {
  const fs::path tree = prefix();
  Toolchain found;
  found.include =
      first_with(std::array{tree / "include", fs::path(MYRCC_SOURCE_INCLUDE)}, "myr/pragma.h");
  found.libraries =
      first_with(std::array{tree / MYRCC_LIBRARY_FOLDER, tree / "lib"}, "libmyrmidon.so");
  if (found.include.empty() || (links && found.libraries.empty())) {
    return base::Error{fmt::format("cannot find Myrmidon's {} in {}; install all of it",
                                   found.include.empty() ? "headers" : "library", tree.string())};
  }
  return found;
}

std::vector<std::string> runtime_options(const Command& command, const Toolchain& toolchain) {
  std::vector<std::string> options;
  if (toolchain.include != "/usr/include" && !command.inputs.empty()) {
    options.push_back("-isystem" + toolchain.include.string());
  }
  if (!command.links) return options;
  const std::string folder = toolchain.libraries.string();
  options.push_back("-L" + folder);
  options.push_back("-Wl,-rpath," + folder);
  for (const char* word : {"-lmyrmidon-tasks", "-lmyrmidon", "-Wl,--push-state,--as-needed",
                           "-lstdc++", "-lm", "-Wl,--pop-state"}) {
    options.emplace_back(word);
  }
  return options;
}

fs::path translator_path() { return prefix() / "libexec" / "myrcc-translator"; }

}  // namespace myr::translate
