// SPDX-License-Identifier: Apache-2.0
//
// The tree kernel: options, the two versions, and a check that needs no tree. See README.md.
#include <cstdint>
#include <string>
#include <vector>

#include "common/program.hpp"
#include "myrmics/tree/tree.hpp"

namespace {

// The skyline without a tree: all intervals of one level side by side, level after level.
tree::Skyline skyline_by_levels(std::int64_t levels) {
  const std::size_t points = std::size_t{1} << levels;
  std::vector<double> heights(points + 1);
  tree::Interval interval;
  for (std::size_t width = points; width > 1; width /= 2) {
    for (std::size_t left = 0; left < points; left += width) {
      interval.left_height = heights[left];
      interval.right_height = heights[left + width];
      heights[left + width / 2] = tree::middle_height(interval);
      interval.index += 1;
    }
    interval.roughness = interval.left_half(0).roughness;
  }
  tree::Skyline skyline;
  for (std::size_t i = 1; i < points; ++i) skyline.add(heights[i]);
  return skyline;
}

}  // namespace

int kernel_main(int argc, char** argv) {
  kernels::Program program("tree", "A binary tree with a region for each subtree");
  std::int64_t levels = 20;
  std::int64_t task_levels = 8;
  program.option("size", levels, {1, 26}, "levels of the tree: 2^size - 1 nodes");
  program.option("task", task_levels, {0, 26}, "levels with tasks and regions");
  program.parse(argc, argv);

  tree::Skyline expected;
  tree::Skyline result;
  return program.run({
      .serial = [&] { expected = tree::run_serial(levels); },
      .parallel = [&] { result = tree::run_tasks(levels, task_levels); },
      .same = [&] { return result == expected; },
      .verify =
          [&] { return result == skyline_by_levels(levels) ? "" : "another skyline by levels"; },
  });
}
