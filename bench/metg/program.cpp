// SPDX-License-Identifier: Apache-2.0
#include "metg/program.hpp"

#include <fmt/core.h>
#include <fnmatch.h>

#include <algorithm>
#include <cstdio>

#include "common/command_line.hpp"
#include "harness/core_clock.hpp"
#include "harness/timed_runs.hpp"

namespace metg {

Options parse_options(int argc, char** argv) {
  Options options;
  kernels::CommandLine line("Sweeps the task size in one runtime; prints one JSON object a size.");
  line.add_count("--threads", &options.threads, "threads of the runtime", 1024);
  line.add_count("--width", &options.width, "columns (default: four a thread)", 4096);
  line.add_count("--graphs", &options.graphs, "graphs side by side", 64);
  line.add_count("--output-bytes", &options.output_bytes, "what a task hands on", 1 << 24);
  line.add_count("--steps", &options.steps, "steps (default: a few milliseconds of work)",
                 1'000'000);
  line.add("--iterations", &options.iterations, "one task size instead of the sweep");
  line.add("--only", &options.only, "shell pattern of cases, such as 'stencil_*/compute'");
  line.parse(argc, argv);
  if (options.width == 0) options.width = 4 * options.threads;
  return options;
}

std::vector<Output*> Runtime::make_outputs(std::size_t count, std::size_t lines) {
  memory_ = std::vector<Output>(count * lines);
  std::vector<Output*> outputs(count);
  for (std::size_t i = 0; i < count; ++i) outputs[i] = &memory_[i * lines];
  return outputs;
}

void Runtime::free_outputs() { memory_ = {}; }

namespace {

constexpr myr::bench::RunLimits kLimits{.runs_max = 5, .ns_max = 200'000'000};
constexpr std::uint64_t kIterationsOfRun = 1 << 20;
// Enough that the narrow steps, with which some patterns begin and end, do not count.
constexpr std::uint64_t kStepsMin = 32;
// The most that all outputs have: more would measure how fast the system gives memory.
constexpr std::uint64_t kOutputBytesMax = std::uint64_t{64} << 20;
// The sweep ends when a runtime does less than this part of the work that it did in its best time.
constexpr double kRateMin = 0.2;

struct Case {
  Pattern pattern;
  Work work;
};

struct Sample {
  double ns;  // of wall time
  std::uint64_t iterations;
  std::size_t tasks;
  bool valid;
};

std::uint32_t lines_of(const Options& options) {
  return static_cast<std::uint32_t>((options.output_bytes + sizeof(Output) - 1) / sizeof(Output));
}

int steps_of(std::uint32_t iterations, const Options& options, const Profile& profile) {
  if (options.steps != 0) return options.steps;
  const auto columns = static_cast<std::uint64_t>(options.width) * options.graphs;
  const std::uint64_t wanted = kIterationsOfRun / (iterations * columns);
  const std::uint64_t fitting = kOutputBytesMax / (lines_of(options) * sizeof(Output) * columns);
  return static_cast<int>(std::clamp<std::uint64_t>(std::min(wanted, fitting), kStepsMin,
                                                    static_cast<std::uint64_t>(profile.steps_max)));
}

std::int64_t time_run(Runtime& runtime, Graph& graph, bool& valid) {
  graph.clear_outputs();
  const std::int64_t start = myr::bench::now_ns();
  runtime.run(graph);
  const std::int64_t elapsed_ns = myr::bench::now_ns() - start;
  valid = valid && graph.all_ran() && wrong_inputs() == 0;
  return elapsed_ns;
}

Sample measure(Runtime& runtime, const Shape& shape, Work work, std::uint32_t iterations) {
  Graph graph(shape);
  graph.set_outputs(runtime.make_outputs(graph.tasks().size(), shape.lines));
  graph.set_work(work, iterations);
  runtime.prepare(graph);
  Sample sample{0, graph.iterations(), graph.tasks().size(), true};
  const auto run = [&] { return time_run(runtime, graph, sample.valid); };
  sample.ns = myr::bench::time_runs(kLimits, run).median_ns;
  runtime.free_outputs();
  return sample;
}

void print(const Case& one, const Options& options, const Profile& profile, const Shape& shape,
           std::uint32_t iterations, const Sample& sample) {
  fmt::print(
      "{{\"bench\": \"metg\", \"runtime\": \"{}\", \"threads\": {}, \"pattern\": \"{}\", "
      "\"work\": \"{}\", \"width\": {}, \"steps\": {}, \"tasks\": {}, \"iterations\": {}, "
      "\"ns_per_task\": {:.2f}, \"iterations_per_ns\": {:.6f}}}\n",
      profile.name, options.threads, name_of(one.pattern), name_of(one.work), shape.width,
      shape.steps, sample.tasks, iterations,
      sample.ns * options.threads / static_cast<double>(sample.tasks),
      static_cast<double>(sample.iterations) / sample.ns);
  std::fflush(stdout);
}

// Returns whether every task ran, with the right inputs.
bool run_case(const Case& one, const Options& options, const Profile& profile, Runtime& runtime) {
  const bool sweep = options.iterations == 0;
  std::uint32_t iterations = sweep ? profile.iterations_max : options.iterations;
  double best_rate = 0;
  double rate = 0;
  do {
    const Shape shape{.pattern = one.pattern,
                      .width = options.width,
                      .steps = steps_of(iterations, options, profile),
                      .graphs = options.graphs,
                      .lines = lines_of(options)};
    const Sample sample = measure(runtime, shape, one.work, iterations);
    if (!sample.valid) {
      fmt::print(stderr, "{}: {}/{}: tasks were lost or ran before their inputs were there\n",
                 profile.name, name_of(one.pattern), name_of(one.work));
      return false;
    }
    print(one, options, profile, shape, iterations, sample);
    rate = static_cast<double>(sample.iterations) / sample.ns;
    best_rate = std::max(best_rate, rate);
    iterations /= 2;
  } while (sweep && iterations > 0 && rate >= kRateMin * best_rate);
  return true;
}

}  // namespace

int run_program(const Options& options, const Profile& profile, Runtime& runtime) {
  bool all_valid = true;
  for (const Pattern pattern : kPatterns) {
    for (const Work work : kWorks) {
      const std::string name = fmt::format("{}/{}", name_of(pattern), name_of(work));
      if (fnmatch(options.only.c_str(), name.c_str(), 0) != 0) continue;
      all_valid = run_case({pattern, work}, options, profile, runtime) && all_valid;
    }
  }
  return all_valid ? 0 : 1;
}

}  // namespace metg
