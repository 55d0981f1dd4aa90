// SPDX-License-Identifier: Apache-2.0
//
// METG of a program that keeps the dependences itself and only has oneTBB run what is ready: each
// task has a counter of missing inputs and a list of the tasks that need its output, which the
// programmer has worked out beforehand. A task that ends counts its successors down, goes on with
// the first that is ready and gives the others to a task_group. This is as fast as oneTBB gets, and
// a graph that is known in advance is its condition.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <memory>

#include "metg/program.hpp"

namespace {

using metg::Graph;
using metg::Task;
using oneapi::tbb::global_control;
using oneapi::tbb::task_group;

struct Node {
  const Task* task;
  std::atomic<std::uint32_t> missing;
  std::vector<Node*> successors;
};

class Counters final : public metg::Runtime {
 public:
  explicit Counters(int threads)
      : limit_(global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)) {}
  ~Counters() noexcept override {}  // task_group's own may throw, but only if tasks are left

  void prepare(const Graph& graph) override {
    nodes_ = std::make_unique<Node[]>(graph.tasks().size());
    const Task* const first = graph.tasks().data();
    for (const Task& task : graph.tasks()) {
      Node& node = nodes_[static_cast<std::size_t>(&task - first)];
      node.task = &task;
      for (std::uint32_t i = 0; i < task.input_count; ++i) {
        nodes_[static_cast<std::size_t>(task.inputs[i] - first)].successors.push_back(&node);
      }
    }
  }

  void run(const Graph& graph) override {
    const std::size_t count = graph.tasks().size();
    for (std::size_t i = 0; i < count; ++i) {
      nodes_[i].missing.store(nodes_[i].task->input_count, std::memory_order_relaxed);
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (nodes_[i].task->input_count == 0) spawn(&nodes_[i]);
    }
    group_.wait();
  }

 private:
  void spawn(Node* node) {
    group_.run([this, node] { run_from(node); });
  }

  void run_from(Node* node) {
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

  global_control limit_;
  task_group group_;
  std::unique_ptr<Node[]> nodes_;
};

}  // namespace

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  Counters runtime(options.threads);
  return metg::run_program(options, {.name = "onetbb"}, runtime);
}
