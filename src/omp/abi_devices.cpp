// SPDX-License-Identifier: Apache-2.0
//
// Programs of clang that have devices (-fopenmp-targets=...): LLVM's libomptarget runs their target
// regions. What it asks of the runtime is here, and what the program asks of the runtime though
// only libomptarget knows the answer. libomp_names.ld gives the latter their names.
#include <dlfcn.h>

#include "omp/abi.hpp"
#include "omp/team.hpp"

using namespace myr::omp;

namespace {

// A function of libomptarget; nullptr: it is not in this process, or has no such function. By its
// version, as other runtimes have functions of these names, too.
template <class Function>
Function* of_libomptarget(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlvsym(RTLD_NEXT, name, "VERS1.0"));
}

// The answer of clang's omp.h for a property that no device has.
enum InteropResult : int { kEmpty = -1 };

}  // namespace

// ---- Asked by libomptarget: may the running task be left while its device works, and where is
// what it then knows of that? No task may: libomptarget waits for the device in it, while other
// threads run other tasks.
MYR_OMP_API int __kmpc_omp_has_task_team(int) { return 0; }
MYR_OMP_API void** __kmpc_omp_get_target_async_handle_ptr(int) { return nullptr; }

// ---- How many devices there are. The host's number is the one behind theirs.

MYR_OMP_API int myr_kmp_get_num_devices() {
  static const auto count = of_libomptarget<int()>("omp_get_num_devices");
  return count != nullptr ? count() : 0;
}

// ---- Foreign objects (the interop construct): none without libomptarget

// Asks libomptarget for a property. Without it `result`, if there is one, says that there is none.
#define MYR_INTEROP(Return, name)                                                   \
  MYR_OMP_API Return name(const void* interop, int property, int* result) {         \
    static const auto ask = of_libomptarget<Return(const void*, int, int*)>(#name); \
    if (ask != nullptr) return ask(interop, property, result);                      \
    if (result != nullptr) *result = kEmpty;                                        \
    return {};                                                                      \
  }
#define MYR_INTEROP_TEXT(name)                                                     \
  MYR_OMP_API const char* name(const void* interop, int property) {                \
    static const auto ask = of_libomptarget<const char*(const void*, int)>(#name); \
    return ask != nullptr ? ask(interop, property) : nullptr;                      \
  }
MYR_INTEROP(std::intptr_t, omp_get_interop_int)
MYR_INTEROP(void*, omp_get_interop_ptr)
MYR_INTEROP(const char*, omp_get_interop_str)
MYR_INTEROP_TEXT(omp_get_interop_name)
MYR_INTEROP_TEXT(omp_get_interop_type_desc)
MYR_INTEROP_TEXT(omp_get_interop_rc_desc)
MYR_OMP_API int omp_get_num_interop_properties(const void* interop) {
  static const auto ask = of_libomptarget<int(const void*)>("omp_get_num_interop_properties");
  return ask != nullptr ? ask(interop) : 0;
}
