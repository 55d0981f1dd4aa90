// SPDX-License-Identifier: Apache-2.0
//
// The task graphs of the METG benchmark: columns side by side that all advance step by step, and
// eleven patterns of which columns need the output of which. The patterns are those of Task Bench
// (Slaughter et al., "Task Bench: A Parameterized Benchmark for Evaluating Parallel Runtime
// Performance", SC20), with its definitions. Everything here is the same for all runtimes.
//
// Threads: a Graph is built and changed by one thread; tasks only read it while it runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace metg {

// x is the column of a task and t its step; it needs outputs of step t - 1.
enum class Pattern {
  Trivial,            // none
  NoComm,             // x
  Stencil1d,          // x - 1, x, x + 1
  Stencil1dPeriodic,  // the same, where the first and the last column are neighbours
  Dom,                // x - 1, x: a sweep, which begins and ends with one column
  Tree,               // x / 2, and the number of columns doubles until it is the width
  Fft,                // x - 2^k, x, x + 2^k; k takes turns with the steps
  Nearest,            // the five columns around x
  Spread,             // x and four others, as far from each other as can be, moving with the steps
  RandomNearest,      // x, and each of its four neighbours with probability 1/4
  AllToAll,           // all
};
inline constexpr Pattern kPatterns[] = {
    Pattern::Trivial, Pattern::NoComm,        Pattern::Stencil1d, Pattern::Stencil1dPeriodic,
    Pattern::Dom,     Pattern::Tree,          Pattern::Fft,       Pattern::Nearest,
    Pattern::Spread,  Pattern::RandomNearest, Pattern::AllToAll,
};
[[nodiscard]] const char* name_of(Pattern pattern);

struct Shape {
  Pattern pattern;
  int width;  // columns, at least 1
  int steps;
  int graphs = 1;           // side by side, which have nothing to do with each other
  std::uint32_t lines = 1;  // of an output, at least 1
};

// The columns [first, last) of each graph that have a task in the given step.
struct Columns {
  int first;
  int last;
  friend bool operator==(const Columns&, const Columns&) = default;
};
[[nodiscard]] Columns columns_at(const Shape& shape, int step);

// The columns whose output of the step before a task needs, in rising order and without
// duplicates.
[[nodiscard]] std::vector<int> dependences(const Shape& shape, int step, int column);

// A cache line of what tasks hand on: each tells who wrote it, so that a reader can check.
struct alignas(64) Output {
  int step;
  int column;
  double value;  // what the work comes to: nobody reads it, but without it there would be no work
};

// What a task does besides checking its inputs.
enum class Work { Compute, Memory, Imbalanced };
inline constexpr Work kWorks[] = {Work::Compute, Work::Memory, Work::Imbalanced};
[[nodiscard]] const char* name_of(Work work);

struct Task {
  int step;
  int column;  // counted through all graphs
  Work work;
  std::uint32_t iterations;
  std::uint32_t lines;
  std::uint32_t input_count;
  const Task* const* inputs;  // the tasks whose outputs this one needs
  Output* output;             // `lines` of them
};

// Has the task written all of its output?
[[nodiscard]] bool is_complete(const Task& task);

// All tasks, in an order in which a serial program could run them.
class Graph {
 public:
  explicit Graph(const Shape& shape);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  [[nodiscard]] std::span<const Task> tasks() const noexcept { return tasks_; }
  // Gives each task its output. REQUIRES: as many as there are tasks.
  void set_outputs(std::span<Output* const> outputs);
  // Gives each task its work. Imbalanced tasks get 0 to 2 * `iterations`, evenly distributed.
  void set_work(Work work, std::uint32_t iterations);
  // Iterations of all tasks together.
  [[nodiscard]] std::uint64_t iterations() const;
  // Fills all outputs with what no task writes, so that an old output cannot pass for a new one.
  void clear_outputs();
  // Has every task written its output? Call it when all have run.
  [[nodiscard]] bool all_ran() const;

 private:
  void add_step(const Shape& shape, int graph, int step, std::size_t before_first,
                std::vector<std::size_t>& inputs);

  std::vector<Task> tasks_;
  std::vector<const Task*> inputs_;
};

}  // namespace metg
