// SPDX-License-Identifier: Apache-2.0
//
// The variables of LLVM's library, KMP_...: some say what an OMP_ variable says, which counts if
// both are set; those of the others that would change what a program does are named, as ignored.
#pragma once

namespace myr::omp {

// After the OMP_ variables were read, before read_places().
void read_kmp_variables();

}  // namespace myr::omp
