// SPDX-License-Identifier: Apache-2.0
//
// The frame of the kernels; see program.hpp.
#include "common/program.hpp"

#include <fmt/format.h>
#include <myr/myr.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "chip/virtual_time.hpp"
#include "common/machine.hpp"
#include "common/progress.hpp"

namespace kernels {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLabelWidth = 12;

struct Setting {
  std::string name;
  std::variant<const std::int64_t*, const std::size_t*, const double*, const std::string*> value;
};

// What the runs took: seconds, or on a simulated machine its cycles. Empty: not measured.
struct Result {
  std::vector<double> serial;
  std::vector<double> parallel;
  bool same = true;
  std::string fault;  // what verify() found
};

// The value that has this share of all of them below it, or the one between two of them.
double quantile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

template <class Function>
double seconds_of(const Function& function) {
  const Clock::time_point start = Clock::now();
  function();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Runs {
  std::int64_t repeat;
  std::uint64_t work_scale = 1;  // on a simulated machine
  std::string measure = "both";
};

double time_serial(const Kernel& kernel, std::uint64_t work_scale) {
  return is_simulated() ? static_cast<double>(declared_cycles(kernel.serial, work_scale))
                        : seconds_of(kernel.serial);
}

double time_parallel(const Kernel& kernel, std::uint64_t work_scale) {
  const double time = is_simulated()
                          ? static_cast<double>(elapsed_cycles(kernel.parallel, work_scale))
                          : seconds_of(kernel.parallel);
  myr_wait_all();  // main may have waited without wanting the data
  return machine().seconds.value_or(time);
}

// Both in turn, with a comparison each time.
void measure_both(const Kernel& kernel, const Runs& runs, Progress& progress, Result& result) {
  for (std::int64_t i = 0; i < runs.repeat; ++i) {
    if (kernel.prepare) kernel.prepare();
    result.serial.push_back(time_serial(kernel, runs.work_scale));
    progress.advance();
    result.parallel.push_back(time_parallel(kernel, runs.work_scale));
    progress.advance();
    if (!kernel.same()) result.same = false;
  }
}

// Only what comes before and after the parallel version.
void run_nothing(const Kernel& kernel, const Runs& runs) {
  for (std::int64_t i = 0; i <= runs.repeat; ++i) {
    if (kernel.prepare) kernel.prepare();
    myr_wait_all();
  }
}

// One of them alone, after a run that is not counted: memory is touched, threads are awake. The
// other one runs only after the clock, to compare with.
void measure_one(const Kernel& kernel, const Runs& runs, Progress& progress, Result& result) {
  const bool is_serial = runs.measure == "serial";
  const auto time = [&] {
    if (kernel.prepare) kernel.prepare();
    return is_serial ? time_serial(kernel, runs.work_scale)
                     : time_parallel(kernel, runs.work_scale);
  };
  time();
  for (std::int64_t i = 0; i < runs.repeat; ++i) {
    (is_serial ? result.serial : result.parallel).push_back(time());
    progress.advance();
  }
  if (is_serial) return;
  kernel.serial();
  result.same = kernel.same();
}

Result measure(const Kernel& kernel, const std::string& name, const Runs& runs) {
  Result result;
  if (runs.measure == "nothing") {
    run_nothing(kernel, runs);
    return result;
  }
  const bool both = runs.measure == "both";
  Progress progress(name + ": run", (both ? 2 : 1) * runs.repeat);
  (both ? measure_both : measure_one)(kernel, runs, progress, result);
  return result;
}

// The median, and half the distance between the quartiles.
std::string text_of(const std::vector<double>& times) {
  if (is_simulated()) return fmt::format("{:.0f} cycles", median(times));
  const double spread = (quantile(times, 0.75) - quantile(times, 0.25)) / 2;
  return fmt::format("{:.4f} s ± {:.4f}", median(times), spread);
}

std::string text_of(const Setting& setting) {
  return std::visit([](const auto* value) { return fmt::format("{}", *value); }, setting.value);
}

std::string verdict(const Result& result, bool verified) {
  if (!result.same) return "WRONG: differs from serial";
  if (!result.fault.empty()) return "WRONG: " + result.fault;
  return verified ? "same as serial, verified" : "same as serial";
}

using Inputs = std::vector<std::pair<std::string, std::string>>;

// Makes two words of `--named=NAME`.
void split_named(std::vector<std::string>& words) {
  constexpr std::string_view kPrefix = "--named=";
  for (std::size_t i = words.size(); i-- > 0;) {
    if (!words[i].starts_with(kPrefix)) continue;
    words[i].erase(0, kPrefix.size());
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, "--named");
  }
}

// The words of a command line, from last to first, and behind `--named NAME` what it stands for.
std::vector<std::string> with_named_options(std::vector<std::string> words, const Inputs& inputs) {
  const auto option = std::find(words.rbegin(), words.rend(), "--named");
  if (option == words.rend() || std::next(option) == words.rend()) return words;
  for (const auto& [name, options] : inputs) {
    if (name != *std::next(option)) continue;
    std::vector<std::string> more;
    std::istringstream stream(options);
    for (std::string word; stream >> word;) more.push_back(word);
    // In front of all others, which may change it.
    words.insert(words.end(), more.rbegin(), more.rend());
    return words;
  }
  throw CLI::ValidationError("--named", "no input '" + *std::next(option) + "'; see --names");
}

void print_line(const std::string& label, const std::string& value) {
  fmt::print("{:<{}}{}\n", label, kLabelWidth, value);
}

}  // namespace

