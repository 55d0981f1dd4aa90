// SPDX-License-Identifier: Apache-2.0
//
// Where the runtime's headers and libraries are, seen from the program myrcc itself, so that a build
// tree and an install tree, moved or not, both work.
#pragma once

#include <filesystem>

#include "base/result.hpp"

namespace myr::translate {

struct Toolchain {
  std::filesystem::path include;    // has myr/myr.h and myrmics.h
  std::filesystem::path libraries;  // has libmyrmidon.so and libmyrmidon.a
};

// Only `links` asks for a library, which a build may not have made yet when it compiles.
[[nodiscard]] base::Result<Toolchain> find_toolchain(bool links);

}  // namespace myr::translate
