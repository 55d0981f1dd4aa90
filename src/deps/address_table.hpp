// SPDX-License-Identifier: Apache-2.0
//
// Which task waits for which, in the simplest way there is: for each address the last task that
// writes it and the tasks that read it since. Tasks are registered in the order of the serial
// program. It is the reference for everything that tracks dependences faster: the tests of hw/ run
// it in lockstep with the hardware, those of graph with the tasks' links. One thread at a time.
//
// Invariants
//   1. A task waits for each earlier task that has not retired and that writes what it names, or
//      reads what it writes, at most once; never for itself.
//   2. Addresses match exactly: what lies between two of them is nobody's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "deps/access_path.hpp"

namespace myr::deps {

// One dependence of a task. Writing includes reading.
struct AddressUse {
  std::uint64_t address = 0;
  Mode mode = Mode::Read;
};

class AddressTable {
 public:
  // Registers a task that comes after all others. It may name an address several times.
  // Returns whether it may run at once. Requires an id that no task has that is registered and not
  // retired. Cost: its uses, and the readers that it waits for.
  bool add(TaskId task, std::span<const AddressUse> uses);

  // A task that could run has run. Returns the tasks that may run now, in the order of their
  // registration. Requires ready(task).
  std::vector<TaskId> retire(TaskId task);

  // Whether a registered task waits for nobody.
  [[nodiscard]] bool ready(TaskId task) const { return tasks_.at(task).waits_for == 0; }
  // Tasks that are registered and not retired.
  [[nodiscard]] std::size_t size() const noexcept { return tasks_.size(); }
  // Addresses that such a task names.
  [[nodiscard]] std::size_t address_count() const noexcept { return cells_.size(); }

 private:
  struct Task {
    std::vector<std::uint64_t> addresses;  // each once
    std::vector<TaskId> followers;         // in the order of their registration
    std::size_t waits_for = 0;
  };
  // The tasks that the next one may have to wait for; retired ones are removed.
  struct Cell {
    std::vector<TaskId> writer;  // at most one
    std::vector<TaskId> readers;
    std::size_t users = 0;  // tasks that are not retired
  };

  std::unordered_map<TaskId, Task> tasks_;
  std::unordered_map<std::uint64_t, Cell> cells_;
};

}  // namespace myr::deps
