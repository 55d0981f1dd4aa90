// SPDX-License-Identifier: Apache-2.0
//
// Entry points of atomic updates: __kmpc_atomic_TYPE_OPERATION(). Clang uses the processor's own
// instructions instead; these are for objects of older compilers of Intel's and for hand-written
// calls. Those with _cpt return the value before the update or, if `after` is set, the one after.
#include <cstring>
#include <utility>

#include "omp/abi.hpp"
#include "omp/kmpc.hpp"
#include "omp/locks.hpp"

using namespace myr::omp;

namespace {

// Bytes of a size that no number has.
template <std::size_t kSize>
struct Bytes {
  std::byte of[kSize];
};

template <class T>
struct Update {
  T before;
  T after;
};

// Replaces the value by what `change` makes of it.
template <class T, class Change>
Update<T> update(T* place, Change change) {
  if constexpr (sizeof(T) <= 8) {
    T before;
    __atomic_load(place, &before, __ATOMIC_RELAXED);
    for (;;) {
      T after = change(before);
      if (__atomic_compare_exchange(place, &before, &after, /*weak=*/true, __ATOMIC_SEQ_CST,
                                    __ATOMIC_RELAXED)) {
        return {before, after};
      }
    }
  } else {
    take(locks.atomics);
    const T before = *place;
    const T after = change(before);
    *place = after;
    leave(locks.atomics);
    return {before, after};
  }
}

}  // namespace

// What becomes of x and y is the expression, whose type may be wider than the variable's.
#define MYR_ATOMIC_UPDATE(name, T, operation, Operand, expression)                              \
  MYR_OMP_API void __kmpc_atomic_##name##_##operation(const Ident*, int, T* place, Operand y) { \
    update(place, [y](T x) { return static_cast<T>(expression); });                             \
  }
#define MYR_ATOMIC_CAPTURE(name, T, operation, expression)                                        \
  MYR_OMP_API T __kmpc_atomic_##name##_##operation(const Ident*, int, T* place, T y, int after) { \
    const Update<T> done = update(place, [y](T x) { return static_cast<T>(expression); });        \
    return after != 0 ? done.after : done.before;                                                 \
  }
#define MYR_ATOMIC(name, T, operation, expression)     \
  MYR_ATOMIC_UPDATE(name, T, operation, T, expression) \
  MYR_ATOMIC_CAPTURE(name, T, operation##_cpt, expression)
// With the operands the other way round, too.
#define MYR_ATOMIC_BOTH_WAYS(name, T, operation, expression, reverse) \
  MYR_ATOMIC(name, T, operation, expression)                          \
  MYR_ATOMIC_UPDATE(name, T, operation##_rev, T, reverse)             \
  MYR_ATOMIC_CAPTURE(name, T, operation##_cpt_rev, reverse)
#define MYR_ATOMIC_ACCESS(name, T)                                               \
  MYR_OMP_API T __kmpc_atomic_##name##_rd(const Ident*, int, T* place) {         \
    return update(place, [](T x) { return x; }).before;                          \
  }                                                                              \
  MYR_OMP_API void __kmpc_atomic_##name##_wr(const Ident*, int, T* place, T y) { \
    update(place, [y](T) { return y; });                                         \
  }
#define MYR_ATOMIC_SWAP(name, T)                                               \
  MYR_OMP_API T __kmpc_atomic_##name##_swp(const Ident*, int, T* place, T y) { \
    return update(place, [y](T) { return y; }).before;                         \
  }
#define MYR_ATOMIC_ARITHMETIC(name, T)             \
  MYR_ATOMIC(name, T, add, x + y)                  \
  MYR_ATOMIC(name, T, mul, x* y)                   \
  MYR_ATOMIC_BOTH_WAYS(name, T, sub, x - y, y - x) \
  MYR_ATOMIC_BOTH_WAYS(name, T, div, x / y, y / x)
