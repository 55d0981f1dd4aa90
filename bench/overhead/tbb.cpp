// SPDX-License-Identifier: Apache-2.0
//
// Overhead of oneTBB tasks. oneTBB does not derive order from addresses, so the programmer does: he
// sees that independent tasks are independent, whatever objects they use, and runs them and fib in
// a task_group. A chain is a flow graph with one edge from task to task whatever the number of
// shared objects; making and destroying the graph is part of a task's cost.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_group.h>

#include <deque>

#include "harness/program.hpp"

namespace {

using myr::bench::Object;
using myr::bench::Pattern;
using oneapi::tbb::global_control;
using oneapi::tbb::task_group;
namespace flow = oneapi::tbb::flow;

class Tbb final : public myr::bench::Runtime {
 public:
  explicit Tbb(unsigned threads) : limit_(global_control::max_allowed_parallelism, threads) {}
  ~Tbb() noexcept override {}  // task_group's own may throw, but only if tasks are left

  void spawn(const Pattern& pattern, std::size_t first, std::size_t last) override {
    if (pattern.deps != 0 && pattern.chained) {
      build_chain(pattern, first, last);
    } else {
      spawn_in_group(pattern, first, last);
    }
  }

  void wait() override {
    // An edge made after its source has run would be ignored; so a chain starts when it is
    // complete.
    if (chain_waits_) nodes_.front().try_put({});
    chain_waits_ = false;
    graph_.wait_for_all();
    nodes_.clear();
    group_.wait();
  }

  std::uint64_t fib(unsigned n) override { return fib_task(n); }

 private:
  using Node = flow::continue_node<flow::continue_msg>;

  void spawn_in_group(const Pattern& pattern, std::size_t first, std::size_t last) {
    for (std::size_t task = first; task < last; ++task) {
      group_.run([own = pattern.of(task)[0]] { ++own->value; });
    }
  }

  Node& make_node(Object* own) {
    return nodes_.emplace_back(graph_, [own](const flow::continue_msg&) { ++own->value; });
  }

  void build_chain(const Pattern& pattern, std::size_t first, std::size_t last) {
    for (std::size_t task = first; task < last; ++task) {
      Node* previous = nodes_.empty() ? nullptr : &nodes_.back();
      Node& node = make_node(pattern.of(task)[0]);
      if (previous != nullptr) flow::make_edge(*previous, node);
    }
    chain_waits_ = true;
  }

  static std::uint64_t fib_task(unsigned n) {
    if (n < 2) return n;
    std::uint64_t left = 0;
    std::uint64_t right = 0;
    task_group group;
    group.run([&left, n] { left = fib_task(n - 1); });
    group.run([&right, n] { right = fib_task(n - 2); });
    group.wait();
    return left + right;
  }

  global_control limit_;
  task_group group_;
  flow::graph graph_;
  std::deque<Node> nodes_;  // nodes may not move
  bool chain_waits_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const myr::bench::Options options = myr::bench::parse_options(argc, argv);
  Tbb runtime(options.threads);
  return myr::bench::run_program(options, {.name = "onetbb"}, runtime);
}
