// SPDX-License-Identifier: Apache-2.0
//
// What `myrcc` becomes for a command with pragmas; it takes the same command line.

#include "translate/driver/command_line.hpp"
#include "translate/driver/compile.hpp"
#include "translate/driver/process.hpp"
#include "translate/driver/toolchain.hpp"

int main(int argc, char** argv) {
  using myr::translate::Command;
  using myr::translate::fail;
  auto command = myr::translate::command_of(argc, argv, MYRCC_COMPILER);
  if (!command) return fail(command.error().text);
  const bool emits = command->own == Command::Own::Emit;
  auto toolchain = myr::translate::find_toolchain(command->links && !emits);
  if (!toolchain) return fail(toolchain.error().text);
  return emits ? myr::translate::emit(*command, *toolchain)
               : myr::translate::compile(*command, *toolchain);
}