#define MYR_ATOMIC_NUMBER(name, T)        \
  MYR_ATOMIC_ARITHMETIC(name, T)          \
  MYR_ATOMIC(name, T, max, x < y ? y : x) \
  MYR_ATOMIC(name, T, min, y < x ? y : x) \
  MYR_ATOMIC_ACCESS(name, T)              \
  MYR_ATOMIC_SWAP(name, T)
#define MYR_ATOMIC_INTEGER(name, T)                    \
  MYR_ATOMIC_NUMBER(name, T)                           \
  MYR_ATOMIC(name, T, andb, x& y)                      \
  MYR_ATOMIC(name, T, orb, x | y)                      \
  MYR_ATOMIC(name, T, xor, x ^ y)                      \
  MYR_ATOMIC(name, T, neqv, x ^ y)                     \
  MYR_ATOMIC(name, T, eqv, ~(x ^ y))                   \
  MYR_ATOMIC_BOTH_WAYS(name, T, shl, x << y, y << x)   \
  MYR_ATOMIC_BOTH_WAYS(name, T, shr, x >> y, y >> x)   \
  MYR_ATOMIC(name, T, andl, x != 0 && y != 0)          \
  MYR_ATOMIC(name, T, orl, x != 0 || y != 0)           \
  MYR_ATOMIC_UPDATE(name, T, mul_float8, double, x* y) \
  MYR_ATOMIC_UPDATE(name, T, div_float8, double, x / y)
MYR_ATOMIC_INTEGER(fixed1, std::int8_t)
MYR_ATOMIC_INTEGER(fixed1u, std::uint8_t)
MYR_ATOMIC_INTEGER(fixed2, std::int16_t)
MYR_ATOMIC_INTEGER(fixed2u, std::uint16_t)
MYR_ATOMIC_INTEGER(fixed4, std::int32_t)
MYR_ATOMIC_INTEGER(fixed4u, std::uint32_t)
MYR_ATOMIC_INTEGER(fixed8, std::int64_t)
MYR_ATOMIC_INTEGER(fixed8u, std::uint64_t)
MYR_ATOMIC_NUMBER(float4, float)
MYR_ATOMIC_NUMBER(float8, double)
MYR_ATOMIC_NUMBER(float10, long double)
MYR_ATOMIC_UPDATE(float4, float, add_float8, double, x + y)
MYR_ATOMIC_UPDATE(float4, float, sub_float8, double, x - y)
MYR_ATOMIC_UPDATE(float4, float, mul_float8, double, x* y)
MYR_ATOMIC_UPDATE(float4, float, div_float8, double, x / y)

using Complex4 = __complex__ float;
using Complex8 = __complex__ double;
using Complex10 = __complex__ long double;
MYR_ATOMIC_ARITHMETIC(cmplx8, Complex8)
MYR_ATOMIC_ACCESS(cmplx8, Complex8)
MYR_ATOMIC_SWAP(cmplx8, Complex8)
MYR_ATOMIC_ARITHMETIC(cmplx10, Complex10)
MYR_ATOMIC_ACCESS(cmplx10, Complex10)
MYR_ATOMIC_SWAP(cmplx10, Complex10)
MYR_ATOMIC_UPDATE(cmplx4, Complex4, add_cmplx8, Complex8, x + y)
MYR_ATOMIC_UPDATE(cmplx4, Complex4, sub_cmplx8, Complex8, x - y)
MYR_ATOMIC_UPDATE(cmplx4, Complex4, mul_cmplx8, Complex8, x* y)
MYR_ATOMIC_UPDATE(cmplx4, Complex4, div_cmplx8, Complex8, x / y)
MYR_ATOMIC_ACCESS(cmplx4, Complex4)
// The value comes back through a pointer for this type alone.
#undef MYR_ATOMIC_CAPTURE
#define MYR_ATOMIC_CAPTURE(name, T, operation, expression)                                        \
  MYR_OMP_API void __kmpc_atomic_##name##_##operation(const Ident*, int, T* place, T y, T* value, \
                                                      int after) {                                \
    const Update<T> done = update(place, [y](T x) { return static_cast<T>(expression); });        \
    *value = after != 0 ? done.after : done.before;                                               \
  }
