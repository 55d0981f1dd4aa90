// SPDX-License-Identifier: Apache-2.0
//
// For tests: is this code compiled with a sanitizer? Each try then takes ten times as long and has
// memory of the sanitizer's own, so fewer are made.
#pragma once

#ifndef __has_feature  // Clang tells sanitizers by feature, GCC by macro
#define __has_feature(name) 0
#endif

namespace myr::base {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif

}  // namespace myr::base
