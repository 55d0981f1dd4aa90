// SPDX-License-Identifier: Apache-2.0
//
// METG of a program that keeps the dependences itself and only has a pool of threads run what is
// ready: each task has a counter of missing inputs and a list of the tasks that need its output,
// which the programmer has worked out beforehand. A task that ends counts its successors down, goes
// on with the first that is ready and spawns the others. This is as fast as such pools get, and a
// graph that is known in advance is its condition.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "metg/program.hpp"

namespace metg {

class Counters {
 public:
  struct Node {
    const Task* task;
    std::atomic<std::uint32_t> missing;
    std::vector<Node*> successors;
  };

  void prepare(const Graph& graph) {
    count_ = graph.tasks().size();
    nodes_ = std::make_unique<Node[]>(count_);
    const Task* const first = graph.tasks().data();
    for (const Task& task : graph.tasks()) {
      Node& node = nodes_[static_cast<std::size_t>(&task - first)];
      node.task = &task;
      for (std::uint32_t i = 0; i < task.input_count; ++i) {
        nodes_[static_cast<std::size_t>(task.inputs[i] - first)].successors.push_back(&node);
      }
    }
  }

  // Calls spawn(node) for each task that needs no input; run_from(node, spawn) does the rest.
  template <class Spawn>
  void start(const Spawn& spawn) {
    for (std::size_t i = 0; i < count_; ++i) {
      nodes_[i].missing.store(nodes_[i].task->input_count, std::memory_order_relaxed);
    }
    for (std::size_t i = 0; i < count_; ++i) {
      if (nodes_[i].task->input_count == 0) spawn(&nodes_[i]);
    }
  }

  template <class Spawn>
  static void run_from(Node* node, const Spawn& spawn) {
    while (node != nullptr) {
      metg::run(*node->task);
      Node* next = nullptr;
      for (Node* successor : node->successors) {
        if (successor->missing.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        if (next == nullptr) {
          next = successor;
        } else {
          spawn(successor);
        }
      }
      node = next;
    }
  }

 private:
  std::size_t count_ = 0;
  std::unique_ptr<Node[]> nodes_;
};

}  // namespace metg
