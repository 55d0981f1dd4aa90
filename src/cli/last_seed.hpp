// SPDX-License-Identifier: Apache-2.0
//
// The last seed with which `myr chaos` found a program wrong, kept for `myr doctor`: a file of the
// user's, myrmidon/last-seed in $XDG_STATE_HOME or ~/.local/state.
#pragma once

#include <string>
#include <string_view>

namespace myr::cli {

// Empty: none was kept.
[[nodiscard]] std::string last_seed();

// Replaces what was kept. One line. Where the file cannot be written, nothing is kept.
void keep_last_seed(std::string_view text);

}  // namespace myr::cli
