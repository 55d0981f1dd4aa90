// SPDX-License-Identifier: Apache-2.0
//
// The METG benchmark without a runtime: the sweep over task sizes, its timing, the check that every
// task ran with the right inputs, and the output. Each program of bench/metg supplies a Runtime and
// calls run_program(); so all runtimes are measured by the same code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "metg/body.hpp"
#include "metg/graph.hpp"

namespace metg {

struct Options {
  int threads = 2;
  int width = 0;                 // columns of a graph; 0: four a thread
  int graphs = 1;                // side by side
  int output_bytes = 64;         // of a task, rounded up to cache lines
  int steps = 0;                 // 0: as many as take a few milliseconds
  std::uint32_t iterations = 0;  // a task; 0: a sweep from coarse to fine
  std::string only = "*";        // shell pattern of cases, such as "stencil_*/compute"
};

// Parses the command line; on a mistake, or for --help, prints and ends the program.
[[nodiscard]] Options parse_options(int argc, char** argv);

// One task runtime. Calls come from the main thread.
class Runtime {
 public:
  Runtime() = default;
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;
  virtual ~Runtime() = default;

  // Allocates outputs of so many lines, and whatever the runtime wants to know of them, and gives
  // them back.
  [[nodiscard]] virtual std::vector<Output*> make_outputs(std::size_t count, std::size_t lines);
  virtual void free_outputs();

  // For what a program of this runtime would work out once for a graph; not timed.
  virtual void prepare(const Graph&) {}

  // Runs all tasks of the graph, each after those whose outputs it needs. Timed.
  virtual void run(const Graph& graph) = 0;

 private:
  std::vector<Output> memory_;
};

// What differs in the run of one runtime.
struct Profile {
  const char* name;
  std::uint32_t iterations_max = 1 << 14;  // the coarsest tasks: far above the METG
  int steps_max = 500;                     // fewer for runtimes whose data need kilobytes each
};

// Runs the cases, prints a line of JSON for each task size. Returns the program's exit status: not
// 0 if a task was lost or got a wrong input.
[[nodiscard]] int run_program(const Options& options, const Profile& profile, Runtime& runtime);

}  // namespace metg