MYR_ATOMIC_ARITHMETIC(cmplx4, Complex4)
MYR_OMP_API void __kmpc_atomic_cmplx4_swp(const Ident*, int, Complex4* place, Complex4 y,
                                          Complex4* value) {
  *value = update(place, [y](Complex4) { return y; }).before;
}
#undef MYR_ATOMIC_INTEGER
#undef MYR_ATOMIC_NUMBER
#undef MYR_ATOMIC_ARITHMETIC
#undef MYR_ATOMIC_SWAP
#undef MYR_ATOMIC_ACCESS
#undef MYR_ATOMIC_BOTH_WAYS
#undef MYR_ATOMIC
#undef MYR_ATOMIC_CAPTURE
#undef MYR_ATOMIC_UPDATE

// An update of so many bytes by a function of the program's, which makes *after of *x and *y.
using Change = void (*)(void* after, const void* x, const void* y);
#define MYR_ATOMIC_BY(bytes, T)                                                      \
  MYR_OMP_API void __kmpc_atomic_##bytes(const Ident*, int, T* place, const void* y, \
                                         Change change) {                            \
    update(place, [=](T x) {                                                         \
      T after;                                                                       \
      change(&after, &x, y);                                                         \
      return after;                                                                  \
    });                                                                              \
  }
MYR_ATOMIC_BY(1, std::uint8_t)
MYR_ATOMIC_BY(2, std::uint16_t)
MYR_ATOMIC_BY(4, std::uint32_t)
MYR_ATOMIC_BY(8, std::uint64_t)
MYR_ATOMIC_BY(10, Bytes<10>)
MYR_ATOMIC_BY(16, Bytes<16>)
MYR_ATOMIC_BY(20, Bytes<20>)
MYR_ATOMIC_BY(32, Bytes<32>)
#undef MYR_ATOMIC_BY

// Compare and exchange, by the size in bytes. `seen`: where the _cpt forms store the value that
// they find, if it is another.
#define MYR_ATOMIC_CAS(bytes, T)                                                                 \
  MYR_OMP_API T __kmpc_atomic_val_##bytes##_cas(const Ident*, int, T* place, T expected,         \
                                                T wanted) {                                      \
    return __sync_val_compare_and_swap(place, expected, wanted);                                 \
  }                                                                                              \
  MYR_OMP_API bool __kmpc_atomic_bool_##bytes##_cas(const Ident*, int, T* place, T expected,     \
                                                    T wanted) {                                  \
    return __sync_bool_compare_and_swap(place, expected, wanted);                                \
  }                                                                                              \
  MYR_OMP_API bool __kmpc_atomic_bool_##bytes##_cas_cpt(const Ident*, int, T* place, T expected, \
                                                        T wanted, T* seen) {                     \
    const T found = __sync_val_compare_and_swap(place, expected, wanted);                        \
    if (found != expected) *seen = found;                                                        \
    return found == expected;                                                                    \
  }                                                                                              \
  MYR_OMP_API T __kmpc_atomic_val_##bytes##_cas_cpt(const Ident*, int, T* place, T expected,     \
                                                    T wanted, T* seen) {                         \
    const T found = __sync_val_compare_and_swap(place, expected, wanted);                        \
    *seen = found == expected ? wanted : found;                                                  \
    return found;                                                                                \
  }
MYR_ATOMIC_CAS(1, char)
MYR_ATOMIC_CAS(2, short)
MYR_ATOMIC_CAS(4, int)
MYR_ATOMIC_CAS(8, long long)
#undef MYR_ATOMIC_CAS
