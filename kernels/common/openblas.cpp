// SPDX-License-Identifier: Apache-2.0
//
// Loading of OpenBLAS; see openblas.hpp.
#include "common/openblas.hpp"

#include <dlfcn.h>

#include <cstdlib>

namespace kernels {
namespace {

template <class Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

// OpenBLAS takes a processor that is newer than itself for a very old one. So it is told what to
// use, unless the user does that.
void choose_core() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    setenv("OPENBLAS_CORETYPE", "SkylakeX", 0);
  } else if (__builtin_cpu_supports("avx2")) {
    setenv("OPENBLAS_CORETYPE", "Haswell", 0);
  }
#endif
}

const OpenBlas* load() {
  static OpenBlas blas;
  setenv("OPENBLAS_NUM_THREADS", "1", 1);
  choose_core();
  void* library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return nullptr;
  const bool complete =
      find(library, "cblas_sgemm", blas.sgemm) && find(library, "cblas_dgemm", blas.dgemm) &&
      find(library, "cblas_dsyrk", blas.dsyrk) && find(library, "cblas_dtrsm", blas.dtrsm) &&
      find(library, "dpotrf_", blas.dpotrf);
  return complete ? &blas : nullptr;
}

}  // namespace

const OpenBlas* load_openblas() {
  static const OpenBlas* const blas = load();
  return blas;
}

}  // namespace kernels
