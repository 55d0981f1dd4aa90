// SPDX-License-Identifier: Apache-2.0
//
// Atomic operations on more bytes than the processor's, which compilers leave to libatomic.
#include <cstddef>

#include "check/next_call.hpp"
#include "check/watch.hpp"

using myr::check::Watch;

namespace {

template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

using Kind = Watch::Atomic::Kind;

}  // namespace

// Under other names here: the compiler knows these as its own.
CALL void load_any(std::size_t bytes, const volatile void* p, void* to,
                   int order) asm("__atomic_load");
CALL void store_any(std::size_t bytes, volatile void* p, void* from,
                    int order) asm("__atomic_store");
CALL void swap_any(std::size_t bytes, volatile void* p, void* from, void* to,
                   int order) asm("__atomic_exchange");
CALL bool compare_any(std::size_t bytes, volatile void* p, void* expected, void* desired, int order,
                      int failed_order) asm("__atomic_compare_exchange");

void load_any(std::size_t bytes, const volatile void* p, void* to, int order) {
  static auto* const load = next<decltype(load_any)>("__atomic_load");
  load(bytes, p, to, order);
  Watch::touch_atomically(p, bytes, Kind::Load, order, PLACE);
}
void store_any(std::size_t bytes, volatile void* p, void* from, int order) {
  static auto* const store = next<decltype(store_any)>("__atomic_store");
  store(bytes, p, from, order);
  Watch::touch_atomically(p, bytes, Kind::Store, order, PLACE);
}
void swap_any(std::size_t bytes, volatile void* p, void* from, void* to, int order) {
  static auto* const swap = next<decltype(swap_any)>("__atomic_exchange");
  swap(bytes, p, from, to, order);
  Watch::touch_atomically(p, bytes, Kind::Swap, order, PLACE);
}
bool compare_any(std::size_t bytes, volatile void* p, void* expected, void* desired, int order,
                 int failed_order) {
  static auto* const compare = next<decltype(compare_any)>("__atomic_compare_exchange");
  const bool is_done = compare(bytes, p, expected, desired, order, failed_order);
  Watch::touch_atomically(p, bytes, Kind::Swap, order, PLACE);
  return is_done;
}
