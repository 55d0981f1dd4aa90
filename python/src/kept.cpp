// SPDX-License-Identifier: Apache-2.0
#include "kept.hpp"

#include <atomic>
#include <cstdlib>

namespace myr::py {

namespace {

constexpr std::uint32_t kSmall = 6;         // these are used again
constexpr std::size_t kSpareKept = 65'536;  // as many of them

std::atomic<Kept*> handed_back{nullptr};  // pushed by any thread, taken as a whole [python.kept]
Kept* spare_kept = nullptr;               // guarded by the interpreter's lock
std::size_t spare_count = 0;

}  // namespace

Kept* new_kept(std::size_t room) {
  if (room <= kSmall && spare_kept != nullptr) {
    Kept* const kept = spare_kept;
    spare_kept = kept->next;
    spare_count -= 1;
    kept->count = 0;
    return kept;
  }
  if (room < kSmall) room = kSmall;
  void* const memory = std::malloc(offsetof(Kept, objects) + room * sizeof(PyObject*));
  if (memory == nullptr) {
    PyErr_NoMemory();
    return nullptr;
  }
  auto* const kept = static_cast<Kept*>(memory);
  kept->count = 0;
  kept->room = static_cast<std::uint32_t>(room);
  return kept;
}

void hand_back(Kept* kept) {
  Kept* first = handed_back.load(std::memory_order_relaxed);
  do {
    kept->next = first;
  } while (!handed_back.compare_exchange_weak(first, kept,
                                              std::memory_order_release,  // [python.kept]
                                              std::memory_order_relaxed));
}

void hand_back_one(PyObject* object) {
  void* const memory = std::malloc(sizeof(Kept));
  if (memory == nullptr) return;
  auto* const kept = static_cast<Kept*>(memory);
  kept->count = 1;
  kept->room = 1;
  kept->objects[0] = object;
  hand_back(kept);
}

void let_go() {
  if (handed_back.load(std::memory_order_relaxed) == nullptr) return;
  Kept* kept = handed_back.exchange(nullptr, std::memory_order_acquire);  // [python.kept]
  while (kept != nullptr) {
    Kept* const next = kept->next;
    const std::uint32_t count = kept->count;
    for (std::uint32_t i = 0; i < count; ++i) Py_DECREF(kept->objects[i]);
    if (kept->room == kSmall && spare_count < kSpareKept) {
      kept->next = spare_kept;
      spare_kept = kept;
      spare_count += 1;
    } else {
      std::free(kept);
    }
    kept = next;
  }
}

}  // namespace myr::py
