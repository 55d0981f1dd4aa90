// SPDX-License-Identifier: Apache-2.0
//
// Variables: for tests (MYR_POISON), which of the program's variables with static storage main has
// changed since the program began, so that other processes have an older value. By the program's
// table of symbols; none is known of one without a table, or that contains this library itself.
//
// Threads: main's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cluster/mpi/modules.hpp"

namespace myr::cluster::mpi {

class Variables {
 public:
  struct Variable {
    std::span<const std::byte> memory;
    std::string name;              // as in the table of symbols
    std::vector<std::byte> known;  // what other processes have there
    bool is_changed = false;
  };

  // As they are now.
  explicit Variables(const Modules& modules);

  // Those that have changed since the last call.
  [[nodiscard]] std::vector<const Variable*> find_changed();
  // Others are told what is there.
  void shared(std::span<const std::byte> memory);

 private:
  std::vector<Variable> variables_;
};

// As the program's source has it.
[[nodiscard]] std::string name_in_source(const Variables::Variable& variable);

}  // namespace myr::cluster::mpi
