// SPDX-License-Identifier: Apache-2.0
#include "cli/shell.hpp"

#include <sys/wait.h>

#include <cstdio>

namespace myr::cli {

std::string shell_word(std::string_view text) {
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? "'\\''" : std::string(1, letter);
  return word + "'";
}

Output run_in_shell(const std::string& command) {
  std::FILE* const pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {.text = {}, .status = -1};
  Output output{};
  char block[4096];
  while (const std::size_t length = std::fread(block, 1, sizeof block, pipe)) {
    output.text.append(block, length);
  }
  const int ended = pclose(pipe);
  output.status = WIFEXITED(ended) ? WEXITSTATUS(ended) : 128 + WTERMSIG(ended);
  return output;
}

}  // namespace myr::cli
