// SPDX-License-Identifier: Apache-2.0
//
// The MPIs of this computer: those that have both a launcher and the plug-in with which libmyrmidon
// uses them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace myr::cli {

struct Mpi {
  std::string name;      // openmpi or mpich
  std::string launcher;  // the program: mpirun.openmpi
};

// In the order in which one is chosen.
[[nodiscard]] std::vector<Mpi> installed_mpis();

// Whether launchers find it: some look in the working folder, too. Not all of them say so if not.
[[nodiscard]] bool is_found(const std::string& program);

// The words to put before a program's command to run it as so many processes, by the MPI that
// MYR_MPI names, or by the first one found.
[[nodiscard]] base::Result<std::vector<std::string>> launcher_words(unsigned process_count);

}  // namespace myr::cli
