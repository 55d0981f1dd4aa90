// SPDX-License-Identifier: Apache-2.0
//
// What the StarPU programs of the benchmarks share: starting it as a plain thread pool, registering
// memory, and tasks with any number of handles.
#pragma once

#include <starpu.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace myr::bench::starpu {

constexpr int kExitSkipped = 77;

inline void check(int status) {
  if (status == 0) return;
  std::fprintf(stderr, "StarPU refused a call: error %d\n", status);
  std::exit(1);
}

// StarPU with so many workers while this object lives. Ends the program with kExitSkipped if the
// computer cannot have them.
class Machine {
 public:
  explicit Machine(unsigned threads) {
    // Plain threads without accelerators: no time goes into looking for devices or measuring buses.
    setenv("STARPU_SILENT", "1", 0);
    setenv("STARPU_CALIBRATE", "0", 0);
    starpu_conf conf;
    check(starpu_conf_init(&conf));
    conf.ncpus = static_cast<int>(threads);
    conf.ncuda = 0;
    conf.nopencl = 0;
    check(starpu_init(&conf));
    if (starpu_cpu_worker_get_count() == threads) return;
    std::fprintf(stderr, "StarPU gives no %u workers on this computer\n", threads);
    starpu_shutdown();
    std::exit(kExitSkipped);
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine() { starpu_shutdown(); }
};

inline starpu_codelet make_codelet(starpu_cpu_func_t function) {
  starpu_codelet codelet{};
  codelet.cpu_funcs[0] = function;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  return codelet;
}

template <class T>
starpu_data_handle_t make_handle(T* object) {
  starpu_data_handle_t handle = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(object);
  starpu_variable_data_register(&handle, STARPU_MAIN_RAM, address, sizeof(T));
  return handle;
}

// Where a task's handles and their modes go.
struct Accesses {
  starpu_data_handle_t* handles;
  starpu_data_access_mode* modes;
};

// A task has room for STARPU_NMAXBUFS handles; longer lists are allocated, and freed by StarPU.
inline Accesses make_accesses(starpu_task& task, unsigned count) {
  task.nbuffers = static_cast<int>(count);
  if (count <= STARPU_NMAXBUFS) return {task.handles, task.modes};
  const std::size_t size = count;
  task.dyn_handles = static_cast<starpu_data_handle_t*>(std::malloc(size * sizeof *task.handles));
  task.dyn_modes = static_cast<starpu_data_access_mode*>(std::malloc(size * sizeof *task.modes));
  return {task.dyn_handles, task.dyn_modes};
}

}  // namespace myr::bench::starpu
