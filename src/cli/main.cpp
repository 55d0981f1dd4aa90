// SPDX-License-Identifier: Apache-2.0
//
// The `myr` command: runs programs on a chosen machine and lists the machines.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/launch.hpp"
#include "cli/machines.hpp"

namespace {

constexpr int kExitUsage = 2;

int fail(std::string_view text, int exit_status) {
  fmt::print(stderr, "myr: {}\n", text);
  return exit_status;
}

struct Choices {
  myr::cli::RunOptions run;
  bool machines_as_json = false;
};

CLI::App* add_run(CLI::App& app, Choices& choices) {
  CLI::App* run = app.add_subcommand("run", "Run a program on a chosen machine");
  run->footer(
      "Put the program and its arguments last: myr run --on smp:4 ./program 1000\n"
      "The exit status is the program's. Each option sets the variable in brackets, which works\n"
      "without `myr` too: MYR_ON=smp:4 ./program 1000");
  run->add_option("--on", choices.run.machine, "Machine: serial, smp or smp:N [MYR_ON]")
      ->type_name("MACHINE");
  run->add_flag("--stats", choices.run.stats, "Print where the time went [MYR_STATS]");
  run->add_option("--trace", choices.run.trace_file,
                  "Write a timeline, for Perfetto (.json) or Paraver (.prv) [MYR_TRACE]")
      ->type_name("FILE");
  run->add_option("--graph", choices.run.graph_file, "Write the task graph, for dot [MYR_GRAPH]")
      ->type_name("FILE");
  run->add_flag("--check", choices.run.check,
                "Verify that tasks stay inside their declared accesses [MYR_CHECK]");
  run->prefix_command();
  return run;
}

CLI::App* add_machines(CLI::App& app, Choices& choices) {
  CLI::App* machines = app.add_subcommand("machines", "List the machines and describe this computer");
  machines->add_flag("--json", choices.machines_as_json, "Print one JSON object");
  return machines;
}

int run_program(const CLI::App& command, myr::cli::RunOptions options) {
  options.command = command.remaining();
  if (options.command.empty()) return fail("run: which program? See `myr run --help`", kExitUsage);
  if (options.command.front().starts_with("-")) {
    return fail(fmt::format("run: unknown option {}. See `myr run --help`", options.command.front()),
                kExitUsage);
  }
  const myr::cli::LaunchFailure failure = myr::cli::launch(options);
  return fail(failure.text, failure.exit_status);
}

int print_machines(bool as_json) {
  const auto computer = myr::cli::this_computer();
  if (!computer) return fail(computer.error().text, 1);
  const std::string text = as_json ? myr::cli::describe_machines_as_json(*computer)
                                   : myr::cli::describe_machines(*computer);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Myrmidon: runs task programs on any machine", "myr");
  app.require_subcommand(1);
  app.set_version_flag("--version", "myr " MYR_VERSION);
  Choices choices;
  const CLI::App* run = add_run(app, choices);
  const CLI::App* machines = add_machines(app, choices);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  return machines->parsed() ? print_machines(choices.machines_as_json) : run_program(*run, choices.run);
}
