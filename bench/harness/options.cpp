// SPDX-License-Identifier: Apache-2.0
#include "harness/options.hpp"

#include "common/command_line.hpp"

namespace myr::bench {

Options parse_options(int argc, char** argv) {
  Options options;
  kernels::CommandLine line(
      "Measures what a task costs in one runtime; prints one JSON object a case.");
  line.add_count("--threads", &options.threads, "threads of the runtime", 1024);
  line.add("--only", &options.only, "shell pattern of the cases to run, such as 'task_*/15'");
  line.add("--tasks", &options.tasks, "tasks a case instead of its own number");
  line.parse(argc, argv);
  return options;
}

}  // namespace myr::bench
