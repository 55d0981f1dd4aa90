// SPDX-License-Identifier: Apache-2.0
//
// Calls a C function whose signature is known at run time only: numbers and pointers go into the
// registers and stack words where the platform's calling convention has them. Integers and pointers
// have registers of their own, and so do floating-point numbers; what is left goes onto the stack
// in order, a word each. Registers that a function does not look at may have any value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace myr::py {

#if defined(__x86_64__) && defined(__linux__)
inline constexpr std::size_t kIntegerRegisters = 6;
inline constexpr bool kHasNativeCalls = true;
#elif defined(__aarch64__) && defined(__linux__)
inline constexpr std::size_t kIntegerRegisters = 8;
inline constexpr bool kHasNativeCalls = true;
#else
inline constexpr std::size_t kIntegerRegisters = 6;
inline constexpr bool kHasNativeCalls = false;
#endif
inline constexpr std::size_t kFloatRegisters = 8;
inline constexpr std::size_t kStackWords = 16;

union Word {
  std::int64_t integer;
  const void* pointer;
  double number;
  float single;  // in the low half, as a register has it
};

struct NativeArguments {
  Word integers[kIntegerRegisters];
  Word floats[kFloatRegisters];
  Word stack[kStackWords];
};

enum class NativeResult : char { None, Integer, Double, Single };

// Returns what the function returns, as its result says.
Word call_native(const void* function, const NativeArguments& arguments, std::size_t stack_count,
                 NativeResult result);

}  // namespace myr::py
