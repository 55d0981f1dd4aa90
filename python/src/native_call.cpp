// SPDX-License-Identifier: Apache-2.0
#include "native_call.hpp"

#include <utility>

namespace myr::py {

namespace {

template <std::size_t>
using Integer = std::int64_t;
template <std::size_t>
using Double = double;

template <class Result, std::size_t... I, std::size_t... F, std::size_t... S>
Result call(const void* function, const NativeArguments& a, std::index_sequence<I...>,
            std::index_sequence<F...>, std::index_sequence<S...>) {
  using Function = Result (*)(Integer<I>..., Double<F>..., Integer<S>...);
  return reinterpret_cast<Function>(const_cast<void*>(function))(
      a.integers[I].integer..., a.floats[F].number..., a.stack[S].integer...);
}

template <class Result>
Result call(const void* function, const NativeArguments& arguments, std::size_t stack_count) {
  constexpr std::make_index_sequence<kIntegerRegisters> integers;
  constexpr std::make_index_sequence<kFloatRegisters> floats;
  if (stack_count == 0)
    return call<Result>(function, arguments, integers, floats, std::index_sequence<>());
  return call<Result>(function, arguments, integers, floats,
                      std::make_index_sequence<kStackWords>());
}

}  // namespace

Word call_native(const void* function, const NativeArguments& arguments, std::size_t stack_count,
                 NativeResult result) {
  Word word{.integer = 0};
  switch (result) {
    case NativeResult::Double:
      word.number = call<double>(function, arguments, stack_count);
      break;
    case NativeResult::Single:
      word.single = call<float>(function, arguments, stack_count);
      break;
    default:
      word.integer = call<std::int64_t>(function, arguments, stack_count);
  }
  return word;
}

}  // namespace myr::py
