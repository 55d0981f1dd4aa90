// SPDX-License-Identifier: Apache-2.0
#include "check/omp_reduce.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/contract.hpp"
#include "check/omp_team.hpp"

namespace myr::check::omp {

namespace {

enum Word : std::size_t { kCount = 0, kBytes = 1, kCopies = 2, kNext = 4, kCopiesEnd = 6 };
constexpr std::size_t kItems = 7;
constexpr std::size_t kItemWords = 3;

std::uintptr_t* next_of(const std::uintptr_t* array) {
  return reinterpret_cast<std::uintptr_t*>(array[kNext]);
}

// The item that an address stands for: the original, or somebody's copy.
const std::uintptr_t* item_of(const std::uintptr_t* array, std::uintptr_t address) {
  const bool is_copy = array[kCopies] <= address && address < array[kCopiesEnd];
  const std::uintptr_t offset = is_copy ? (address - array[kCopies]) % array[kBytes] : 0;
  for (std::size_t i = 0; i < array[kCount]; ++i) {
    const std::uintptr_t* const item = array + kItems + i * kItemWords;
    if (is_copy ? item[1] == offset : item[0] == address) return item;
  }
  return nullptr;
}

}  // namespace

void make_copies(std::uintptr_t* arrays, unsigned threads, std::uintptr_t* outer) {
  for (std::uintptr_t* array = arrays;; array = next_of(array)) {
    const std::size_t align = std::max<std::size_t>(array[kCopies], sizeof(void*));
    const std::size_t bytes = (array[kBytes] * threads / align + 1) * align;
    void* const copies = std::aligned_alloc(align, bytes);
    std::memset(copies, 0, bytes);
    exclude(copies, bytes);
    array[kCopies] = reinterpret_cast<std::uintptr_t>(copies);
    array[kCopiesEnd] = array[kCopies] + array[kBytes] * threads;
    if (array[kNext] != 0) continue;
    array[kNext] = reinterpret_cast<std::uintptr_t>(outer);
    return;
  }
}

void register_reductions(std::uintptr_t* arrays) {
  Group& group = *task().group;
  make_copies(arrays, std::max(task().team->size, 1U), group.reductions);
  group.reductions = arrays;
}

void share_reductions(std::uintptr_t* arrays, const std::uintptr_t* first) {
  Group& group = *task().group;
  for (std::uintptr_t* array = arrays;; array = next_of(array), first = next_of(first)) {
    array[kCopies] = first[kCopies];
    array[kCopiesEnd] = first[kCopiesEnd];
    if (array[kNext] != 0) continue;
    array[kNext] = reinterpret_cast<std::uintptr_t>(group.reductions);
    break;
  }
  group.reductions = arrays;
}

void remap(std::size_t count, std::size_t original_count, void** addresses) {
  const Group* const group = task().group;
  for (std::size_t i = 0; i < count; ++i) {
    const auto address = reinterpret_cast<std::uintptr_t>(addresses[i]);
    const std::uintptr_t* array = group != nullptr ? group->reductions : nullptr;
    const auto is_in = [&] { return array[kCopies] <= address && address < array[kCopiesEnd]; };
    while (array != nullptr && item_of(array, address) == nullptr && !is_in()) {
      array = next_of(array);
    }
    MYR_ASSERT(array != nullptr);
    const std::uintptr_t* const item = item_of(array, address);
    const std::uintptr_t offset =
        item != nullptr ? item[1] : (address - array[kCopies]) % array[kBytes];
    addresses[i] = reinterpret_cast<void*>(array[kCopies] + task().index * array[kBytes] + offset);
    if (i < original_count && item != nullptr) {
      addresses[count + i] = reinterpret_cast<void*>(item[0]);
    }
  }
}

}  // namespace myr::check::omp
