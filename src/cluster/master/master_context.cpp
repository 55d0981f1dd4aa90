// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/master_context.hpp"

#include <algorithm>

#include "cluster/loop_windows.hpp"
#include "cluster/memory_map.hpp"
#include "cluster/misuse.hpp"
#include "engine/worker_calls.hpp"

namespace myr::cluster::master {

using graph::Target;
using graph::TargetKind;
using graph::Task;

// ---- tasks --------------------------------------------------------------------------------------

myr_draft MasterContext::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  return worker_.new_draft(closure_bytes, access_count);
}

void MasterContext::submit(const myr_draft& draft, myr_body body, const myr_site* site) {
  if (!runs_main()) return worker_.submit(draft, body, site);
  Task& task = *static_cast<Task*>(draft.task);
  task.body = body;
  task.site = site;
  machine_.spawn(task);
}

void MasterContext::submit_two(const myr_draft& draft, const myr_two_bodies& bodies,
                               std::size_t last_count, const myr_site* site) {
  if (runs_main()) return submit(draft, bodies.whole, site);
  worker_.submit_two(draft, bodies, last_count, site);
}

void MasterContext::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                          const myr_site* site) {
  if (!runs_main()) return worker_.spawn(function, accesses, count, site);
  Task& task = *worker_.draft(0, count);
  task.set(graph::kPlainFunction);
  task.function = function;
  task.site = site;
  engine::copy_accesses(accesses, count, task.accesses());
  machine_.spawn(task);
}

// What a task spawns runs inside of it, and so do its loops.
bool MasterContext::submit_whole(const base::WholeLoop& loop, const myr_site* site) {
  if (!runs_main() || machine_.worker_count() == 0) return false;
  const myr_loop& what = *loop.what;
  check_windows(what, machine_.space().tree(), site);
  std::vector<Task*> parts;
  for (std::size_t begin = what.begin, end = begin; begin != what.end; begin = end) {
    end = begin + std::min(what.end - begin, loop.grain);
    Task& part = *worker_.draft(loop.closure_bytes, what.footprint(what.data, begin, end, nullptr));
    what.footprint(what.data, begin, end, part.accesses());
    loop.make_closure(part.closure(), loop.loop, begin, end);
    part.body = loop.body;
    part.site = site;
    parts.push_back(&part);
  }
  if (has_independent_parts(what)) {
    machine_.spawn_parts(parts, regions_of(what));
    return true;
  }
  for (Task* const part : parts) machine_.spawn(*part);
  return true;
}

void MasterContext::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  if (runs_main()) {
    MasterMachine::Blocks blocks;
    for (std::size_t i = 0; i < count; ++i) {
      myr_access access = accesses[i];
      Target target;
      if (graph::resolve(machine_.space(), access, target) != graph::ResolveError::None) continue;
      if (!machine_.add_blocks(target, blocks)) machine_.wait_all();
    }
    machine_.wait(blocks);
  }
  worker_.wait(accesses, count, site);
}

void MasterContext::wait_all() {
  if (runs_main()) machine_.wait_all();
  worker_.wait_all();
}

// ---- memory -------------------------------------------------------------------------------------

void MasterContext::wait_as_main(myr_access access) {
  if (!runs_main()) return;
  Target target;
  if (graph::resolve(machine_.space(), access, target) != graph::ResolveError::None) return;
  MasterMachine::Blocks blocks;
  if (!machine_.add_blocks(target, blocks)) return machine_.wait_all();
  machine_.wait(blocks);
}

void MasterContext::wait_for_changers(myr_region region) {
  if (!runs_main()) return;
  const deps::RegionIndex index = machine_.space().tree().find(region);
  if (index == deps::kNoRegion) return;
  MasterMachine::Blocks blocks;
  machine_.add_within(index, deps::BlockUse::ReadWithin, blocks);
  machine_.wait(blocks);
}

myr_region MasterContext::new_region(myr_region parent, int level_hint, const myr_site* site) {
  wait_for_changers(parent);
  return worker_.new_region(parent, level_hint, site);
}

void MasterContext::free_region(myr_region region, const myr_site* site) {
  if (region != MYR_ROOT) wait_as_main(myr_inout_region(region));
  worker_.free_region(region, site);
}

void MasterContext::allocate(std::size_t bytes, myr_region region, std::size_t count,
                             void** objects, const char* call, const myr_site* site) {
  wait_for_changers(region);
  worker_.allocate(bytes, region, count, objects, call, site);
}

void* MasterContext::allocate_blocks(std::size_t bytes, unsigned block_shift, myr_region region,
                                     const myr_site* site) {
  wait_for_changers(region);
  return worker_.allocate_blocks(bytes, block_shift, region, site);
}

void* MasterContext::reallocate(void* object, std::size_t bytes, myr_region region,
                                const myr_site* site) {
  wait_for_changers(region);
  wait_as_main(myr_inout(object));
  return worker_.reallocate(object, bytes, region, site);
}

void MasterContext::free(void* object, const myr_site* site) {
  wait_as_main(myr_inout(object));
  worker_.free(object, site);
}

void MasterContext::touch(const base::TouchedRows& rows) {
  for (const scc::Extent& row : extents_of(rows)) machine_.touch(row);
}

// ---- the end ------------------------------------------------------------------------------------

void MasterContext::main_ends(const void* kept) {
  const auto* const user =
      machine_.find_user(reinterpret_cast<std::uint64_t>(worker_.stack().low),
                         reinterpret_cast<std::uint64_t>(worker_.end_of_gone(kept)));
  if (user != nullptr) report(sched::Misuse::LocalsInUse, Call::Spawn, user->site, {});
}

}  // namespace myr::cluster::master
