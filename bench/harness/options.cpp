// SPDX-License-Identifier: Apache-2.0
#include "harness/options.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>

namespace myr::bench {

Options parse_options(int argc, char** argv) {
  Options options;
  CLI::App app("Measures what a task costs in one runtime; prints one JSON object a case.");
  app.add_option("--threads", options.threads, "threads of the runtime")
      ->check(CLI::Range(1U, 1024U));
  app.add_option("--only", options.only, "shell pattern of the cases to run, such as 'task_*/15'");
  app.add_option("--tasks", options.tasks, "tasks a case instead of its own number");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

}  // namespace myr::bench
