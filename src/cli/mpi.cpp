// SPDX-License-Identifier: Apache-2.0
#include "cli/mpi.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "cli/program_file.hpp"
#include "cli/tree.hpp"

namespace myr::cli {

namespace {

struct Known {
  const char* name;
  const char* launcher_package;
  const char* plugin_package;            // with which the plug-in is built
  std::array<const char*, 2> launchers;  // `mpirun` alone may be that of either
};
constexpr std::array<Known, 2> kKnown = {{
    {"openmpi", "openmpi-bin", "libopenmpi-dev", {"mpirun.openmpi", "orterun"}},
    {"mpich", "mpich", "libmpich-dev", {"mpirun.mpich", "mpiexec.hydra"}},
}};

// In the folder of libmyrmidon, in the build or the install tree.
bool has_plugin(std::string_view mpi) {
  const std::string file = fmt::format("lib/libmyrmidon-{}.so", mpi);
  const std::string installed = fmt::format(MYR_LIBRARY_FOLDER "/libmyrmidon-{}.so", mpi);
  return find_in_tree({file, installed}).has_value();
}

// Empty: none is on PATH.
std::string launcher_of(const Known& known) {
  const auto is_on_path = [](const char* program) { return !path_of(program).empty(); };
  const auto launcher = std::find_if(known.launchers.begin(), known.launchers.end(), is_on_path);
  return launcher == known.launchers.end() ? "" : *launcher;
}

// REQUIRES: the launcher or the plug-in is not here.
std::string what_is_missing(const Known& known) {
  const std::string launcher = launcher_of(known);
  if (launcher.empty()) {
    return fmt::format("no launcher of {} is on PATH: install the package {}", known.name,
                       known.launcher_package);
  }
  return fmt::format(
      "{} is here, but Myrmidon was built without {}: install the package {}, then build and "
      "install Myrmidon again, or where it came as packages, libmyrmidon-{}",
      launcher, known.name, known.plugin_package, known.name);
}

base::Error no_mpi(const char* wanted) {
  std::string text;
  for (const Known& known : kKnown) {
    if (wanted != nullptr && known.name != std::string_view(wanted)) continue;
    if (!text.empty()) text += "; ";
    text += what_is_missing(known);
  }
  if (text.empty())
    text = fmt::format("MYR_MPI: '{}' is unknown; expected openmpi or mpich", wanted);
  return {text};
}

}  // namespace

std::vector<Mpi> installed_mpis() {
  std::vector<Mpi> mpis;
  for (const Known& known : kKnown) {
    const std::string launcher = launcher_of(known);
    if (!launcher.empty() && has_plugin(known.name)) mpis.push_back({known.name, launcher});
  }
  return mpis;
}

bool is_found(const std::string& program) {
  return access(program.c_str(), X_OK) == 0 || !path_of(program).empty();
}

base::Result<std::vector<std::string>> launcher_words(unsigned process_count) {
  const std::vector<Mpi> mpis = installed_mpis();
  const char* wanted = std::getenv("MYR_MPI");
  if (wanted != nullptr && *wanted == 0) wanted = nullptr;
  const auto mpi = std::find_if(mpis.begin(), mpis.end(), [wanted](const Mpi& one) {
    return wanted == nullptr || one.name == wanted;
  });
  if (mpi == mpis.end()) return no_mpi(wanted);
  std::vector<std::string> words{mpi->launcher};
  if (mpi->name == "openmpi") {
    // More processes than cores are no mistake: waits give the cores away. Each has all cores.
    words.insert(words.end(), {"--quiet", "--oversubscribe", "--bind-to", "none", "-x", "MYR_ON"});
    // Processes on other computers get no other variables.
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string_view name =
          std::string_view(*variable).substr(0, std::string_view(*variable).find('='));
      if (!name.starts_with("MYR_") || name == "MYR_ON") continue;
      words.insert(words.end(), {"-x", std::string(name)});
    }
    if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  }
  words.insert(words.end(), {"-n", fmt::format("{}", process_count)});
  return words;
}

}  // namespace myr::cli
