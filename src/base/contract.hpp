// SPDX-License-Identifier: Apache-2.0
//
// Contracts on our own code, and branch hints. For mistakes of the program that uses Myrmidon see
// base/misuse.hpp; for failures of the world see base/result.hpp.
#pragma once

#define MYR_LIKELY(condition) __builtin_expect(static_cast<bool>(condition), 1)
#define MYR_UNLIKELY(condition) __builtin_expect(static_cast<bool>(condition), 0)
#define MYR_COLD __attribute__((cold, noinline))
#define MYR_INLINE inline __attribute__((always_inline))

namespace myr::base {

// Prints the broken contract and aborts.
[[noreturn]] MYR_COLD void contract_failed(const char* condition, const char* file,
                                           unsigned line) noexcept;

}  // namespace myr::base

// A bug of ours if false. Checked in every build.
#define MYR_ASSERT(condition) \
  (MYR_LIKELY(condition) ? (void)0 : ::myr::base::contract_failed(#condition, __FILE__, __LINE__))

// The same, too costly for release builds.
#ifdef MYR_CHECKED
#define MYR_DCHECK(condition) MYR_ASSERT(condition)
#else
#define MYR_DCHECK(condition) static_cast<void>(0)
#endif
