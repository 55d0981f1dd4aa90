// SPDX-License-Identifier: Apache-2.0
//
// NEXT: the definition of a library's function behind this library's.
#pragma once

#include <dlfcn.h>

#define PLACE __builtin_return_address(0)
#define CALL extern "C" __attribute__((visibility("default")))
#define NEXT(name)                                                                            \
  [] {                                                                                        \
    static auto* const next = reinterpret_cast<decltype(&::name)>(::dlsym(RTLD_NEXT, #name)); \
    return next;                                                                              \
  }()
