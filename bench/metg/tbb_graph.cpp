// SPDX-License-Identifier: Apache-2.0
//
// METG of oneTBB's flow graph: a continue_node a task and an edge for each input, which is how
// oneTBB says that a task must wait for others. The program builds, runs and destroys the graph
// within the measured time, as the other runtimes find their dependences in that time.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>

#include <deque>

#include "metg/program.hpp"

namespace {

using metg::Graph;
using metg::Task;
using oneapi::tbb::global_control;
namespace flow = oneapi::tbb::flow;

class FlowGraph final : public metg::Runtime {
 public:
  explicit FlowGraph(int threads)
      : limit_(global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)) {}

  void run(const Graph& graph) override {
    flow::graph tasks;
    std::deque<Node> nodes;  // nodes may not move
    const Task* const first = graph.tasks().data();
    for (const Task& task : graph.tasks()) {
      Node& node =
          nodes.emplace_back(tasks, [&task](const flow::continue_msg&) { metg::run(task); });
      for (std::uint32_t i = 0; i < task.input_count; ++i) {
        flow::make_edge(nodes[static_cast<std::size_t>(task.inputs[i] - first)], node);
      }
    }
    // An edge made after its source has run would be ignored; so nothing starts before this.
    for (const Task& task : graph.tasks()) {
      if (task.input_count == 0) nodes[static_cast<std::size_t>(&task - first)].try_put({});
    }
    tasks.wait_for_all();
  }

 private:
  using Node = flow::continue_node<flow::continue_msg>;
  global_control limit_;
};

}  // namespace

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  FlowGraph runtime(options.threads);
  return metg::run_program(options, {.name = "onetbb-flow"}, runtime);
}
