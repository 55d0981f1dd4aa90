// SPDX-License-Identifier: Apache-2.0
#include "cli/tree.hpp"

#include <system_error>

namespace myr::cli {

std::optional<std::filesystem::path> root_of_tree() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return std::nullopt;
  return program.parent_path().parent_path();
}

std::optional<std::filesystem::path> find_in_tree(std::initializer_list<std::string_view> files) {
  const auto root = root_of_tree();
  if (!root) return std::nullopt;
  std::error_code error;
  for (const std::string_view file : files) {
    if (auto path = *root / file; std::filesystem::exists(path, error)) return path;
  }
  return std::nullopt;
}

}  // namespace myr::cli
