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
#include <utility>
#include <variant>
#include <vector>

#include "common/machine.hpp"
#include "common/progress.hpp"
#include "common/virtual_time.hpp"

namespace kernels {
namespace {

using Clock = std::chrono::steady_clock;
constexpr int kLabelWidth = 12;

struct Setting {
  std::string name;
  std::variant<const std::int64_t*, const double*, const std::string*> value;
};

// What the runs took: seconds, or on a simulated machine its cycles.
struct Result {
  std::vector<double> serial;
  std::vector<double> parallel;
  std::uint64_t tasks = 0;
  bool same = true;
  std::string fault;  // what verify() found
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

template <class Function>
double seconds_of(const Function& function) {
  const Clock::time_point start = Clock::now();
  function();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Runs {
  std::int64_t repeat;
  std::int64_t work_scale;  // on a simulated machine
};

void measure_once(const Kernel& kernel, std::uint64_t work_scale, Progress& progress,
                  Result& result) {
  const auto parallel = [&] { result.tasks = kernel.parallel(); };
  if (kernel.prepare) kernel.prepare();
  result.serial.push_back(is_simulated()
                              ? static_cast<double>(declared_cycles(kernel.serial, work_scale))
                              : seconds_of(kernel.serial));
  progress.advance();
  result.parallel.push_back(is_simulated()
                                ? static_cast<double>(elapsed_cycles(parallel, work_scale))
                                : seconds_of(parallel));
  progress.advance();
  myr_wait_all();  // main may have waited without wanting the data
  if (!kernel.same()) result.same = false;
}

Result measure(const Kernel& kernel, const std::string& name, const Runs& runs) {
  Result result;
  Progress progress(name + ": run", 2 * runs.repeat);
  for (std::int64_t i = 0; i < runs.repeat; ++i) {
    measure_once(kernel, static_cast<std::uint64_t>(runs.work_scale), progress, result);
  }
  return result;
}

std::string text_of_time(double time) {
  return is_simulated() ? fmt::format("{:.0f} cycles", time) : fmt::format("{:.4f} s", time);
}

std::string text_of(const Setting& setting) {
  return std::visit([](const auto* value) { return fmt::format("{}", *value); }, setting.value);
}

std::string verdict(const Result& result, bool verified) {
  if (!result.same) return "WRONG: differs from serial";
  if (!result.fault.empty()) return "WRONG: " + result.fault;
  return verified ? "same as serial, verified" : "same as serial";
}

void print_line(const std::string& label, const std::string& value) {
  fmt::print("{:<{}}{}\n", label, kLabelWidth, value);
}

}  // namespace

struct Program::State {
  State(std::string kernel, std::string text) : name(std::move(kernel)), parser(std::move(text)) {
    parser.add_option("--repeat", runs.repeat, "runs of each version; reports give the median")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1000}));
    parser
        .add_option("--work-scale", runs.work_scale,
                    "on a simulated machine, work takes so many times as long")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
    add_machine_options(parser);
    parser.add_flag("--check", check, "verify the result in a second, independent way");
    parser.add_flag("--json", json, "print one JSON object instead of a table");
  }
  void print_table(const Result& result, bool verified) const {
    const double serial = median(result.serial);
    const double parallel = median(result.parallel);
    print_line("kernel", name);
    for (const Setting& setting : settings) print_line(setting.name, text_of(setting));
    const Machine machine = kernels::machine();
    print_line("machine", machine.text);
    print_line("serial", text_of_time(serial));
    print_line("parallel", text_of_time(parallel));
    print_line("speed-up", fmt::format("{:.2f}", serial / parallel));
    if (machine.runs_tasks) print_line("tasks", fmt::format("{}", result.tasks));
    print_line("check", verdict(result, verified));
  }
  void print_json(const Result& result, bool verified) const {
    const double serial = median(result.serial);
    const double parallel = median(result.parallel);
    nlohmann::ordered_json object{{"bench", "kernel"}, {"kernel", name}};
    for (const Setting& setting : settings) {
      std::visit([&](const auto* value) { object[setting.name] = *value; }, setting.value);
    }
    const Machine machine = kernels::machine();
    object["runtime"] = machine.runtime;
    object["machine"] = machine.name;
    object["threads"] = machine.threads;
    if (is_simulated()) {
      object["work_scale"] = runs.work_scale;
      object["serial_cycles"] = static_cast<std::uint64_t>(serial);
      object["cycles"] = static_cast<std::uint64_t>(parallel);
    } else {
      object["serial_s"] = serial;
      object["parallel_s"] = parallel;
    }
    object["speed_up"] = serial / parallel;
    if (machine.runs_tasks) object["tasks"] = result.tasks;
    object["check"] = verdict(result, verified);
    object["serial_runs"] = result.serial;
    object["runs"] = result.parallel;
    fmt::print("{}\n", object.dump());
  }

  std::string name;
  CLI::App parser;
  std::vector<Setting> settings;
  // A simulated machine does the same every time.
  Runs runs{.repeat = is_simulated() ? 1 : 3, .work_scale = 1};
  bool check = false;
  bool json = false;
};

Program::Program(std::string name, std::string text)
    : state_(std::make_unique<State>(std::move(name), std::move(text))) {}
Program::~Program() = default;

void Program::option(const std::string& name, std::int64_t& value, Range<std::int64_t> range,
                     const std::string& text) {
  state_->parser.add_option("--" + name, value, text)
      ->capture_default_str()
      ->check(CLI::Range(range.low, range.high));
  state_->settings.push_back({name, &value});
}

void Program::option(const std::string& name, double& value, Range<double> range,
                     const std::string& text) {
  state_->parser.add_option("--" + name, value, text)
      ->capture_default_str()
      ->check(CLI::Range(range.low, range.high));
  state_->settings.push_back({name, &value});
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

void Program::report(const std::string& name, const std::int64_t& value) {
  state_->settings.push_back({name, &value});
}

void Program::parse(int argc, char** argv) {
  try {
    state_->parser.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(state_->parser.exit(error));
  }
}

void Program::refuse(const std::string& why) const {
  std::exit(state_->parser.exit(CLI::ValidationError(why)));
}

int Program::run(const Kernel& kernel) const {
  Result result = measure(kernel, state_->name, state_->runs);
  const bool verified = state_->check && kernel.verify != nullptr;
  if (verified) result.fault = kernel.verify();
  if (state_->json) {
    state_->print_json(result, verified);
  } else {
    state_->print_table(result, verified);
  }
  return result.same && result.fault.empty() ? 0 : 1;
}

}  // namespace kernels
