// SPDX-License-Identifier: Apache-2.0
#include "graph/ref_set.hpp"

#include <algorithm>

namespace myr::graph {

void RefSet::grow(TaskRef ref) {
  const TaskRef only{word_};
  if (TaskArena::is_complete(only)) {
    word_ = ref.bits;
    return;
  }
  auto* refs = new std::vector<TaskRef>;
  refs->reserve(8);
  refs->push_back(only);
  refs->push_back(ref);
  word_ = to_word(refs);
}

void RefSet::append(TaskRef ref) {
  std::vector<TaskRef>& refs = *vector();
  if (refs.size() == refs.capacity()) {
    std::erase_if(refs, [](TaskRef old) { return TaskArena::is_complete(old); });
    if (refs.size() > refs.capacity() / 2) refs.reserve(refs.capacity() * 2);
  }
  refs.push_back(ref);
}

}  // namespace myr::graph
