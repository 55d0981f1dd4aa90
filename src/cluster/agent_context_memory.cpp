// SPDX-License-Identifier: Apache-2.0
//
// AgentContext, second part: regions and objects. What a scheduler has to find out about a region
// is asked for, and answered; freeing is like spawning a task that frees, so it needs no answer.

#include <algorithm>
#include <cstring>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/agent_context.hpp"
#include "cluster/declare.hpp"
#include "cluster/heap_store.hpp"
#include "cluster/misuse.hpp"
#include "engine/access_check.hpp"
#include "mem/heap.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::cluster {

using mem::Heap;
using proto::NodeId;
using proto::Purpose;

namespace {

[[noreturn]] MYR_COLD void own_argument(const char* call, UserTask& task, const myr_site* site) {
  base::misuse(site,
               base::format("{}: this is an argument of the calling task (spawned at {}); a task "
                            "cannot free its own argument, because others may be waiting for it",
                            call, base::describe(task.site)));
}

}  // namespace

// A task of a step that is replayed holds nothing but objects, all of which are its arguments.
void AgentContext::reject_if_replayed(Call call, NodeId node, const myr_site* site) const {
  if (!task_->is_replayed) return;
  report(sched::Misuse::NotHeld, call, site, {.node = node, .mode = proto::Mode::Write});
}

// Whether the calling task may change it is checked where that is known, while it goes on.
NodeId AgentContext::region_to_change(myr_region region, const char* call, const myr_site* site) {
  NodeId node;
  if (!to_region(topology_, region, node) || task_->has_freed(region)) {
    engine::reject_region(region, call, site);
  }
  if (task_->may_change(region)) return node;
  reject_if_replayed(Call::Allocate, node, site);
  std::unique_ptr<proto::Task> check = make_task(Purpose::Check, program_of(site, Call::Allocate));
  check->accesses.push_back({.node = node, .mode = proto::Mode::Write});
  send_spawn({.task = std::move(check)});
  task_->found_may_change(region);
  return node;
}

myr_region AgentContext::new_region(myr_region parent, int level_hint, const myr_site* site) {
  const Calling calling(*this);
  const NodeId above = region_to_change(parent, "myr_region_new", site);
  made_.reset();
  send(proto::owner_of_region(above),
       proto::NewRegion{
           .request = self_, .asker = self_, .parent = above, .level_hint = level_hint});
  await_answer();
  if (!made_->is_parent_known) engine::reject_region(parent, "myr_region_new", site);
  if (!made_->made) out_of_memory("myr_region_new", 0, 1, site);
  const myr_region region = made_->region.value();
  task_->found_may_change(region);
  return region;
}

void AgentContext::free_region(myr_region region, const myr_site* site) {
  const Calling calling(*this);
  NodeId node;
  if (!to_region(topology_, region, node) || task_->has_freed(region)) {
    engine::reject_region(region, "myr_region_free", site);
  }
  if (node == proto::kRootRegion) root_is_not_freed(site);
  if (task_->has_argument(myr_inout_region(region))) own_argument("myr_region_free", *task_, site);
  send_free(Purpose::FreeRegion, node, site);
  task_->freed(region);
}

// Its id is kept when it is freed: the tasks that come before the free are not to run either.
void AgentContext::cancel_region(myr_region region, const myr_site* site) {
  NodeId node;
  if (!to_region(topology_, region, node) || task_->has_freed(region)) {
    engine::reject_region(region, "myr_region_cancel", site);
  }
  if (node == proto::kRootRegion) {
    base::misuse(site,
                 "myr_region_cancel: region 0 is the root; all that there is cannot be "
                 "cancelled");
  }
  sync::CancelledRegions::add(region);
}

void AgentContext::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                            const char* name, const myr_site* site) {
  const Calling calling(*this);
  const NodeId node = region_to_change(region, name, site);
  if (bytes == 0) {
    std::fill_n(objects, count, nullptr);
    return;
  }
  if (bytes > mem::kHeapBytesMax) out_of_memory(name, bytes, count, site);
  allocated_.reset();
  send(proto::owner_of_region(node), proto::Allocate{.request = self_,
                                                     .asker = self_,
                                                     .region = node,
                                                     .bytes = bytes,
                                                     .count = count,
                                                     .time = task_->clock.now()});
  await_answer();
  if (!allocated_->is_region_known) engine::reject_region(region, name, site);
  if (allocated_->addresses.size() != count) out_of_memory(name, bytes, count, site);
  std::transform(allocated_->addresses.begin(), allocated_->addresses.end(), objects,
                 [](std::uint64_t address) { return reinterpret_cast<void*>(address); });
}

void AgentContext::free(void* object, const myr_site* site) { free(object, "myr_free", site); }

void AgentContext::free(void* object, const char* name, const myr_site* site) {
  const Calling calling(*this);
  if (Heap::object_bytes(object) == 0) no_live_object(name, object, site);
  if (task_->has_argument(myr_inout(object))) own_argument(name, *task_, site);
  send_free(Purpose::FreeObject, NodeId::object(reinterpret_cast<std::uintptr_t>(object)), site);
}

void AgentContext::send_free(Purpose purpose, NodeId node, const myr_site* site) {
  const auto call = purpose == Purpose::FreeObject ? Call::Free : Call::FreeRegion;
  reject_if_replayed(call, node, site);
  std::unique_ptr<proto::Task> task = make_task(purpose, program_of(site, call));
  task->accesses.push_back({.node = node, .mode = proto::Mode::Write});
  issue(std::move(task));
}

void* AgentContext::reallocate(void* object, std::size_t bytes, myr_region region,
                               const myr_site* site) {
  if (Heap::object_bytes(object) == 0) no_live_object("myr_realloc", object, site);
  const myr_access whole = myr_inout(object);
  wait(&whole, 1, site);
  const std::size_t old_bytes = Heap::object_bytes(object);
  void* moved = nullptr;
  allocate(bytes, region, 1, &moved, "myr_realloc", site);
  std::memcpy(moved, object, std::min(bytes, old_bytes));
  free(object, "myr_realloc", site);
  return moved;
}

}  // namespace myr::cluster
