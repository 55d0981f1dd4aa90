// SPDX-License-Identifier: Apache-2.0
//
// The calls that compilers make for ThreadSanitizer, in its place: one for each access.
#include <cstddef>
#include <cstdint>

#include "check/watch.hpp"

using myr::check::Watch;

#define PLACE __builtin_return_address(0)
#define CALL extern "C" __attribute__((visibility("default")))

CALL myr::engine::Checker* myr_checker() { return &Watch::instance(); }

CALL void __tsan_init() { Watch::instance().add_module(PLACE); }
CALL void __tsan_func_entry(void* place) { Watch::enter(place); }
CALL void __tsan_func_exit() { Watch::leave(); }
// What lies between these is the runtime's, or said to be safe.
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

// Atomic operations conflict with others only that are none. The strongest order is right for all.
#define TOUCH(writes) Watch::touch_atomically(p, sizeof *p, writes, PLACE)

#define ATOMICS(bits, Type)                                                                      \
  CALL Type __tsan_atomic##bits##_load(const volatile Type* p, int) {                            \
    TOUCH(false);                                                                                \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                 \
  }                                                                                              \
  CALL void __tsan_atomic##bits##_store(volatile Type* p, Type v, int) {                         \
    TOUCH(true);                                                                                 \
    __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                    \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_exchange(volatile Type* p, Type v, int) {                      \
    TOUCH(true);                                                                                 \
    return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                          \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_fetch_add(volatile Type* p, Type v, int) {                     \
    TOUCH(true);                                                                                 \
    return __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST);                                           \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_fetch_sub(volatile Type* p, Type v, int) {                     \
    TOUCH(true);                                                                                 \
    return __atomic_fetch_sub(p, v, __ATOMIC_SEQ_CST);                                           \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_fetch_and(volatile Type* p, Type v, int) {                     \
    TOUCH(true);                                                                                 \
    return __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST);                                           \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_fetch_or(volatile Type* p, Type v, int) {                      \
    TOUCH(true);                                                                                 \
    return __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST);                                            \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_fetch_xor(volatile Type* p, Type v, int) {                     \
    TOUCH(true);                                                                                 \
    return __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST);                                           \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_fetch_nand(volatile Type* p, Type v, int) {                    \
    TOUCH(true);                                                                                 \
    return __atomic_fetch_nand(p, v, __ATOMIC_SEQ_CST);                                          \
  }                                                                                              \
  CALL int __tsan_atomic##bits##_compare_exchange_strong(volatile Type* p, Type* e, Type v, int, \
                                                         int) {                                  \
    TOUCH(true);                                                                                 \
    return __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;  \
  }                                                                                              \
  CALL int __tsan_atomic##bits##_compare_exchange_weak(volatile Type* p, Type* e, Type v, int,   \
                                                       int) {                                    \
    TOUCH(true);                                                                                 \
    return __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) ? 1 : 0;  \
  }                                                                                              \
  CALL Type __tsan_atomic##bits##_compare_exchange_val(volatile Type* p, Type e, Type v, int,    \
                                                       int) {                                    \
    TOUCH(true);                                                                                 \
    __atomic_compare_exchange_n(p, &e, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);                \
    return e;                                                                                    \
  }
ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)

CALL void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
CALL void __tsan_atomic_signal_fence(int) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
