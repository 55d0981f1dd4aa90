// SPDX-License-Identifier: Apache-2.0
//
// Comes first in each header that needs C++20: an older standard gets one error, before the many
// that would follow from it.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "Myrmidon's C++ interface needs C++20: compile with -std=c++20"
#include <myr/needs C++20>  // does not exist, which ends the compilation
#endif
