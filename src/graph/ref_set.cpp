// SPDX-License-Identifier: Apache-2.0
#include "graph/ref_set.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace myr::graph {

RefSet::List* RefSet::allocate_list(std::size_t capacity, Group group) {
  void* memory = std::malloc(sizeof(List) + (capacity - 1) * sizeof(TaskRef));
  if (memory == nullptr) throw std::bad_alloc();
  auto* fresh = static_cast<List*>(memory);
  fresh->count = 0;
  fresh->capacity = static_cast<std::uint32_t>(capacity);
  fresh->group = group;
  return fresh;
}

RefSet::RefSet(const RefSet& other) : word_(other.word_) {
  if (!other.is_list()) return;
  const List& refs = *other.list();
  List* copy = allocate_list(refs.capacity, refs.group);
  copy->count = refs.count;
  std::copy_n(refs.items, refs.count, copy->items);
  word_ = reinterpret_cast<std::uint64_t>(copy) | kList;
}

// Adds `ref` to a full list or to a single reference: first drops what is complete, and makes room
// only if that did not free most of the list. So a complete task is looked at about once.
void RefSet::grow(TaskRef ref) {
  const auto is_complete = [](TaskRef task) { return TaskArena::is_complete(task); };
  if (!is_list()) {
    const TaskRef only{word_};
    if (is_complete(only)) {
      word_ = ref.bits;
      return;
    }
    List* fresh = allocate_list(kListLeast, Group::None);
    fresh->items[fresh->count++] = only;
    word_ = reinterpret_cast<std::uint64_t>(fresh) | kList;
  }
  List* refs = list();
  refs->count = static_cast<std::uint32_t>(
      std::remove_if(refs->items, refs->items + refs->count, is_complete) - refs->items);
  if (refs->count > refs->capacity / 4) {
    List* bigger = allocate_list(std::size_t{2} * refs->capacity, refs->group);
    bigger->count = refs->count;
    std::copy_n(refs->items, refs->count, bigger->items);
    std::free(refs);
    refs = bigger;
    word_ = reinterpret_cast<std::uint64_t>(bigger) | kList;
  }
  refs->items[refs->count++] = ref;
}

void RefSet::add_to_group(TaskRef ref, Group group) {
  if (word_ == 0 && group != Group::None) {
    List* fresh = allocate_list(kListLeast, group);
    fresh->items[fresh->count++] = ref;
    word_ = reinterpret_cast<std::uint64_t>(fresh) | kList;
  } else {
    add(ref);
  }
}

void RefSet::free_list() noexcept { std::free(list()); }

}  // namespace myr::graph
