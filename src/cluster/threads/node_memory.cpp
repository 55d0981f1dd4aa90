// SPDX-License-Identifier: Apache-2.0
//
// NodeContext, second part: regions and objects. All are the schedulers', who make and end regions.
// Objects a task may have made and freed without them, if none of its children are theirs.

#include <algorithm>
#include <cstring>

#include "cluster/misuse.hpp"
#include "cluster/threads/node_context.hpp"
#include "engine/access_check.hpp"

namespace myr::cluster::threads {

using proto::NodeId;
using proto::Purpose;

// Of what it frees, a task that spreads knows this before the schedulers do.
void NodeContext::check_not_freed(myr_region region, const char* call, const myr_site* site) const {
  const SpreadTask* const task = running_spreader();
  if (task != nullptr && task->has_freed(region)) engine::reject_region(region, call, site);
}

myr_region NodeContext::new_region(myr_region parent, int level_hint, const myr_site* site) {
  check_not_freed(parent, "myr_region_new", site);
  static_cast<void>(worker_.region_to_change(parent, "myr_region_new", site));
  const NodeId above = NodeId::region(parent);
  is_answered_ = false;
  node_.ask(*this, proto::owner_of_region(above),
            proto::NewRegion{.request = reinterpret_cast<std::uintptr_t>(this),
                             .asker = node_.self(),
                             .parent = above,
                             .level_hint = level_hint});
  if (!made_.is_parent_known) engine::reject_region(parent, "myr_region_new", site);
  if (!made_.made) engine::Worker::report_no_memory("myr_region_new", 0, site);
  return made_.region.value();
}

void NodeContext::free_region(myr_region region, const myr_site* site) {
  check_not_freed(region, "myr_region_free", site);
  const deps::RegionIndex index = worker_.region_to_free(region, site);
  const NodeId node = NodeId::region(region);
  if (SpreadTask* const task = running_spreader()) {
    send_free(*task, Purpose::FreeRegion, node, site);
    task->note_freed(region);
    return;
  }
  worker_.wait_if_used(myr_inout_region(region), site);
  node_.commons().space.bury(index);
  node_.send(proto::owner_of_region(node), proto::Free{.node = node});
}

// Its id is kept when it is freed: the tasks that come before the free are not to run either.
void NodeContext::cancel_region(myr_region region, const myr_site* site) {
  check_not_freed(region, "myr_region_cancel", site);
  worker_.cancel_region(region, site);
}

void NodeContext::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                           const char* call, const myr_site* site) {
  check_not_freed(region, call, site);
  static_cast<void>(worker_.region_to_change(region, call, site));
  if (bytes == 0) {
    std::fill_n(objects, count, nullptr);
    return;
  }
  if (bytes > mem::kHeapBytesMax) engine::Worker::report_no_memory(call, bytes, site);
  const NodeId node = NodeId::region(region);
  const AgentId owner = proto::owner_of_region(node);
  SpreadTask* const task = running_spreader();
  if (task == nullptr &&
      node_.commons().stores[owner]->allocate_here(node, bytes, count, objects)) {
    return;
  }
  is_answered_ = false;
  node_.ask(*this, owner,
            proto::Allocate{.request = reinterpret_cast<std::uintptr_t>(this),
                            .asker = node_.self(),
                            .region = node,
                            .bytes = bytes,
                            .count = count,
                            .time = task == nullptr ? proto::SerialTime{} : task->clock.now()});
  if (!allocated_.is_region_known) engine::reject_region(region, call, site);
  if (allocated_.addresses.size() != count) {
    engine::Worker::report_no_memory(call, bytes * count, site);
  }
  std::transform(allocated_.addresses.begin(), allocated_.addresses.end(), objects,
                 [](std::uint64_t address) { return reinterpret_cast<void*>(address); });
}

void NodeContext::free(void* object, const myr_site* site) { free(object, "myr_free", site); }

void NodeContext::free(void* object, const char* call, const myr_site* site) {
  const graph::Target target = worker_.object_to_free(object, call, site);
  if (SpreadTask* const task = running_spreader()) {
    send_free(*task, Purpose::FreeObject, NodeId::object(target.begin), site);
    return;
  }
  worker_.wait_if_used(myr_inout(object), site);
  const NodeId region = NodeId::region(node_.commons().space.tree().id_of(target.region));
  if (node_.commons().stores[proto::owner_of_region(region)]->free_here(object)) return;
  engine::reject_region(region.value(), call,
                        site);  // with the object, by a free of what is around it
}

// Freeing is like spawning a task that frees: so it comes behind the tasks that use the memory.
void NodeContext::send_free(SpreadTask& parent, Purpose purpose, NodeId node,
                            const myr_site* site) {
  const auto call = purpose == Purpose::FreeObject ? Call::Free : Call::FreeRegion;
  std::unique_ptr<proto::Task> task = make_task(parent, purpose, program_of(site, call));
  task->accesses.push_back({.node = node, .mode = proto::Mode::Write});
  node_.send_spawn(worker_, {.task = std::move(task)});
}

void* NodeContext::reallocate(void* object, std::size_t bytes, myr_region region,
                              const myr_site* site) {
  const graph::Target old = worker_.object_to_free(object, "myr_realloc", site);
  const myr_access whole = myr_inout(object);
  wait(&whole, 1, site);
  void* moved = nullptr;
  allocate(bytes, region, 1, &moved, "myr_realloc", site);
  std::memcpy(moved, object, std::min<std::size_t>(bytes, old.end - old.begin));
  free(object, "myr_realloc", site);
  return moved;
}

}  // namespace myr::cluster::threads
