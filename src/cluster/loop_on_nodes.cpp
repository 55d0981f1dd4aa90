// SPDX-License-Identifier: Apache-2.0
#include "cluster/loop_on_nodes.hpp"

#include <new>

#include "mem/heap.hpp"
#include "sched/loop_parts.hpp"

namespace myr::cluster {

using graph::Task;

namespace {

unsigned flags_of(const proto::Window& window) {
  const unsigned transfers = window.transfers ? 0 : MYR_NOTRANSFER;
  if (window.mode == proto::Mode::Read) return MYR_IN | transfers;
  return (window.is_read ? MYR_INOUT : MYR_OUT) | transfers;
}

// The accesses by which schedulers have ordered it, whatever the loop's footprint says.
std::size_t write_accesses(const proto::Loop& loop, proto::Iterations iterations,
                           myr_access* accesses) {
  std::size_t count = 0;
  sched::for_accesses(
      loop, iterations, [&](const proto::Window& window, proto::NodeId node, std::size_t) {
        void* const object = reinterpret_cast<void*>(node.value());
        if (accesses != nullptr) {
          accesses[count] =
              myr_make_access(object, mem::Heap::object_bytes(object), flags_of(window));
        }
        count += 1;
      });
  return count;
}

}  // namespace

Task& make_part(engine::Worker& worker, Task& whole, const proto::Work& work) {
  auto& state = *static_cast<LoopOnNodes*>(whole.closure());
  const base::WholeLoop& loop = state.loop;
  const auto [begin, end] = work.iterations;
  const std::size_t accesses = write_accesses(*state.windows, work.iterations, nullptr);
  Task& part = *worker.draft(loop.closure_bytes, accesses, sizeof(SpreadTask));
  write_accesses(*state.windows, work.iterations, part.accesses());
  loop.make_closure(part.closure(), loop.loop, begin, end);
  part.body = loop.body;
  part.site = whole.site;
  part.parent = state.spawner;
  part.depth = state.spawner->depth + 1;
  part.order = state.first_order + (begin - loop.what->begin) / loop.grain;
  part.set(graph::kSpread);
  auto& self = *new (&spread_task_of(part)) SpreadTask;
  self.parent = state.spread_spawner;
  self.level = state.spread_spawner->level + 1;
  self.clock = proto::SerialClock(work.time);
  // [cluster.loop_on_nodes] The thread that makes the last part sees that the others do not look
  // here any more.
  if (state.parts_left.fetch_sub(1, sync::acq_rel) == 1) {
    state.~LoopOnNodes();
    worker.discard(whole);
  }
  return part;
}

}  // namespace myr::cluster
