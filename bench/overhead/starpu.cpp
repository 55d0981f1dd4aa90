// SPDX-License-Identifier: Apache-2.0
//
// Overhead of StarPU tasks: starpu_task_create() + starpu_task_submit() with a data handle for each
// object; the handles are registered before the clock starts. StarPU forbids to wait inside a task,
// so there is no fib. Its main thread only submits: with N threads it is one more besides N
// workers.
#include <starpu.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "harness/program.hpp"

namespace {

using myr::bench::Object;
using myr::bench::Pattern;

void increment(void**, void* own) { ++static_cast<Object*>(own)->value; }

starpu_codelet make_codelet() {
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = increment;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  return codelet;
}

void check(int status) {
  if (status == 0) return;
  std::fprintf(stderr, "StarPU refused a call: error %d\n", status);
  std::exit(1);
}

class StarPu final : public myr::bench::Runtime {
 public:
  explicit StarPu(unsigned threads) {
    // Plain threads without accelerators: no time goes into looking for devices or measuring buses.
    setenv("STARPU_SILENT", "1", 0);
    setenv("STARPU_CALIBRATE", "0", 0);
    starpu_conf conf;
    check(starpu_conf_init(&conf));
    conf.ncpus = static_cast<int>(threads);
    conf.ncuda = 0;
    conf.nopencl = 0;
    check(starpu_init(&conf));
  }
  ~StarPu() override { starpu_shutdown(); }

  [[nodiscard]] bool has_threads(unsigned threads) const {
    return starpu_cpu_worker_get_count() == threads;
  }

  std::vector<Object*> make_objects(std::size_t count) override {
    std::vector<Object*> objects = Runtime::make_objects(count);
    handles_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const auto address = reinterpret_cast<std::uintptr_t>(objects[i]);
      starpu_variable_data_register(&handles_[i], STARPU_MAIN_RAM, address, sizeof(Object));
    }
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
      declare(*task, handles_.data() + (objects - pattern.objects.data()), pattern.deps);
      check(starpu_task_submit(task));
    }
  }

  void wait() override { check(starpu_task_wait_for_all()); }

  [[nodiscard]] bool can_nest() const override { return false; }
  std::uint64_t fib(unsigned) override { return 0; }

 private:
  // A task has room for STARPU_NMAXBUFS handles; longer lists are allocated, and freed by StarPU.
  static void declare(starpu_task& task, const starpu_data_handle_t* handles, unsigned count) {
    task.nbuffers = static_cast<int>(count);
    starpu_data_handle_t* list = task.handles;
    starpu_data_access_mode* modes = task.modes;
    if (count > STARPU_NMAXBUFS) {
      list = static_cast<starpu_data_handle_t*>(std::malloc(count * sizeof *list));
      modes = static_cast<starpu_data_access_mode*>(std::malloc(count * sizeof *modes));
      task.dyn_handles = list;
      task.dyn_modes = modes;
    }
    std::copy_n(handles, count, list);
    std::fill_n(modes, count, STARPU_RW);
  }

  starpu_codelet codelet_ = make_codelet();
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace

int main(int argc, char** argv) {
  const myr::bench::Options options = myr::bench::parse_options(argc, argv);
  StarPu runtime(options.threads);
  if (!runtime.has_threads(options.threads)) {
    std::fprintf(stderr, "StarPU gives no %u workers on this computer\n", options.threads);
    return 77;
  }
  // A handle takes kilobytes, and with more workers than cores a task takes tens of microseconds.
  return myr::bench::run_program(options, {.name = "starpu", .tasks_max = 1'000}, runtime);
}
