// SPDX-License-Identifier: Apache-2.0
//
// needs_translation() and pass_on(): see pass_on.hpp.

#include "translate/driver/pass_on.hpp"

#include <algorithm>

#include "translate/driver/includes.hpp"
#include "translate/driver/process.hpp"

namespace myr::translate {

bool needs_translation(const Command& command) {
  if (command.own == Command::Own::Emit || command.makes_main) return true;
  if (command.only_lists) return false;
  return std::any_of(command.inputs.begin(), command.inputs.end(), [&](const Input& input) {
    const std::string& path = command.words[input.word];
    if (path == "-") return true;
    const auto text = read_file(path);
    return !text || load_source(path, *text, command).relevant;
  });
}

std::string pass_on(const Command& command, const Toolchain& toolchain) {
  std::vector<std::string> all = command.compiler;
  all.insert(all.end(), command.words.begin(), command.words.end());
  const std::vector<std::string> runtime = runtime_options(command, toolchain);
  all.insert(all.end(), runtime.begin(), runtime.end());
  return become_program(all).text;
}

}  // namespace myr::translate
