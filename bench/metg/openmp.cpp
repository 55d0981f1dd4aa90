// SPDX-License-Identifier: Apache-2.0
//
// METG of OpenMP tasks: built by g++ for libgomp and by clang++ for LLVM's libomp. The inputs of a
// task are `depend` clauses with an iterator, as OpenMP 5.0 has them for lists whose length is not
// part of the source text; one thread spawns inside parallel + single, whose end waits for all.
#include "harness/openmp.hpp"

#include "metg/program.hpp"

namespace {

using metg::Graph;
using metg::Task;

class OpenMp final : public metg::Runtime {
 public:
  explicit OpenMp(int threads) : threads_(threads) {}

  void run(const Graph& graph) override {
#pragma omp parallel num_threads(threads_)
#pragma omp single
    for (const Task& task : graph.tasks()) spawn(&task);
  }

 private:
  static void spawn(const Task* task) {
#pragma omp task firstprivate(task)                                                            \
    depend(iterator(std::uint32_t i = 0 : task -> input_count), in : *task->inputs[i]->output) \
    depend(out : *task->output)
    metg::run(*task);
  }

  int threads_;
};

}  // namespace

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  OpenMp runtime(options.threads);
  return metg::run_program(options, {.name = myr::bench::kOpenMpRuntime}, runtime);
}
