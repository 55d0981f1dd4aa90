// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace myr::cli {

namespace {

struct Known {
  const char* name;
  const char* package;
  std::array<const char*, 2> launchers;  // `mpirun` alone may be that of either
};
constexpr std::array<Known, 2> kKnown = {{
    {"openmpi", "openmpi-bin and libopenmpi-dev", {"mpirun.openmpi", "orterun"}},
    {"mpich", "mpich and libmpich-dev", {"mpirun.mpich", "mpiexec.hydra"}},
}};

bool is_on_path(std::string_view program) {
  const char* const path = std::getenv("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string file = fmt::format("{}/{}", left.substr(0, end), program);
    if (access(file.c_str(), X_OK) == 0) return true;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return false;
}

// In the folder of libmyrmidon, of the build or the install tree.
bool has_plugin(std::string_view mpi) {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return false;
  const auto root = program.parent_path().parent_path();
  const std::string file = fmt::format("libmyrmidon-{}.so", mpi);
  return std::filesystem::exists(root / "lib" / file, error) ||
         std::filesystem::exists(root / MYR_LIBRARY_FOLDER / file, error);
}

std::string packages_text() {
  return fmt::format("{}, or {}", kKnown[0].package, kKnown[1].package);
}

}  // namespace

std::vector<Mpi> installed_mpis() {
  std::vector<Mpi> mpis;
  for (const Known& known : kKnown) {
    const auto launcher = std::find_if(known.launchers.begin(), known.launchers.end(), is_on_path);
    if (launcher == known.launchers.end() || !has_plugin(known.name)) continue;
    mpis.push_back({known.name, *launcher});
  }
  return mpis;
}

bool is_found(const std::string& program) {
  return access(program.c_str(), X_OK) == 0 ||
         (program.find('/') == std::string::npos && is_on_path(program));
}

base::Result<std::vector<std::string>> launcher_words(unsigned process_count) {
  const std::vector<Mpi> mpis = installed_mpis();
  const char* const wanted = std::getenv("MYR_MPI");
  const auto mpi = std::find_if(mpis.begin(), mpis.end(), [wanted](const Mpi& one) {
    return wanted == nullptr || one.name == wanted;
  });
  if (mpi == mpis.end()) {
    return base::Error{fmt::format(
        "no MPI{} with a launcher and Myrmidon's plug-in for it is here; install the packages {}, "
        "and build Myrmidon again",
        wanted == nullptr ? "" : fmt::format(" '{}' (MYR_MPI)", wanted), packages_text())};
  }
  std::vector<std::string> words{mpi->launcher};
  if (mpi->name == "openmpi") {
    // More processes than cores are no mistake: waits give the cores away. Each has all cores.
    words.insert(words.end(), {"--quiet", "--oversubscribe", "--bind-to", "none", "-x", "MYR_ON"});
    if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  }
  words.insert(words.end(), {"-n", fmt::format("{}", process_count)});
  return words;
}

}  // namespace myr::cli
