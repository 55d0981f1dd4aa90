// SPDX-License-Identifier: Apache-2.0
//
// METG of StarPU: starpu_task_create() + starpu_task_submit() with a data handle for each output;
// the handles are registered before the clock starts. Its main thread only submits: with N threads
// it is one more besides N workers.
#include "harness/starpu.hpp"

#include "metg/program.hpp"

namespace {

using metg::Graph;
using metg::Output;
using metg::Task;
namespace starpu = myr::bench::starpu;

void body(void**, void* task) { metg::run(*static_cast<const Task*>(task)); }

class StarPu final : public metg::Runtime {
 public:
  explicit StarPu(unsigned threads) : machine_(threads) {}

  std::vector<Output*> make_outputs(std::size_t count, std::size_t lines) override {
    std::vector<Output*> outputs = Runtime::make_outputs(count, lines);
    for (Output* output : outputs) handles_.push_back(starpu::make_handle(output));
    return outputs;
  }

  void free_outputs() override {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
    handles_.clear();
    Runtime::free_outputs();
  }

  void run(const Graph& graph) override {
    for (const Task& task : graph.tasks()) submit(task, graph.tasks().data());
    starpu::check(starpu_task_wait_for_all());
  }

 private:
  void submit(const Task& task, const Task* first) {
    starpu_task* submitted = starpu_task_create();
    submitted->cl = &codelet_;
    submitted->cl_arg = const_cast<Task*>(&task);
    const starpu::Accesses accesses = starpu::make_accesses(*submitted, task.input_count + 1);
    for (std::uint32_t i = 0; i < task.input_count; ++i) {
      accesses.handles[i] = handles_[static_cast<std::size_t>(task.inputs[i] - first)];
      accesses.modes[i] = STARPU_R;
    }
    accesses.handles[task.input_count] = handles_[static_cast<std::size_t>(&task - first)];
    accesses.modes[task.input_count] = STARPU_W;
    starpu::check(starpu_task_submit(submitted));
  }

  starpu::Machine machine_;
  starpu_codelet codelet_ = starpu::make_codelet(body);
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace

int main(int argc, char** argv) {
  const metg::Options options = metg::parse_options(argc, argv);
  StarPu runtime(static_cast<unsigned>(options.threads));
  // A handle takes kilobytes, and a task tens of microseconds.
  return metg::run_program(options, {.name = "starpu", .iterations_max = 1 << 16, .steps_max = 64},
                           runtime);
}
