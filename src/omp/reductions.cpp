// SPDX-License-Identifier: Apache-2.0
#include "omp/reductions.hpp"

#include <cstdlib>
#include <cstring>

namespace myr::omp {

namespace {

enum Word : std::size_t {
  kCount = 0,
  kBytes = 1,
  kCopies = 2,
  kNext = 4,
  kIsFirst = 5,
  kCopiesEnd = 6,
  kItems = 7
};
constexpr std::size_t kItemWords = 3;

std::uintptr_t* next_of(const std::uintptr_t* array) noexcept {
  return reinterpret_cast<std::uintptr_t*>(array[kNext]);
}

// The item that an address stands for: the original, or some thread's copy.
const std::uintptr_t* item_of(const std::uintptr_t* array, std::uintptr_t address) noexcept {
  const bool is_copy = address >= array[kCopies] && address < array[kCopiesEnd];
  const std::uintptr_t offset = is_copy ? (address - array[kCopies]) % array[kBytes] : 0;
  for (std::size_t i = 0; i < array[kCount]; ++i) {
    const std::uintptr_t* item = array + kItems + i * kItemWords;
    if (is_copy ? item[1] == offset : item[0] == address) return item;
  }
  return nullptr;
}

}  // namespace

void allocate_copies(std::uintptr_t* arrays, unsigned threads, std::uintptr_t* outer) {
  std::uintptr_t* array = arrays;
  for (;;) {
    const std::size_t bytes = array[kBytes] * threads;
    std::size_t align = array[kCopies] < sizeof(void*) ? sizeof(void*) : array[kCopies];
    void* copies = nullptr;
    if (posix_memalign(&copies, align, bytes == 0 ? align : bytes) != 0) {
      fail("Out of memory allocating %zu bytes", bytes);
    }
    std::memset(copies, 0, bytes);
    array[kCopies] = reinterpret_cast<std::uintptr_t>(copies);
    array[kCopiesEnd] = array[kCopies] + bytes;
    note_release(copies);  // for share_reductions()
    array[kIsFirst] = array == arrays ? 1 : 0;
    if (array[kNext] == 0) break;
    array = next_of(array);
  }
  array[kNext] = reinterpret_cast<std::uintptr_t>(outer);
}

void register_reductions(Thread& self, std::uintptr_t* arrays) {
  Group& group = *self.at.task->group;
  allocate_copies(arrays, self.at.team->size, group.reductions);
  group.reductions = arrays;
}

void free_copies(std::uintptr_t* arrays) {
  std::uintptr_t* array = arrays;
  do {
    std::free(reinterpret_cast<void*>(array[kCopies]));
    array = next_of(array);
  } while (array != nullptr && array[kIsFirst] == 0);
}

void share_reductions(Thread& self, std::uintptr_t* arrays, const std::uintptr_t* first) {
  Group& group = *self.at.task->group;
  std::uintptr_t* array = arrays;
  for (;;) {
    array[kCopies] = first[kCopies];
    note_acquire(reinterpret_cast<void*>(first[kCopies]));
    array[kCopiesEnd] = first[kCopiesEnd];
    array[kIsFirst] = array == arrays ? 1 : 0;
    if (array[kNext] == 0) break;
    array = next_of(array);
    first = next_of(first);
  }
  array[kNext] = reinterpret_cast<std::uintptr_t>(group.reductions);
  group.reductions = arrays;
}

void begin_workshare_group(Thread& self) {
  begin_group(self);
  self.at.task->group->is_workshare = true;
}

void remap(Thread& self, std::size_t count, std::size_t original_count, void** addresses) {
  const Group* group = self.at.task->group;
  for (std::size_t i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(addresses[i]);
    const std::uintptr_t* array = group != nullptr ? group->reductions : nullptr;
    const std::uintptr_t* item = nullptr;
    for (; array != nullptr; array = next_of(array)) {
      item = item_of(array, address);
      if (item != nullptr) break;
      // Inside a copy, but not at the begin of an item: a part of one.
      if (address >= array[kCopies] && address < array[kCopiesEnd]) break;
    }
    if (array == nullptr) {
      fail("couldn't find matching task_reduction or reduction with task modifier for %p",
           addresses[i]);
    }
    const std::uintptr_t offset =
        item != nullptr ? item[1] : (address - array[kCopies]) % array[kBytes];
    addresses[i] = reinterpret_cast<void*>(array[kCopies] + self.at.index * array[kBytes] + offset);
    if (i < original_count && item != nullptr) {
      addresses[count + i] = reinterpret_cast<void*>(item[0]);
    }
  }
}

}  // namespace myr::omp
