// SPDX-License-Identifier: Apache-2.0
//
// What a program's file tells of the runtimes in it, before it runs: without one of them, the
// options of `myr run` and `myr omp` have no effect, and nothing else would say so.
#pragma once

#include <string>

namespace myr::cli {

// Where a shell would find it; empty: nowhere.
[[nodiscard]] std::string path_of(const std::string& program);

// Says why `myr run` does not change what the program does: it has no libmyrmidon. Empty: it has
// one, or may load one later, or is a script.
[[nodiscard]] std::string why_myrmidon_is_not_used(const std::string& path);

// The same for `myr omp` and OpenMP's library.
[[nodiscard]] std::string why_openmp_is_not_used(const std::string& path);

}  // namespace myr::cli