struct Program::State {
  State(std::string kernel, std::string text) : name(std::move(kernel)), parser(std::move(text)) {
    parser.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    parser.add_option("--repeat", runs.repeat, "runs of each version; reports give the median")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
    parser
        .add_option("--work-scale", runs.work_scale,
                    "on a simulated machine, work takes so many times as long")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
    parser
        .add_option("--measure", runs.measure,
                    "both in turn, one of them alone, or nothing: only the input is made")
        ->capture_default_str()
        ->check(CLI::IsMember({"both", "serial", "tasks", "nothing"}));
    parser.add_flag_callback("--names", [this] { print_names(); }, "list the named inputs and end");
    for (const MachineOption& option : machine_options()) add(option);
    parser.add_flag("--check", check, "verify the result in a second, independent way");
    parser.add_flag("--json", json, "print one JSON object instead of a table");
  }
  template <class Number>
  void add(const std::string& option, Number& value, Range<Number> range, const std::string& text) {
    parser.add_option("--" + option, value, text)
        ->capture_default_str()
        ->check(CLI::Range(range.low, range.high));
    settings.push_back({option, &value});
  }
  void add(const MachineOption& option) {
    if (bool* const* flag = std::get_if<bool*>(&option.value)) {
      parser.add_flag(option.name, **flag, option.text);
      return;
    }
    std::visit(
        [&](auto* value) {
          parser.add_option(option.name, *value, option.text)->capture_default_str();
        },
        option.value);
  }
  void print_names() const {
    for (const auto& [input, options] : inputs) fmt::print("{}: {}\n", input, options);
    std::exit(0);
  }
  void print_table(const Result& result, bool verified) const {
    print_line("kernel", name);
    for (const Setting& setting : settings) print_line(setting.name, text_of(setting));
    print_line("machine", kernels::machine().text);
    if (!result.serial.empty()) print_line("serial", text_of(result.serial));
    if (!result.parallel.empty()) print_line("parallel", text_of(result.parallel));
    if (!result.serial.empty() && !result.parallel.empty()) {
      print_line("speed-up",
                 fmt::format("{:.2f}", median(result.serial) / median(result.parallel)));
    }
    if (!result.parallel.empty()) print_line("check", verdict(result, verified));
  }
  void print_json(const Result& result, bool verified) const {
    nlohmann::ordered_json object{{"bench", "kernel"}, {"kernel", name}};
    for (const Setting& setting : settings) {
      std::visit([&](const auto* value) { object[setting.name] = *value; }, setting.value);
    }
    const Machine machine = kernels::machine();
    object["runtime"] = machine.runtime;
    object["machine"] = machine.name;
    object["threads"] = machine.threads;
    if (is_simulated()) object["work_scale"] = runs.work_scale;
    const auto add = [&](const char* seconds, const char* cycles,
                         const std::vector<double>& times) {
      if (times.empty()) return;
      if (is_simulated()) {
        object[cycles] = static_cast<std::uint64_t>(median(times));
      } else {
        object[seconds] = median(times);
      }
    };
    add("serial_s", "serial_cycles", result.serial);
    add("parallel_s", "cycles", result.parallel);
    if (!result.serial.empty() && !result.parallel.empty()) {
      object["speed_up"] = median(result.serial) / median(result.parallel);
    }
    if (!result.parallel.empty()) object["check"] = verdict(result, verified);
    object["serial_runs"] = result.serial;
    object["runs"] = result.parallel;
    fmt::print("{}\n", object.dump());
  }

