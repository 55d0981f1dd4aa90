// SPDX-License-Identifier: Apache-2.0
#include "metg/graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "metg/body.hpp"

namespace metg {
namespace {

using List = std::vector<int>;

constexpr int kWidths[] = {1, 2, 5, 8, 13};
constexpr int kSteps = 20;

TEST_CASE("trivial tasks need nothing, those of no_comm their own column") {
  CHECK(dependences({Pattern::Trivial, 8, 9}, 3, 4).empty());
  CHECK(dependences({Pattern::NoComm, 8, 9}, 3, 4) == List{4});
}

TEST_CASE("stencils need their neighbours, and only the periodic one has no rim") {
  CHECK(dependences({Pattern::Stencil1d, 8, 9}, 3, 4) == List{3, 4, 5});
  CHECK(dependences({Pattern::Stencil1d, 8, 9}, 3, 0) == List{0, 1});
  CHECK(dependences({Pattern::Stencil1dPeriodic, 8, 9}, 3, 0) == List{0, 1, 7});
  CHECK(dependences({Pattern::Stencil1dPeriodic, 8, 9}, 3, 7) == List{0, 6, 7});
  CHECK(dependences({Pattern::Stencil1dPeriodic, 2, 9}, 3, 0) == List{0, 1});
}

TEST_CASE("a sweep begins with the first column and ends with the last") {
  const Shape shape{Pattern::Dom, 4, 6};
  CHECK(columns_at(shape, 0) == Columns{0, 1});
  CHECK(columns_at(shape, 1) == Columns{0, 2});
  CHECK(columns_at(shape, 3) == Columns{1, 4});
  CHECK(columns_at(shape, 5) == Columns{3, 4});
  CHECK(dependences(shape, 1, 1) == List{0});
  CHECK(dependences(shape, 2, 1) == List{0, 1});
}

TEST_CASE("a tree doubles its columns until it is as wide as it may be") {
  const Shape shape{Pattern::Tree, 6, 40};
  CHECK(columns_at(shape, 0) == Columns{0, 1});
  CHECK(columns_at(shape, 2) == Columns{0, 4});
  CHECK(columns_at(shape, 3) == Columns{0, 6});
  CHECK(columns_at(shape, 39) == Columns{0, 6});
  CHECK(dependences(shape, 3, 5) == List{2});
}

TEST_CASE("the distances of an FFT are the powers of two below the width, in turn") {
  const Shape shape{Pattern::Fft, 8, 9};
  CHECK(dependences(shape, 1, 3) == List{2, 3, 4});
  CHECK(dependences(shape, 2, 3) == List{1, 3, 5});
  CHECK(dependences(shape, 3, 3) == List{3, 7});
  CHECK(dependences(shape, 4, 3) == List{2, 3, 4});
}

TEST_CASE("nearest needs five columns, all_to_all each, spread five far apart") {
  CHECK(dependences({Pattern::Nearest, 8, 9}, 3, 4) == List{2, 3, 4, 5, 6});
  CHECK(dependences({Pattern::Nearest, 8, 9}, 3, 7) == List{5, 6, 7});
  CHECK(dependences({Pattern::AllToAll, 3, 9}, 3, 1) == List{0, 1, 2});
  CHECK(dependences({Pattern::Spread, 20, 9}, 3, 1) == List{1, 5, 9, 13, 17});
  CHECK(dependences({Pattern::Spread, 20, 9}, 4, 1) == List{1, 6, 10, 14, 18});
}

TEST_CASE("random_nearest needs its own column and about a quarter of its neighbours") {
  const Shape shape{Pattern::RandomNearest, 1000, 4};
  std::size_t others = 0;
  for (int column = 2; column < 998; ++column) {
    const List columns = dependences(shape, 1, column);
    CHECK(std::count(columns.begin(), columns.end(), column) == 1);
    CHECK(columns.front() >= column - 2);
    CHECK(columns.back() <= column + 2);
    others += columns.size() - 1;
  }
  CHECK(others > 900);
  CHECK(others < 1100);
}

TEST_CASE("the first step needs nothing, and all others only what there is") {
  for (const Pattern pattern : kPatterns) {
    for (const int width : kWidths) {
      const Shape shape{pattern, width, kSteps};
      CHECK(columns_at(shape, -1).first == columns_at(shape, -1).last);
      for (int step = 0; step < kSteps; ++step) {
        const Columns before = columns_at(shape, step - 1);
        const Columns columns = columns_at(shape, step);
        CHECK(columns.first < columns.last);
        CHECK(columns.last <= width);
        for (int column = columns.first; column < columns.last; ++column) {
          for (const int other : dependences(shape, step, column)) {
            CHECK(other >= before.first);
            CHECK(other < before.last);
          }
        }
      }
    }
  }
}

struct Example {
  explicit Example(Pattern pattern, int graphs = 1, std::uint32_t lines = 1)
      : graph({pattern, 5, kSteps, graphs, lines}), memory(graph.tasks().size() * lines) {
    std::vector<Output*> outputs;
    for (std::size_t i = 0; i < memory.size(); i += lines) outputs.push_back(&memory[i]);
    graph.set_outputs(outputs);
    graph.clear_outputs();
  }
  Graph graph;
  std::vector<Output> memory;
};

TEST_CASE("a graph's tasks come after those whose outputs they need, and run in this order") {
  for (const Pattern pattern : kPatterns) {
    CAPTURE(name_of(pattern));
    Example example(pattern);
    example.graph.set_work(Work::Imbalanced, 3);
    const std::size_t wrong_before = wrong_inputs();
    for (const Task& task : example.graph.tasks()) {
      for (std::uint32_t i = 0; i < task.input_count; ++i) {
        CHECK(task.inputs[i] < &task);
        CHECK(task.inputs[i]->step == task.step - 1);
      }
      CHECK_FALSE(example.graph.all_ran());
      run(task);
    }
    CHECK(example.graph.all_ran());
    CHECK(wrong_inputs() == wrong_before);
  }
}

TEST_CASE("graphs side by side are the same graph, and need nothing of each other") {
  for (const Pattern pattern : kPatterns) {
    CAPTURE(name_of(pattern));
    const Example one(pattern);
    Example three(pattern, 3, 2);
    CHECK(three.graph.tasks().size() == 3 * one.graph.tasks().size());
    for (const Task& task : three.graph.tasks()) {
      const std::vector<int> needed = dependences({pattern, 5, kSteps}, task.step, task.column % 5);
      CHECK(task.input_count == needed.size());
      for (std::uint32_t i = 0; i < task.input_count; ++i) {
        CHECK(task.inputs[i]->column == task.column / 5 * 5 + needed[i]);
        CHECK(task.inputs[i]->step == task.step - 1);
      }
      run(task);
    }
    CHECK(three.graph.all_ran());
    three.memory.back().step = 0;  // in the second line of an output
    CHECK_FALSE(three.graph.all_ran());
  }
}

TEST_CASE("a task notices an input that is not there yet") {
  Example example(Pattern::NoComm);
  const std::size_t wrong_before = wrong_inputs();
  run(example.graph.tasks().back());
  CHECK(wrong_inputs() == wrong_before + 1);
}

TEST_CASE("imbalanced tasks have the given work on average") {
  Graph graph({Pattern::Trivial, 100, 100});
  graph.set_work(Work::Compute, 100);
  CHECK(graph.iterations() == 1'000'000);
  graph.set_work(Work::Imbalanced, 100);
  CHECK(graph.iterations() > 980'000);
  CHECK(graph.iterations() < 1'020'000);
  const auto [least, most] =
      std::minmax_element(graph.tasks().begin(), graph.tasks().end(),
                          [](const Task& a, const Task& b) { return a.iterations < b.iterations; });
  CHECK(least->iterations < 5);
  CHECK(most->iterations > 195);
}

}  // namespace
}  // namespace metg
