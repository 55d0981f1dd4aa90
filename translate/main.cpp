// SPDX-License-Identifier: Apache-2.0
//
// The compiler driver `myrcc`.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "translate/driver/command_line.hpp"
#include "translate/driver/compile.hpp"
#include "translate/driver/toolchain.hpp"

namespace {

int fail(const std::string& text) {
  fmt::print(stderr, "myrcc: error: {}\n", text);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  using myr::translate::Command;
  const char* chosen = std::getenv("MYR_CC");
  auto command = myr::translate::parse_command_line(std::vector<std::string>(argv + 1, argv + argc),
                                                    chosen == nullptr ? MYRCC_COMPILER : chosen);
  if (!command) return fail(command.error().text);
  if (command->own == Command::Own::Help) {
    fmt::print("{}", myr::translate::help_text());
    return 0;
  }
  if (command->own == Command::Own::Version) {
    fmt::print("myrcc {}\n", MYR_VERSION);
    return 0;
  }
  auto toolchain =
      myr::translate::find_toolchain(command->links && command->own == Command::Own::None);
  if (!toolchain) return fail(toolchain.error().text);
  return command->own == Command::Own::Emit ? myr::translate::emit(*command, *toolchain)
                                            : myr::translate::compile(*command, *toolchain);
}
