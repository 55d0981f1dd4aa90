// SPDX-License-Identifier: Apache-2.0
//
// The compiler driver `myrcc`: hands commands without pragmas to the compiler, and all others to
// the translator beside it (translator.cpp), which reads sources with Clang.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "translate/driver/command_line.hpp"
#include "translate/driver/pass_on.hpp"
#include "translate/driver/process.hpp"
#include "translate/driver/toolchain.hpp"

namespace {

int run_translator(char** argv) {
  const std::string program = myr::translate::translator_path().string();
  execv(program.c_str(), argv);
  return myr::translate::fail(
      fmt::format("cannot start {}: {}; install all of Myrmidon", program, std::strerror(errno)));
}

}  // namespace

int main(int argc, char** argv) {
  using myr::translate::Command;
  using myr::translate::fail;
  auto command = myr::translate::command_of(argc, argv, MYRCC_COMPILER);
  if (!command) return fail(command.error().text);
  if (command->own == Command::Own::Help) {
    fmt::print("{}", myr::translate::help_text());
    return 0;
  }
  if (command->own == Command::Own::Version) {
    fmt::print("myrcc {}\n", MYR_VERSION);
    return 0;
  }
  if (myr::translate::needs_translation(*command)) return run_translator(argv);
  auto toolchain = myr::translate::find_toolchain(command->links);
  if (!toolchain) return fail(toolchain.error().text);
  return fail(myr::translate::pass_on(*command, *toolchain));
}
