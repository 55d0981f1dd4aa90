// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace myr::cli {

// One word of a shell's command, whatever is in it.
[[nodiscard]] std::string shell_word(std::string_view text);

struct Output {
  std::string text;  // what it printed on standard output
  int status;        // as a shell gives it; -1: it did not start
};
// Runs a command of the shell to its end.
[[nodiscard]] Output run_in_shell(const std::string& command);

}  // namespace myr::cli
