// SPDX-License-Identifier: Apache-2.0
//
// Entry points of atomic updates: __kmpc_atomic_TYPE_OPERATION(). Clang uses the processor's own
// instructions instead; these are for objects of older compilers of Intel's and for hand-written
// calls. Those with _cpt return the value before the update or, if `after` is set, the one after.
#include <utility>

#include "omp/abi.hpp"
#include "omp/kmpc.hpp"
#include "omp/locks.hpp"

using namespace myr::omp;

namespace {

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

#define MYR_ATOMIC(name, T, operation, expression)                                         \
  MYR_OMP_API void __kmpc_atomic_##name##_##operation(const Ident*, int, T* place, T y) {  \
    update(place, [y](T x) { return static_cast<T>(expression); });                        \
  }                                                                                        \
  MYR_OMP_API T __kmpc_atomic_##name##_##operation##_cpt(const Ident*, int, T* place, T y, \
                                                         int after) {                      \
    const Update<T> done = update(place, [y](T x) { return static_cast<T>(expression); }); \
    return after != 0 ? done.after : done.before;                                          \
  }
#define MYR_ATOMIC_NUMBER(name, T)                                               \
  MYR_ATOMIC(name, T, add, x + y)                                                \
  MYR_ATOMIC(name, T, sub, x - y)                                                \
  MYR_ATOMIC(name, T, mul, x* y)                                                 \
  MYR_ATOMIC(name, T, div, x / y)                                                \
  MYR_ATOMIC(name, T, max, x < y ? y : x)                                        \
  MYR_ATOMIC(name, T, min, y < x ? y : x)                                        \
  MYR_OMP_API T __kmpc_atomic_##name##_rd(const Ident*, int, T* place) {         \
    return update(place, [](T x) { return x; }).before;                          \
  }                                                                              \
  MYR_OMP_API void __kmpc_atomic_##name##_wr(const Ident*, int, T* place, T y) { \
    update(place, [y](T) { return y; });                                         \
  }                                                                              \
  MYR_OMP_API T __kmpc_atomic_##name##_swp(const Ident*, int, T* place, T y) {   \
    return update(place, [y](T) { return y; }).before;                           \
  }
#define MYR_ATOMIC_INTEGER(name, T)           \
  MYR_ATOMIC_NUMBER(name, T)                  \
  MYR_ATOMIC(name, T, andb, x& y)             \
  MYR_ATOMIC(name, T, orb, x | y)             \
  MYR_ATOMIC(name, T, xor, x ^ y)             \
  MYR_ATOMIC(name, T, shl, x << y)            \
  MYR_ATOMIC(name, T, shr, x >> y)            \
  MYR_ATOMIC(name, T, andl, x != 0 && y != 0) \
  MYR_ATOMIC(name, T, orl, x != 0 || y != 0)
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
#undef MYR_ATOMIC_INTEGER
#undef MYR_ATOMIC_NUMBER
#undef MYR_ATOMIC

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
