// SPDX-License-Identifier: Apache-2.0
//
// What <sanitizer/tsan_interface.h> gives to programs: locks of their own making, and the rest,
// which says nothing of footprints but must be there. Then clang's calls for atomic operations on
// 16 bytes.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "check/next_call.hpp"
#include "check/watch.hpp"

using myr::check::Watch;

namespace {
// Flags of the header, where they are called __tsan_mutex_...
constexpr unsigned kReadLock = 1U << 3;
constexpr unsigned kTryLockFailed = 1U << 5;
constexpr int kTag = 0;
}  // namespace

// What a lock does between `pre` and `post` with its own memory is no access of the program.
CALL void __tsan_mutex_create(void*, unsigned) {}
CALL void __tsan_mutex_destroy(void*, unsigned) {}
CALL void __tsan_mutex_pre_lock(void*, unsigned) { Watch::leave_alone(); }
CALL void __tsan_mutex_post_lock(void* lock, unsigned flags, int) {
  Watch::watch_again();
  if ((flags & kTryLockFailed) == 0) Watch::locked(lock, (flags & kReadLock) != 0, PLACE);
}
CALL int __tsan_mutex_pre_unlock(void* lock, unsigned) {
  Watch::unlocks(lock);
  Watch::leave_alone();
  return 1;  // as deep as it was locked
}
CALL void __tsan_mutex_post_unlock(void*, unsigned) { Watch::watch_again(); }
CALL void __tsan_mutex_pre_signal(void*, unsigned) { Watch::leave_alone(); }
CALL void __tsan_mutex_post_signal(void*, unsigned) { Watch::watch_again(); }
CALL void __tsan_mutex_pre_divert(void*, unsigned) { Watch::watch_again(); }
CALL void __tsan_mutex_post_divert(void*, unsigned) { Watch::leave_alone(); }

// Orders between threads: tasks are judged by what they declare.
CALL void __tsan_acquire(void*) {}
CALL void __tsan_release(void*) {}

CALL void* __tsan_get_current_fiber() { return nullptr; }
CALL void* __tsan_create_fiber(unsigned) { return nullptr; }
CALL void __tsan_destroy_fiber(void*) {}
CALL void __tsan_switch_to_fiber(void*, unsigned) {}
CALL void __tsan_set_fiber_name(void*, const char*) {}

CALL void* __tsan_external_register_tag(const char*) { return const_cast<int*>(&kTag); }
CALL void __tsan_external_register_header(void*, const char*) {}
CALL void __tsan_external_assign_tag(void*, void*) {}
CALL void __tsan_external_read(void* p, void* place, void*) { Watch::touch(p, 1, false, place); }
CALL void __tsan_external_write(void* p, void* place, void*) { Watch::touch(p, 1, true, place); }

CALL void __tsan_flush_memory() {}
CALL void __sanitizer_print_stack_trace() {}
CALL void __sanitizer_set_death_callback(void (*)()) {}
CALL void __sanitizer_set_report_path(const char*) {}
CALL void __sanitizer_set_report_fd(void*) {}

#define UNALIGNED(bits)                                                             \
  CALL std::uint##bits##_t __sanitizer_unaligned_load##bits(const void* p) {        \
    Watch::touch(p, bits / 8, false, PLACE);                                        \
    std::uint##bits##_t value = 0;                                                  \
    std::memcpy(&value, p, sizeof value);                                           \
    return value;                                                                   \
  }                                                                                 \
  CALL void __sanitizer_unaligned_store##bits(void* p, std::uint##bits##_t value) { \
    Watch::touch(p, bits / 8, true, PLACE);                                         \
    std::memcpy(p, &value, sizeof value);                                           \
  }
UNALIGNED(16)
UNALIGNED(32)
UNALIGNED(64)

#ifdef __x86_64__

// Operations on 16 bytes: each by one instruction, tried again until no other thread came between.
namespace {

using Kind = Watch::Atomic::Kind;
__extension__ using Wide = unsigned __int128;

[[gnu::target("cx16")]] Wide compare_and_swap(volatile Wide* p, Wide expected, Wide desired) {
  return __sync_val_compare_and_swap(p, expected, desired);
}

// Returns the old value.
template <class Change>
Wide update(volatile Wide* p, int order, const void* place, Change change) {
  Wide old = compare_and_swap(p, 0, 0);
  for (;;) {
    const Wide found = compare_and_swap(p, old, change(old));
    if (found == old) break;
    old = found;
  }
  Watch::touch_atomically(p, sizeof *p, Kind::Swap, order, place);
  return old;
}

Wide update_if(volatile Wide* p, Wide expected, Wide desired, int order, const void* place) {
  const Wide old = compare_and_swap(p, expected, desired);
  Watch::touch_atomically(p, sizeof *p, Kind::Swap, order, place);
  return old;
}

}  // namespace

CALL Wide __tsan_atomic128_load(const volatile Wide* p, int order) {
  const Wide value = compare_and_swap(const_cast<volatile Wide*>(p), 0, 0);
  Watch::touch_atomically(p, sizeof *p, Kind::Load, order, PLACE);
  return value;
}
CALL void __tsan_atomic128_store(volatile Wide* p, Wide v, int order) {
  update(p, order, PLACE, [v](Wide) { return v; });
}
#define UPDATE(name, after)                                                                   \
  CALL Wide __tsan_atomic128_##name(volatile Wide* p, Wide v, int order) {                    \
    return update(p, order, PLACE, [v]([[maybe_unused]] Wide old) -> Wide { return after; }); \
  }
UPDATE(exchange, v)
UPDATE(fetch_add, old + v)
UPDATE(fetch_sub, old - v)
UPDATE(fetch_and, old& v)
UPDATE(fetch_or, old | v)
UPDATE(fetch_xor, old ^ v)
UPDATE(fetch_nand, ~(old& v))

CALL Wide __tsan_atomic128_compare_exchange_val(volatile Wide* p, Wide e, Wide v, int order, int) {
  return update_if(p, e, v, order, PLACE);
}
#define EXCHANGE_WIDE_IF(name)                                                                    \
  CALL int __tsan_atomic128_compare_exchange_##name(volatile Wide* p, Wide* e, Wide v, int order, \
                                                    int) {                                        \
    const Wide old = update_if(p, *e, v, order, PLACE);                                           \
    const bool is_done = old == *e;                                                               \
    *e = old;                                                                                     \
    return is_done ? 1 : 0;                                                                       \
  }
EXCHANGE_WIDE_IF(strong)
EXCHANGE_WIDE_IF(weak)

#endif
