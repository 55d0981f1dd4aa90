// SPDX-License-Identifier: Apache-2.0
//
// The files of the build or the install tree that this command is a part of.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace myr::cli {

// The folder above that of the command; nothing if the system does not say where it is.
[[nodiscard]] std::optional<std::filesystem::path> root_of_tree();

// The first of these files below it that is there.
[[nodiscard]] std::optional<std::filesystem::path> find_in_tree(
    std::initializer_list<std::string_view> files);

}  // namespace myr::cli
