// SPDX-License-Identifier: Apache-2.0
//
// Which OpenMP runtime a program of the benchmarks is compiled for.
#pragma once

namespace myr::bench {

#if defined(__clang__)
inline constexpr const char* kOpenMpRuntime = "libomp";
#else
inline constexpr const char* kOpenMpRuntime = "libgomp";
#endif

}  // namespace myr::bench
