// SPDX-License-Identifier: Apache-2.0
#include "cli/last_seed.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace myr::cli {

namespace {

namespace fs = std::filesystem;

// Empty: the user has no folder for it.
fs::path file() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state != nullptr && *state == '/') return fs::path(state) / "myrmidon/last-seed";
  const char* const home = std::getenv("HOME");
  if (home == nullptr || *home == 0) return {};
  return fs::path(home) / ".local/state/myrmidon/last-seed";
}

}  // namespace

std::string last_seed() {
  std::ifstream kept(file());
  std::string line;
  std::getline(kept, line);
  return line;
}

void keep_last_seed(std::string_view text) {
  const fs::path path = file();
  if (path.empty()) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream(path) << text << '\n';
}

}  // namespace myr::cli
