// SPDX-License-Identifier: Apache-2.0
//
// The calls that compilers make for ThreadSanitizer, in its place: one for each access.
#include <cstddef>
#include <cstdint>

#include "check/next_call.hpp"
#include "check/watch.hpp"

using myr::check::Watch;

CALL myr::engine::Checker* myr_checker() { return &Watch::instance(); }

CALL void myr_checks_cut() { Watch::sees_cut(PLACE); }
CALL void __tsan_init() { Watch::instance().add_modules(); }
CALL void __tsan_func_entry(void* place) { Watch::enter(place, __builtin_frame_address(0)); }
CALL void __tsan_func_exit() { Watch::leave(__builtin_frame_address(0)); }
// Accesses between these two are the runtime's, or are said to be safe.
CALL void __tsan_ignore_thread_begin() { Watch::leave_alone(); }
CALL void __tsan_ignore_thread_end() { Watch::watch_again(); }
CALL void AnnotateIgnoreReadsBegin(const char*, int) { Watch::leave_alone(); }
CALL void AnnotateIgnoreReadsEnd(const char*, int) { Watch::watch_again(); }
CALL void AnnotateIgnoreWritesBegin(const char*, int) { Watch::leave_alone(); }
CALL void AnnotateIgnoreWritesEnd(const char*, int) { Watch::watch_again(); }
CALL void AnnotateHappensBefore(const char*, int, const volatile void*) {}
CALL void AnnotateHappensAfter(const char*, int, const volatile void*) {}

#define ACCESSES(bytes)                                                                     \
  CALL void __tsan_read##bytes(void* p) { Watch::touch(p, bytes, false, PLACE); }           \
  CALL void __tsan_write##bytes(void* p) { Watch::touch(p, bytes, true, PLACE); }           \
  CALL void __tsan_unaligned_read##bytes(void* p) { Watch::touch(p, bytes, false, PLACE); } \
  CALL void __tsan_unaligned_write##bytes(void* p) { Watch::touch(p, bytes, true, PLACE); } \
  CALL void __tsan_volatile_read##bytes(void* p) { Watch::touch(p, bytes, false, PLACE); }  \
  CALL void __tsan_volatile_write##bytes(void* p) { Watch::touch(p, bytes, true, PLACE); }  \
  CALL void __tsan_read_write##bytes(void* p) { Watch::touch(p, bytes, true, PLACE); }      \
  CALL void __tsan_unaligned_read_write##bytes(void* p) { Watch::touch(p, bytes, true, PLACE); }
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

CALL void __tsan_read_range(void* p, std::size_t bytes) { Watch::touch(p, bytes, false, PLACE); }
CALL void __tsan_write_range(void* p, std::size_t bytes) { Watch::touch(p, bytes, true, PLACE); }
CALL void __tsan_vptr_update(void** p, void*) { Watch::touch(p, sizeof *p, true, PLACE); }
CALL void __tsan_vptr_read(void** p) { Watch::touch(p, sizeof *p, false, PLACE); }

// Atomic operations conflict only with accesses that are not atomic. The strongest order is right
// for all.
#define TOUCH(kind, before, after)                                                               \
  Watch::touch_atomically({p, sizeof *p, static_cast<std::uint64_t>(before),                     \
                           static_cast<std::uint64_t>(after), Watch::Atomic::Kind::kind, order}, \
                          PLACE)

#define FETCH(bits, Type, name, after)                                                \
  CALL Type __tsan_atomic##bits##_fetch_##name(volatile Type* p, Type v, int order) { \
    const Type old = __atomic_fetch_##name(p, v, __ATOMIC_SEQ_CST);                   \
    TOUCH(Add, old, static_cast<Type>(after));                                        \
    return old;                                                                       \
  }

#define EXCHANGE_IF(bits, Type, name)                                                       \
  CALL int __tsan_atomic##bits##_compare_exchange_##name(volatile Type* p, Type* e, Type v, \
                                                         int order, int) {                  \
    const bool is_done =                                                                    \
        __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);        \
    TOUCH(Swap, *e, is_done ? v : *e);                                                      \
    return is_done ? 1 : 0;                                                                 \
  }

#define ATOMICS(bits, Type)                                                              \
  CALL Type __tsan_atomic##bits##_load(const volatile Type* p, int order) {              \
    const Type value = __atomic_load_n(p, __ATOMIC_SEQ_CST);                             \
    TOUCH(Load, value, value);                                                           \
    return value;                                                                        \
  }                                                                                      \
  CALL void __tsan_atomic##bits##_store(volatile Type* p, Type v, int order) {           \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                            \
    TOUCH(Store, 0, v);                                                                  \
  }                                                                                      \
  CALL Type __tsan_atomic##bits##_exchange(volatile Type* p, Type v, int order) {        \
    const Type old = __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                        \
    TOUCH(Swap, old, v);                                                                 \
    return old;                                                                          \
  }                                                                                      \
  FETCH(bits, Type, add, old + v)                                                        \
  FETCH(bits, Type, sub, old - v)                                                        \
  FETCH(bits, Type, and, old& v)                                                         \
  FETCH(bits, Type, or, old | v)                                                         \
  FETCH(bits, Type, xor, old ^ v)                                                        \
  FETCH(bits, Type, nand, ~(old & v))                                                    \
  EXCHANGE_IF(bits, Type, strong)                                                        \
  EXCHANGE_IF(bits, Type, weak)                                                          \
  CALL Type __tsan_atomic##bits##_compare_exchange_val(volatile Type* p, Type e, Type v, \
                                                       int order, int) {                 \
    const bool is_done =                                                                 \
        __atomic_compare_exchange_n(p, &e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);    \
    TOUCH(Swap, e, is_done ? v : e);                                                     \
    return e;                                                                            \
  }
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)

CALL void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CALL void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