  std::string name;
  CLI::App parser;
  std::vector<Setting> settings;
  Inputs inputs;  // their names and options
  // A simulated machine does the same every time.
  Runs runs{.repeat = is_simulated() ? 1 : 3};
  bool check = false;
  bool json = false;
};

Program::Program(std::string name, std::string text)
    : state_(std::make_unique<State>(std::move(name), std::move(text))) {}
Program::~Program() = default;

void Program::option(const std::string& name, std::int64_t& value, Range<std::int64_t> range,
                     const std::string& text) {
  state_->add(name, value, range, text);
}
void Program::option(const std::string& name, std::size_t& value, Range<std::size_t> range,
                     const std::string& text) {
  state_->add(name, value, range, text);
}
void Program::option(const std::string& name, double& value, Range<double> range,
                     const std::string& text) {
  state_->add(name, value, range, text);
}

void Program::option(const std::string& name, std::string& path, const std::string& text) {
  state_->parser.add_option("--" + name, path, text);
}

void Program::choice(const std::string& name, std::string& value,
                     const std::vector<std::string>& values, const std::string& text) {
  state_->parser.add_option("--" + name, value, text)
      ->capture_default_str()
      ->check(CLI::IsMember(values));
  state_->settings.push_back({name, &value});
}

void Program::styles(std::string& value) {
  choice("style", value, {"loops", "tasks"},
         "parallel loops with a wait after each, or tasks in the order of their data");
}

void Program::report(const std::string& name, const std::int64_t& value) {
  state_->settings.push_back({name, &value});
}
void Program::report(const std::string& name, const std::size_t& value) {
  state_->settings.push_back({name, &value});
}

void Program::named(const std::string& name, const std::string& options) {
  state_->inputs.emplace_back(name, options);
}

void Program::parse(int argc, char** argv) {
  std::string name;
  if (!state_->inputs.empty()) {
    state_->parser.add_option("--named", name, "an input of the paper; --names lists them");
  }
  std::vector<std::string> words;  // the last one first, as the parser takes them
  for (int i = argc - 1; i > 0; --i) words.emplace_back(argv[i]);
  split_named(words);
  try {
    state_->parser.name(argv[0]);
    state_->parser.parse(with_named_options(std::move(words), state_->inputs));
    if (const std::string mistake = machine_mistake(); !mistake.empty()) {
      throw CLI::ValidationError(mistake);
    }
  } catch (const CLI::ParseError& error) {
    std::exit(state_->parser.exit(error));
  }
}

void Program::refuse(const std::string& why) const {
  std::exit(state_->parser.exit(CLI::ValidationError(why)));
}

int Program::run(const Kernel& kernel) const {
  Result result = measure(kernel, state_->name, state_->runs);
  const bool verified = state_->check && kernel.verify != nullptr && !result.parallel.empty();
  if (verified) result.fault = kernel.verify();
  if (state_->json) {
    state_->print_json(result, verified);
  } else {
    state_->print_table(result, verified);
  }
  return result.same && result.fault.empty() ? 0 : 1;
}

}  // namespace kernels
