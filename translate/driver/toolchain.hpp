// SPDX-License-Identifier: Apache-2.0
//
// Where the runtime's headers and libraries are, seen from the running program itself, so that a
// build tree and an install tree, moved or not, both work.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "translate/driver/command_line.hpp"

namespace myr::translate {

struct Toolchain {
  std::filesystem::path include;    // has myr/myr.h and myrmics.h
  std::filesystem::path libraries;  // has libmyrmidon.so and libmyrmidon.a
};

// Only `links` asks for a library, which a build may not have made yet when it compiles.
[[nodiscard]] base::Result<Toolchain> find_toolchain(bool links);

// What the compiler needs to find the runtime.
[[nodiscard]] std::vector<std::string> runtime_options(const Command& command,
                                                       const Toolchain& toolchain);

// Where the translator is, seen from myrcc.
[[nodiscard]] std::filesystem::path translator_path();

}  // namespace myr::translate
