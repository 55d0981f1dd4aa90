// SPDX-License-Identifier: Apache-2.0
#include "metg/graph.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace metg {
namespace {

constexpr int kRadix = 5;      // how many outputs a task of Nearest, Spread, RandomNearest sees
constexpr int kPeriodMax = 3;  // after how many steps Spread and RandomNearest repeat
constexpr double kFraction = 0.25;  // of its neighbours a task of RandomNearest needs

// A number from 0 inclusive to 1 exclusive that only depends on the arguments (SplitMix64).
double uniform(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  std::uint64_t x = 0;
  for (const std::uint64_t word : {a, b, c}) {
    x = (x ^ word) + 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    x ^= x >> 31;
  }
  return static_cast<double>(x >> 11) * 0x1p-53;
}

// Neighbours at the distances [-below, above].
std::vector<int> around(int column, int below, int above) {
  std::vector<int> columns;
  for (int other = column - below; other <= column + above; ++other) columns.push_back(other);
  return columns;
}

std::vector<int> periodic(const Shape& shape, int column) {
  return {(column + shape.width - 1) % shape.width, column, (column + 1) % shape.width};
}

std::vector<int> butterfly(const Shape& shape, int step, int column) {
  const int levels = std::max(1, static_cast<int>(std::bit_width(unsigned(shape.width - 1))));
  const int distance = 1 << ((step + levels - 1) % levels);
  return {column - distance, column, column + distance};
}

std::vector<int> spread(const Shape& shape, int step, int column) {
  const int period = std::min(kPeriodMax, (shape.width + kRadix - 1) / kRadix);
  std::vector<int> columns = {column};
  for (int i = 1; i < kRadix; ++i) {
    columns.push_back((column + i * shape.width / kRadix + step % period) % shape.width);
  }
  return columns;
}

std::vector<int> some_nearest(int step, int column) {
  std::vector<int> columns = around(column, kRadix / 2, kRadix / 2);
  std::erase_if(columns, [&](int other) {
    return other != column && uniform(step % kPeriodMax, column, other) >= kFraction;
  });
  return columns;
}

// Possibly with duplicates, out of order, and with columns that do not exist.
std::vector<int> wanted(const Shape& shape, int step, int column) {
  switch (shape.pattern) {
    case Pattern::Trivial:
      return {};
    case Pattern::NoComm:
      return {column};
    case Pattern::Stencil1d:
      return around(column, 1, 1);
    case Pattern::Stencil1dPeriodic:
      return periodic(shape, column);
    case Pattern::Dom:
      return around(column, 1, 0);
    case Pattern::Tree:
      return {column / 2};
    case Pattern::Fft:
      return butterfly(shape, step, column);
    case Pattern::Nearest:
      return around(column, kRadix / 2, kRadix / 2);
    case Pattern::Spread:
      return spread(shape, step, column);
    case Pattern::RandomNearest:
      return some_nearest(step, column);
    case Pattern::AllToAll:
      return around(0, 0, shape.width - 1);
  }
  return {};
}

}  // namespace

const char* name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::Trivial:
      return "trivial";
    case Pattern::NoComm:
      return "no_comm";
    case Pattern::Stencil1d:
      return "stencil_1d";
    case Pattern::Stencil1dPeriodic:
      return "stencil_1d_periodic";
    case Pattern::Dom:
      return "dom";
    case Pattern::Tree:
      return "tree";
    case Pattern::Fft:
      return "fft";
    case Pattern::Nearest:
      return "nearest";
    case Pattern::Spread:
      return "spread";
    case Pattern::RandomNearest:
      return "random_nearest";
    case Pattern::AllToAll:
      return "all_to_all";
  }
  return "";
}

const char* name_of(Work work) {
  switch (work) {
    case Work::Compute:
      return "compute";
    case Work::Memory:
      return "memory";
    case Work::Imbalanced:
      return "imbalanced";
  }
  return "";
}

Columns columns_at(const Shape& shape, int step) {
  if (step < 0 || step >= shape.steps) return {0, 0};
  if (shape.pattern == Pattern::Tree) {
    return {0, step < 30 ? std::min(shape.width, 1 << step) : shape.width};
  }
  if (shape.pattern == Pattern::Dom) {
    // A parallelogram with its corners cut: the last steps lose columns from the left.
    const int first = std::max(0, step + shape.width - shape.steps);
    return {first, first + std::min({shape.width, step + 1, shape.steps - step})};
  }
  return {0, shape.width};
}

std::vector<int> dependences(const Shape& shape, int step, int column) {
  const Columns before = columns_at(shape, step - 1);
  std::vector<int> columns = wanted(shape, step, column);
  std::erase_if(columns, [&](int other) { return other < before.first || other >= before.last; });
  std::sort(columns.begin(), columns.end());
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  return columns;
}

bool is_complete(const Task& task) {
  return std::all_of(task.output, task.output + task.lines, [&](const Output& line) {
    return line.step == task.step && line.column == task.column;
  });
}

Graph::Graph(const Shape& shape) {
  std::vector<std::size_t> input_tasks;
  std::size_t before_first = 0;  // the first task of the step before
  for (int step = 0; step < shape.steps; ++step) {
    const std::size_t first = tasks_.size();
    for (int graph = 0; graph < shape.graphs; ++graph) {
      add_step(shape, graph, step, before_first, input_tasks);
    }
    before_first = first;
  }
  for (const std::size_t index : input_tasks) inputs_.push_back(&tasks_[index]);
  const Task* const* next = inputs_.data();
  for (Task& task : tasks_) {
    task.inputs = next;
    next += task.input_count;
  }
}

// One graph's tasks of a step; the numbers of those that they need go to `inputs`.
void Graph::add_step(const Shape& shape, int graph, int step, std::size_t before_first,
                     std::vector<std::size_t>& inputs) {
  const Columns before = columns_at(shape, step - 1);
  const Columns columns = columns_at(shape, step);
  const int first_before = graph * (before.last - before.first) - before.first;
  for (int column = columns.first; column < columns.last; ++column) {
    const std::vector<int> needed = dependences(shape, step, column);
    for (const int other : needed) {
      inputs.push_back(before_first + static_cast<std::size_t>(first_before + other));
    }
    tasks_.push_back({.step = step,
                      .column = graph * shape.width + column,
                      .work = Work::Compute,
                      .iterations = 0,
                      .lines = shape.lines,
                      .input_count = static_cast<std::uint32_t>(needed.size()),
                      .inputs = nullptr,
                      .output = nullptr});
  }
}

void Graph::set_outputs(std::span<Output* const> outputs) {
  for (std::size_t i = 0; i < tasks_.size(); ++i) tasks_[i].output = outputs[i];
}

void Graph::set_work(Work work, std::uint32_t iterations) {
  for (Task& task : tasks_) {
    task.work = work;
    task.iterations = iterations;
    if (work != Work::Imbalanced) continue;
    const double factor = 2 * uniform(1, std::uint64_t(task.step), std::uint64_t(task.column));
    task.iterations = static_cast<std::uint32_t>(std::lround(factor * iterations));
  }
}

std::uint64_t Graph::iterations() const {
  std::uint64_t sum = 0;
  for (const Task& task : tasks_) sum += task.iterations;
  return sum;
}

void Graph::clear_outputs() {
  for (const Task& task : tasks_) {
    std::fill_n(task.output, task.lines, Output{.step = -1, .column = -1, .value = 0});
  }
}

bool Graph::all_ran() const {
  return std::all_of(tasks_.begin(), tasks_.end(),
                     [](const Task& task) { return is_complete(task); });
}

}  // namespace metg
