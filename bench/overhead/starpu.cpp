// SPDX-License-Identifier: Apache-2.0
//
// Overhead of StarPU tasks: starpu_task_create() + starpu_task_submit() with a data handle for each
// object; the handles are registered before the clock starts. StarPU forbids to wait inside a task,
// so there is no fib. Its main thread only submits: with N threads it is one more besides N
// workers.
#include "harness/starpu.hpp"

#include <algorithm>

#include "harness/program.hpp"

namespace {

using myr::bench::Bench;
using myr::bench::Object;
using myr::bench::Pattern;
namespace starpu = myr::bench::starpu;

void increment(void**, void* own) { ++static_cast<Object*>(own)->value; }

class StarPu final : public myr::bench::Runtime {
 public:
  explicit StarPu(unsigned threads) : machine_(threads) {}

  std::vector<Object*> make_objects(std::size_t count) override {
    std::vector<Object*> objects = Runtime::make_objects(count);
    for (Object* object : objects) handles_.push_back(starpu::make_handle(object));
    return objects;
  }

  void free_objects() override {
    for (starpu_data_handle_t handle : handles_) starpu_data_unregister(handle);
    handles_.clear();
    Runtime::free_objects();
  }

  void spawn(const Pattern& pattern, std::size_t first, std::size_t last) override {
    for (std::size_t i = first; i < last; ++i) {
      Object* const* objects = pattern.of(i);
      starpu_task* task = starpu_task_create();
      task->cl = &codelet_;
      task->cl_arg = objects[0];
      const starpu::Accesses accesses = starpu::make_accesses(*task, pattern.deps);
      std::copy_n(handles_.data() + (objects - pattern.objects.data()), pattern.deps,
                  accesses.handles);
      std::fill_n(accesses.modes, pattern.deps, STARPU_RW);
      starpu::check(starpu_task_submit(task));
    }
  }

  void wait() override { starpu::check(starpu_task_wait_for_all()); }

  [[nodiscard]] bool can_run(Bench bench) const override {
    return Runtime::can_run(bench) && bench != Bench::Fib;
  }
  std::uint64_t fib(unsigned) override { return 0; }

 private:
  starpu::Machine machine_;
  starpu_codelet codelet_ = starpu::make_codelet(increment);
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace

int main(int argc, char** argv) {
  const myr::bench::Options options = myr::bench::parse_options(argc, argv);
  StarPu runtime(options.threads);
  // A handle takes kilobytes, and with more workers than cores a task takes tens of microseconds.
  return myr::bench::run_program(options, {.name = "starpu", .tasks_max = 1'000}, runtime);
}
