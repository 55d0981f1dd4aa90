// SPDX-License-Identifier: Apache-2.0
//
// `myr omp --install` and `--remove`: what a shell must do so that all programs that are started in
// it use Myrmidon's OpenMP library, or no longer do. It changes nothing itself.
#pragma once

#include <string>
#include <string_view>

namespace myr::cli {

enum class Session : bool { With, Without };

// Two lines for a shell: a comment, and the one that sets LD_LIBRARY_PATH. `folder`: that of the
// library; `search_path`: what the variable is now.
[[nodiscard]] std::string session_lines(std::string_view folder, std::string_view search_path,
                                        Session session);

}  // namespace myr::cli
