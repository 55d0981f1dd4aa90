// SPDX-License-Identifier: Apache-2.0
#include "engine/stacks.hpp"

#include "plat/task_stack.hpp"

namespace myr::engine {

void Stacks::adopt_thread() {
  home_ = plat::Fiber::of_this_thread();
  make_current(*home_);
}

bool Stacks::provide_idle() {
  if (!idle_.empty()) return true;
  if (others_.size() >= count_max_) return false;
  auto made = plat::Fiber::create(plat::task_stack_bytes(), loop_, worker_);
  if (!made) return false;
  others_.push_back(std::move(*made));
  idle_.push_back(others_.back().get());
  return true;
}

}  // namespace myr::engine
