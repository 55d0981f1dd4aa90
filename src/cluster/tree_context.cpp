// SPDX-License-Identifier: Apache-2.0
#include "cluster/tree_context.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "base/sanitizers.hpp"
#include "cluster/loop_on_nodes.hpp"
#include "cluster/loop_windows.hpp"
#include "engine/access_check.hpp"
#include "engine/worker_calls.hpp"

namespace myr::cluster {

using graph::Target;
using graph::TargetKind;
using graph::Task;
using proto::NodeId;
using proto::Purpose;

// ---- tasks --------------------------------------------------------------------------------------

void TreeContext::declare(SpreadTask& parent, myr_access& access, Task& task,
                          proto::Task& message) {
  if ((access.flags & (MYR_REGION | MYR_VALUE)) == MYR_REGION && parent.has_freed(access.region)) {
    engine::reject_access(space_, *worker_.task(), access, graph::ResolveError::UnknownRegion,
                          task);
  }
  Target target;
  static_cast<void>(engine::check_access(space_, *worker_.task(), access, target, task));
  if (target.kind == TargetKind::None) return;
  proto::Access known{.mode = mode_of(access),
                      .transfers = (access.flags & MYR_NOTRANSFER) == 0,
                      .is_weak = (access.flags & MYR_WEAK) != 0};
  if (target.kind == TargetKind::Region) {
    known.node = NodeId::region(access.region);
  } else if (target.kind == TargetKind::Object) {
    known.node = NodeId::object(target.begin);
    known.is_read = (access.flags & MYR_IN) != 0;
  } else {
    proto::UsedRange range{
        .address = target.begin, .bytes = target.end - target.begin, .mode = known.mode};
    if (target.region == deps::kNoRegion) {
      range.is_weak = known.is_weak;
      message.ranges.push_back(range);
      note_lent_stack(parent, target.begin);
      return;
    }
    known.node = NodeId::object(target.object);
    known.is_read = (access.flags & MYR_IN) != 0;
    const auto* const object = reinterpret_cast<const void*>(target.object);
    known.is_part = range.bytes != mem::Heap::find_object(object).bytes;
    if (known.is_part) message.ranges.push_back(range);
  }
  message.accesses.push_back(std::move(known));
}

void TreeContext::hand_over(SpreadTask&, Task& task, proto::Task& message) {
  worker_.adopt_child(&task);
  message.program = program_of(task);
}

// A task may hold objects and not their regions, through which a whole loop goes.
bool TreeContext::may_go_whole(const SpreadTask& parent, const base::WholeLoop& loop) const {
  if (worker_.records_graph()) return false;
  if (parent.is_main()) return true;
  std::vector<myr_access> regions = regions_of(*loop.what);
  return std::all_of(regions.begin(), regions.end(), [this](myr_access& region) {
    Target target;
    return graph::resolve(space_, region, target) == graph::ResolveError::None &&
           graph::cover(space_, *worker_.task(), target).allowed;
  });
}

bool TreeContext::hand_over_loop(SpreadTask& parent, Task& whole, const base::WholeLoop& loop,
                                 proto::Task& message) {
  check_windows(*loop.what, space_.tree(), whole.site);
  new (whole.closure()) LoopOnNodes{.loop = loop,
                                    .windows = message.loop,
                                    .spawner = worker_.task(),
                                    .spread_spawner = &parent,
                                    .first_order = worker_.adopt_unmade(loop.part_count()),
                                    .parts_left{loop.part_count()}};
  message.program = program_of(whole);
  return true;
}

std::uint64_t TreeContext::program_of_call(const myr_site* site, Call call) const {
  return program_of(site, call);
}

// ---- memory: of objects a task may make and free without schedulers, if its children are local

myr_region TreeContext::new_region(myr_region parent, int level_hint, const myr_site* site) {
  check_not_freed(parent, "myr_region_new", site);
  static_cast<void>(worker_.region_to_change(parent, "myr_region_new", site));
  return ask_for_region(node_.self(), parent, level_hint, site);
}

void TreeContext::free_region(myr_region region, const myr_site* site) {
  check_not_freed(region, "myr_region_free", site);
  const deps::RegionIndex index = worker_.region_to_free(region, site);
  const NodeId node = NodeId::region(region);
  if (SpreadTask* const task = running_spreader()) {
    send_free(*task, Purpose::FreeRegion, node, site);
    task->note_freed(region);
    return;
  }
  worker_.wait_if_used(myr_inout_region(region), site);
  space_.bury(index);
  node_.send(proto::owner_of_region(node), proto::Free{.node = node});
}

void TreeContext::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
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
  if (running_spreader() == nullptr && stores_[owner]->allocate_here(node, bytes, count, objects)) {
    return;
  }
  ask_for_objects(node_.self(), bytes, region, count, objects, call, site);
}

void TreeContext::free(void* object, const myr_site* site) { free(object, "myr_free", site); }

void TreeContext::free(void* object, const char* call, const myr_site* site) {
  const graph::Target target = worker_.object_to_free(object, call, site);
  if (SpreadTask* const task = running_spreader()) {
    send_free(*task, Purpose::FreeObject, NodeId::object(target.begin), site);
    return;
  }
  worker_.wait_if_used(myr_inout(object), site);
  const NodeId region = NodeId::region(space_.tree().id_of(target.region));
  if (stores_[proto::owner_of_region(region)]->free_here(object)) return;
  engine::reject_region(region.value(), call,
                        site);  // with the object, by a free of what is around it
}

void* TreeContext::reallocate(void* object, std::size_t bytes, myr_region region,
                              const myr_site* site) {
  const graph::Target old = worker_.object_to_free(object, "myr_realloc", site);
  const myr_access whole = myr_inout(object);
  wait(&whole, 1, site);
  void* moved = nullptr;
  allocate(bytes, region, 1, &moved, "myr_realloc", site);
  base::copy_untold(moved, object, std::min<std::size_t>(bytes, old.end - old.begin));
  free(object, "myr_realloc", site);
  return moved;
}

}  // namespace myr::cluster
