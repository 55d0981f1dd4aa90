// SPDX-License-Identifier: Apache-2.0
//
// The `myr` command: runs programs on a chosen machine and lists the machines.

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json_text.hpp"
#include "base/variables.hpp"
#include "cli/chaos.hpp"
#include "cli/doctor.hpp"
#include "cli/last_seed.hpp"
#include "cli/launch.hpp"
#include "cli/machines.hpp"
#include "cli/mpi.hpp"
#include "cli/program_file.hpp"
#include "cli/session.hpp"
#include "runtime/settings.hpp"

namespace {

constexpr int kExitUsage = 2;
constexpr unsigned kMostRuns = 1'000'000;
constexpr std::uint64_t kLastSeed = 999'999'999'999;  // of the first runs' ones
constexpr std::string_view kNoOpenmpLibrary =
    "omp: libgomp.so.1 of Myrmidon is not where this command is from; with packages it is in "
    "libmyrmidon-openmp";

int fail(std::string_view text, int exit_status) {
  fmt::print(stderr, "myr: {}\n", text);
  return exit_status;
}

void note(const std::string& text) {
  if (!text.empty()) fmt::print(stderr, "myr: note: {}\n", text);
}

struct Choices {
  myr::cli::RunOptions run;
  myr::cli::ChaosOptions chaos;
  bool chaos_as_json = false;
  bool machines_as_json = false;
  bool checkup_as_json = false;
  bool session_with = false;
  bool session_without = false;
};

CLI::App* add_run(CLI::App& app, Choices& choices) {
  CLI::App* run = app.add_subcommand("run", "Run a program on a chosen machine");
  run->footer(
      "The program and its arguments come last: myr run [OPTIONS] PROGRAM [ARGUMENTS...]\n"
      "The exit status is the program's. Each option sets the variable in brackets, which works\n"
      "without `myr` too: MYR_ON=smp:4 ./program 1000");
  run->add_option(
         "--on", choices.run.machine,
         "Machine: serial, smp:N, tree:S+W, mpi:S+W, sim:CHIP; see `myr machines` [MYR_ON]")
      ->type_name("MACHINE");
  run->add_flag("--stats", choices.run.stats, "Print where the time went [MYR_STATS]");
  run->add_flag("--json", choices.run.stats_as_json, "With --stats: one JSON object, on stderr");
  run->add_option("--trace", choices.run.trace_file,
                  "Write a timeline, for Perfetto (.json) or Paraver (.prv) [MYR_TRACE]")
      ->type_name("FILE");
  run->add_option("--graph", choices.run.graph_file, "Write the task graph, for dot [MYR_GRAPH]")
      ->type_name("FILE");
  return run;
}

CLI::App* add_omp(CLI::App& app, Choices& choices) {
  CLI::App* omp = app.add_subcommand(
      "omp", "Run a program of OpenMP, compiled by gcc or clang, with Myrmidon's OpenMP library");
  omp->footer(
      "The program and its arguments come last: myr omp [OPTIONS] PROGRAM [ARGUMENTS...]\n"
      "The exit status is the program's. All OMP_ variables work as they do without `myr`.");
  omp->add_flag("--stats", choices.run.stats,
                "Print how often regions, loops and tasks ran, and how long, by their lines");
  omp->add_option("--trace", choices.run.trace_file,
                  "Write a timeline of them, for Perfetto (.json) or Paraver (.prv)")
      ->type_name("FILE");
  CLI::Option* install = omp->add_flag(
      "--install", choices.session_with,
      "Print what makes all programs of a shell use the library; changes nothing itself");
  omp->add_flag("--remove", choices.session_without, "Print what takes that back")
      ->excludes(install);
  return omp;
}

CLI::App* add_check(CLI::App& app, Choices& choices) {
  CLI::App* check = app.add_subcommand(
      "check", "Run a program serially and find what its tasks touch without declaring it");
  check->footer(
      "The program and its arguments come last: myr check [OPTIONS] PROGRAM [ARGUMENTS...]\n"
      "Compile it with -g -fsanitize=thread (clang: and -shared-libsan). The exit status is 66 if\n"
      "a mistake was found, else the program's.");
  check
      ->add_option("--json", choices.run.mistakes_file,
                   "Write what was found to a file, as one JSON object")
      ->type_name("FILE");
  check->add_flag("--wasted", choices.run.wasted,
                  "Tell, too, which declarations no task makes use of, and what they cost");
  check
      ->add_option("--suppressions", choices.run.suppressions_file,
                   "Do not tell mistakes whose sentence has a text in it that is a line of a file "
                   "(* stands for anything)")
      ->type_name("FILE");
  return check;
}

CLI::App* add_chaos(CLI::App& app, Choices& choices) {
  CLI::App* chaos = app.add_subcommand(
      "chaos", "Run a program in many random orders and compare its output with the serial one");
  chaos->footer(
      "The program and its arguments come last: myr chaos [OPTIONS] PROGRAM [ARGUMENTS...]\n"
      "It runs twice serially, and once for each seed; it reads nothing from standard input, and\n"
      "what it prints on standard output is not shown. A run that takes longer than a minute and "
      "a\n"
      "hundred serial ones is ended, and is wrong. The exit status is 1 if an output or an exit\n"
      "status differs; the seed and the command that repeats it are printed, and kept for\n"
      "`myr doctor`.");
  chaos
      ->add_option("--on", choices.chaos.machine,
                   "Machine: smp:N, tree:S+W, sim:formic-520; see `myr machines` [MYR_ON]")
      ->type_name("MACHINE");
  chaos->add_option("--runs", choices.chaos.runs, "How many seeds to try")
      ->capture_default_str()
      ->check(CLI::Range(1U, kMostRuns))
      ->type_name("N");
  chaos->add_option("--seed", choices.chaos.seed, "The first seed; any, if it is not given")
      ->check(CLI::Range(std::uint64_t{0}, kLastSeed))
      ->type_name("SEED");
  chaos->add_flag("--json", choices.chaos_as_json, "Print one JSON object");
  return chaos;
}

CLI::App* add_machines(CLI::App& app, Choices& choices) {
  CLI::App* machines =
      app.add_subcommand("machines", "List the machines and describe this computer");
  machines->add_flag("--json", choices.machines_as_json, "Print one JSON object");
  return machines;
}

CLI::App* add_doctor(CLI::App& app, Choices& choices) {
  CLI::App* doctor = app.add_subcommand(
      "doctor",
      "Say what a report of a fault needs to say, and what is wrong with this installation");
  doctor->footer("The exit status is 1 if something is wrong.");
  doctor->add_flag("--json", choices.checkup_as_json, "Print one JSON object");
  return doctor;
}

// Takes the program and its arguments off the end of `words`, which start with `run`: they begin
// after
// `--` or at the first word that is neither an option of `run` nor an option's value.
std::vector<std::string> split_off_command(const CLI::App& run, std::vector<std::string>& words) {
  auto first = words.begin() + 1;
  while (first != words.end() && first->starts_with("-") && *first != "--") {
    const CLI::Option* option = run.get_option_no_throw(*first);
    const bool has_value = option != nullptr && option->get_items_expected_max() > 0;
    ++first;
    if (has_value && first != words.end()) ++first;
  }
  std::vector<std::string> command(first, words.end());
  words.erase(first, words.end());
  if (!command.empty() && command.front() == "--") command.erase(command.begin());
  return command;
}

int run_program(myr::cli::RunOptions options) {
  if (options.command.empty())
    return fail("run: no program was given; see `myr run --help`", kExitUsage);
  note(myr::cli::why_myrmidon_is_not_used(myr::cli::path_of(options.command.front())));
  const char* const on = std::getenv("MYR_ON");
  const std::string by = options.machine ? "run: --on: " : "run: MYR_ON: ";
  if (!options.machine && on != nullptr && *on != 0) options.machine = on;
  if (options.machine) {
    auto machine = myr::runtime::parse_machine(*options.machine);
    if (!machine) return fail(by + machine.error().text, kExitUsage);
    if (machine->is_job) {
      auto words = myr::cli::launcher_words(machine->topology->agent_count());
      if (!words) return fail(by + words.error().text, kExitUsage);
      const std::string& program = options.command.front();
      if (!myr::cli::is_found(program)) {
        const myr::cli::LaunchFailure failure = myr::cli::no_such_program(program);
        return fail(failure.text, failure.exit_status);
      }
      options.command.insert(options.command.begin(), words->begin(), words->end());
    }
  }
  const myr::cli::LaunchFailure failure = myr::cli::launch(options);
  return fail(failure.text, failure.exit_status);
}

int run_openmp_program(myr::cli::RunOptions options) {
  if (options.command.empty()) return fail("omp: which program? See `myr omp --help`", kExitUsage);
  const auto library = myr::cli::find_openmp_library(options.stats || !options.trace_file.empty());
  if (!library) return fail(kNoOpenmpLibrary, 1);
  for (const std::string& text : myr::base::take_unknown_variables()) {
    fmt::print(stderr, "myr: warning: {}\n", text);
  }
  note(myr::cli::why_openmp_is_not_used(myr::cli::path_of(options.command.front())));
  options.library = *library;
  const myr::cli::LaunchFailure failure = myr::cli::launch(options);
  return fail(failure.text, failure.exit_status);
}

int print_session(myr::cli::Session session) {
  const auto library = myr::cli::find_openmp_library(false);
  if (!library) return fail(kNoOpenmpLibrary, 1);
  const char* const path = std::getenv("LD_LIBRARY_PATH");
  const std::string folder = std::filesystem::path(*library).parent_path().string();
  fmt::print("{}", myr::cli::session_lines(folder, path != nullptr ? path : "", session));
  return 0;
}

int check_program(myr::cli::RunOptions options) {
  if (options.command.empty()) {
    return fail("check: which program? See `myr check --help`", kExitUsage);
  }
  const auto library = myr::cli::find_check_library();
  if (!library) return fail("check: its libtsan.so.2 is not where this command is from", 1);
  options.machine = "serial";
  options.library = *library;
  const myr::cli::LaunchFailure failure = myr::cli::launch(options);
  return fail(failure.text, failure.exit_status);
}

std::string day_and_time() {
  const std::time_t now = std::time(nullptr);
  return fmt::format("{:%Y-%m-%d %H:%M}", fmt::localtime(now));
}

std::string as_json(const myr::cli::ChaosFound& found, const std::string& machine) {
  using myr::base::json_string;
  const std::string wrong =
      found.wrong_seed
          ? fmt::format(R"({{"seed": {}, "difference": {}, "command": {}, "is_exact": {}}})",
                        *found.wrong_seed, json_string(found.difference), json_string(found.repeat),
                        found.repeats_exactly)
          : "null";
  return fmt::format(
      R"({{"machine": {}, "first_seed": {}, "runs": {}, "compares_output": {}, "wrong": {}}})",
      json_string(machine), found.first_seed, found.runs, found.compares_output, wrong);
}

void print_chaos(const myr::cli::ChaosFound& found, const std::string& machine) {
  if (!found.compares_output) {
    note("two serial runs print different outputs, so only exit statuses are compared");
  }
  const char* const what = found.compares_output ? "output and exit status" : "exit status";
  if (found.serial_status != 0) {
    note(fmt::format("the serial run ends with {}", myr::cli::status_text(found.serial_status)));
  }
  if (!found.wrong_seed) {
    fmt::print("{} run{} on {}, seeds {} to {}: the {} of the serial run each time\n", found.runs,
               found.runs == 1 ? "" : "s", machine, found.first_seed,
               found.first_seed + found.runs - 1, what);
    return;
  }
  fmt::print("run {} on {}, seed {}: {}\n{}:\n  {}\n", found.runs, machine, *found.wrong_seed,
             found.difference,
             found.repeats_exactly ? "This does the same each time, also in a debugger"
                                   : "Again with this seed (times differ, so it may be right)",
             found.repeat);
}

int run_chaos(myr::cli::ChaosOptions options, bool wants_json) {
  if (options.command.empty()) {
    return fail("chaos: which program? See `myr chaos --help`", kExitUsage);
  }
  const char* const on = std::getenv("MYR_ON");
  if (options.machine.empty()) {
    options.machine = on != nullptr && *on != 0 ? on : myr::cli::default_machine();
  }
  const std::string refusal = myr::cli::why_no_seeds(options.machine);
  if (!refusal.empty()) return fail("chaos: " + refusal, kExitUsage);
  const std::string& program = options.command.front();
  const std::string path = myr::cli::path_of(program);
  if (path.empty()) {
    const myr::cli::LaunchFailure failure = myr::cli::no_such_program(program);
    return fail(failure.text, failure.exit_status);
  }
  note(myr::cli::why_myrmidon_is_not_used(path));
  auto found = myr::cli::try_orders(options);
  if (!found) return fail("chaos: " + found.error().text, 1);
  if (wants_json) {
    fmt::print("{}\n", as_json(*found, options.machine));
  } else {
    print_chaos(*found, options.machine);
  }
  if (!found->wrong_seed) return 0;
  std::error_code error;
  myr::cli::keep_last_seed(fmt::format("{}, of {}, in {}: {}", *found->wrong_seed, day_and_time(),
                                       std::filesystem::current_path(error).string(),
                                       found->repeat));
  return 1;
}

int print_machines(bool as_json) {
  const auto computer = myr::cli::this_computer();
  if (!computer) return fail(computer.error().text, 1);
  const std::string text = as_json ? myr::cli::describe_machines_as_json(*computer)
                                   : myr::cli::describe_machines(*computer);
  return std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
}

int print_checkup(bool as_json) {
  const myr::cli::Checkup checkup = myr::cli::check_up();
  fmt::print("{}", as_json ? describe_as_json(checkup) : describe(checkup));
  return checkup.faults.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Myrmidon: runs task programs on any machine", "myr");
  app.set_version_flag("--version", "myr " MYR_PROJECT_VERSION);
  Choices choices;
  const CLI::App* run = add_run(app, choices);
  const CLI::App* omp = add_omp(app, choices);
  const CLI::App* check = add_check(app, choices);
  const CLI::App* chaos = add_chaos(app, choices);
  const CLI::App* machines = add_machines(app, choices);
  const CLI::App* doctor = add_doctor(app, choices);

  std::vector<std::string> words(argv + 1, argv + argc);
  for (const CLI::App* command : {run, omp, check, chaos}) {
    if (words.empty() || words.front() != command->get_name()) continue;
    choices.run.command = split_off_command(*command, words);
    break;
  }
  std::reverse(words.begin(), words.end());  // the order in which CLI11 takes a vector
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kExitUsage;
  }
  if (run->parsed()) return run_program(std::move(choices.run));
  if (choices.session_with) return print_session(myr::cli::Session::With);
  if (choices.session_without) return print_session(myr::cli::Session::Without);
  if (omp->parsed()) return run_openmp_program(std::move(choices.run));
  if (check->parsed()) return check_program(std::move(choices.run));
  if (chaos->parsed()) {
    choices.chaos.command = std::move(choices.run.command);
    return run_chaos(std::move(choices.chaos), choices.chaos_as_json);
  }
  if (doctor->parsed()) return print_checkup(choices.checkup_as_json);
  if (machines->parsed()) return print_machines(choices.machines_as_json);
  return fail("no command was given; see `myr --help`", kExitUsage);
}
