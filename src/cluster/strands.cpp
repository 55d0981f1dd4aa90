// SPDX-License-Identifier: Apache-2.0
#include "cluster/strands.hpp"

#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "plat/task_stack.hpp"

namespace myr::cluster {

using plat::Fiber;

void Strands::adopt(proto::TaskId task, plat::Fiber& stack) {
  current_ = strand_of_[task] = {.stack = &stack};
  bounds_ = stack.stack();
  plat::watch_stack({.stack = &bounds_, .tell = tell_full_stack, .who = this});
}

void Strands::tell_full_stack(const void* strands, const plat::StackOverflow& overflow) noexcept {
  plat::tell_full_task_stack(static_cast<const Strands*>(strands)->current_.site, overflow);
}

void Strands::begin(proto::AgentId worker, const proto::Work& work, const myr_site* site) {
  Strand& strand = idle_strand(site);
  strand.worker = worker;
  strand.work = work;
  strand_of_[work.task] = {.stack = strand.fiber.get(), .site = site};
  go_on(work.task);
}

Strands::Strand& Strands::idle_strand(const myr_site* site) {
  if (idle_.empty()) {
    if (strands_.size() == kCountMax) {
      base::misuse(site, base::format("no stack is left for the task spawned here: {} tasks have "
                                      "begun and not ended; nest waits less deeply",
                                      kCountMax));
    }
    Strand& strand = *strands_.emplace_back(std::make_unique<Strand>(Strand{.owner = this}));
    auto fiber = Fiber::create(plat::task_stack_bytes(), run_tasks, &strand);
    if (!fiber) base::misuse(site, fiber.error().text);
    strand.fiber = std::move(*fiber);
    return strand;
  }
  Strand& strand = *idle_.back();
  idle_.pop_back();
  return strand;
}

void Strands::run_tasks(void* argument) {
  auto& strand = *static_cast<Strand*>(argument);
  Strands& self = *strand.owner;
  for (;;) {
    self.run_(strand.worker, strand.work);
    self.strand_of_.erase(strand.work.task);
    self.idle_.push_back(&strand);
    Fiber::switch_to(*strand.fiber, *self.home_);
  }
}

}  // namespace myr::cluster
