// SPDX-License-Identifier: Apache-2.0
//
// `myr run`: hands the user's choices to a program through its environment and becomes that
// program, so that exit codes, signals and the terminal pass through untouched. The variables are
// read by runtime/settings.hpp.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace myr::cli {

struct RunOptions {
  std::optional<std::string> machine;  // none: the default
  bool stats = false;
  bool stats_as_json = false;        // with stats
  std::string trace_file;            // empty: no trace
  std::string graph_file;            // empty: no graph
  std::string mistakes_file;         // of `myr check`, as JSON; empty: none
  bool wasted = false;               // of `myr check`
  std::string suppressions_file;     // of `myr check`; empty: none
  std::string library;               // to load into the program, in place of its own of that name
  std::vector<std::string> command;  // the program and its arguments
};

using Variable = std::pair<std::string, std::string>;

// The environment variables that `options` stand for.
[[nodiscard]] std::vector<Variable> environment_of(const RunOptions& options);

// Where this command's own libgomp.so.1 is, in the build or in the install tree; nothing if there
// is none. `observed`: the one that --stats and --trace need.
[[nodiscard]] std::optional<std::string> find_openmp_library(bool observed);
// The same for the libtsan.so.2 of `myr check`.
[[nodiscard]] std::optional<std::string> find_check_library();

// Why a program could not be started, and the exit status that a shell would give: 127 or 126.
struct LaunchFailure {
  std::string text;
  int exit_status;
};

[[nodiscard]] LaunchFailure no_such_program(const std::string& program);

// Replaces this process by the program. Returns only if that is impossible.
// REQUIRES: the command is not empty.
[[nodiscard]] LaunchFailure launch(const RunOptions& options);

}  // namespace myr::cli
