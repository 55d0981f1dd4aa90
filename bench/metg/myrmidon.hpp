// SPDX-License-Identifier: Apache-2.0
//
// METG of Myrmidon: the C interface, whose arrays of accesses suit tasks with as many inputs as it
// happens. Outputs are objects of one region. Shared by the program that analyses each run of a
// graph and the one that records it.
#pragma once

#include <vector>

#include "harness/myrmidon.hpp"
#include "metg/program.hpp"

namespace metg {

class Myrmidon : public Runtime {
 public:
  explicit Myrmidon(unsigned threads) : machine_(threads) {}

  std::vector<Output*> make_outputs(std::size_t count, std::size_t lines) override {
    return machine_.make_objects<Output>(count, lines);
  }
  void free_outputs() override { machine_.free_objects(); }

  void run(const Graph& graph) override {
    spawn_all(graph);
    myr_wait_all();
  }

 protected:
  void spawn_all(const Graph& graph) {
    for (const Task& task : graph.tasks()) spawn(task);
  }

 private:
  static void body(const myr_access* arguments) {
    metg::run(*static_cast<const Task*>(arguments[0].address));
  }

  void spawn(const Task& task) {
    accesses_.clear();
    accesses_.push_back(myr_pointer(&task));
    accesses_.push_back(myr_out(task.output));
    for (std::uint32_t i = 0; i < task.input_count; ++i) {
      accesses_.push_back(myr_in(task.inputs[i]->output));
    }
    myr_spawn_array(body, accesses_.data(), accesses_.size());
  }

  myr::bench::MyrmidonMachine machine_;
  std::vector<myr_access> accesses_;  // of the task that is being spawned
};

}  // namespace metg
