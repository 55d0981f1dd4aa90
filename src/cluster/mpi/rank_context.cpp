// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/rank_context.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "base/access_text.hpp"
#include "base/bits.hpp"
#include "base/misuse.hpp"
#include "cluster/misuse.hpp"
#include "engine/access_check.hpp"
#include "engine/worker_calls.hpp"
#include "sched/page_directory.hpp"
#include "sync/cancelled_regions.hpp"

namespace myr::cluster::mpi {

using graph::ResolveError;
using graph::Target;
using graph::TargetKind;
using graph::Task;
using mem::Heap;
using proto::NodeId;
using proto::Purpose;

RankContext::RankContext(RankNode& node, engine::Worker& worker) noexcept
    : NodeContext(node, worker), rank_(node) {}

void RankContext::answer(proto::Described described) {
  described_ = std::move(described);
  described_at_ = rank_.known().new_stamp();
  end_question();
}

void RankContext::answer(const proto::Lent& lent) {
  lent_indices_ = lent.indices.size();
  lent_runs_ = lent.pages.size();
  end_question();
}

void RankContext::begin_share(unsigned count) {
  begin_question();
  sharing_ = count;
  if (count == 0) end_question();
}

void RankContext::one_knows() {
  if (--sharing_ == 0) end_question();
}

// ---- what the engine looks up -------------------------------------------------------------------

// For a task that has come here, also learns what the task holds itself.
void RankContext::know(const myr_access* accesses, std::size_t count) {
  if (SpreadTask* const self = running(); self != nullptr && !std::exchange(self->is_known, true)) {
    Task& task = *worker_.task();
    for (std::uint32_t i = 0; i < task.access_count; ++i) {
      know_own(task.accesses()[i], self->has_lengths);
    }
  }
  for (const myr_access* access = accesses; access != accesses + count; ++access) {
    if ((access->flags & MYR_VALUE) != 0) continue;
    if ((access->flags & MYR_REGION) != 0) {
      know_region(access->region);
    } else if (Heap::contains(access->address)) {
      know_object(access->address);
    }
  }
}

void RankContext::know_own(myr_access& own, bool has_length) {
  if ((own.flags & MYR_VALUE) != 0) return;
  if ((own.flags & MYR_REGION) != 0) return know_region(own.region);
  const bool is_whole = graph::is_whole(own.bytes, own.flags, 0);
  if (has_length || !is_whole || !Heap::contains(own.address)) return;
  know_object(own.address);
  graph::fill_in_length(own);
}

void RankContext::know_region(myr_region region) {
  const deps::RegionTree& tree = rank_.space().tree();
  if (MYR_LIKELY(tree.find(region) != deps::kNoRegion)) return;
  std::vector<std::uint64_t> chain{region};
  NodeId at;
  while (tree.find(chain.back()) == deps::kNoRegion) {
    if (!sched::to_region(rank_.topology(), chain.back(), at)) return;
    ask_about(at, proto::owner_of_region(at));
    if (described_.regions.empty()) return;  // there is none; whoever looks for it says so
    chain.insert(chain.end(), described_.regions.begin() + 1, described_.regions.end());
  }
  rank_.learn_regions(chain);
}

myr_region RankContext::region_around(myr_region region) {
  know_region(region);
  return NodeContext::region_around(region);
}

void RankContext::know_object(const void* address) {
  const KnownMemory::Stamp stamp = this->stamp();
  if (MYR_LIKELY(rank_.known().knows(address, stamp))) return;
  for (bool is_known = false; !is_known;) {
    ask_about(NodeId::object(reinterpret_cast<std::uintptr_t>(address)), proto::home_of(holder()));
    if (described_.regions.empty()) {
      rank_.object_freed(address);
      return;
    }
    const proto::Described found = std::move(described_);
    const KnownMemory::Stamp told = described_at_;
    know_region(found.regions.front());
    is_known = rank_.learn_slabs(found.objects, told, stamp);
  }
}

// The stamp of the task that holds what the running one uses. Children elsewhere may change what it
// has learnt, so while it has some, it learns nothing for good.
KnownMemory::Stamp RankContext::stamp() const {
  SpreadTask& holding = holding_task();
  return holding.has_spread() ? rank_.known().new_stamp() : holding.knowledge.load(sync::relaxed);
}

void RankContext::ask_about(NodeId node, AgentId whom) {
  described_ = {};
  begin_question();
  node_.ask(
      *this, whom,
      proto::Describe{
          .request = reinterpret_cast<std::uintptr_t>(this), .asker = rank_.self(), .node = node});
}

// The task around the running one that has come here, or main.
Task& RankContext::holding() const {
  Task* task = worker_.task();
  while (task->parent != nullptr && (task->flags & graph::kSpread) == 0) task = task->parent;
  return *task;
}

SpreadTask& RankContext::holding_task() const {
  Task& task = holding();
  return task.parent == nullptr ? node_.main() : spread_task_of(task);
}

// ---- tasks --------------------------------------------------------------------------------------

// Bytes of a closure that nobody writes are no addresses.
myr_draft RankContext::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  const myr_draft draft = NodeContext::new_draft(closure_bytes, access_count);
  draft_stays_ = false;
  draft_kind_ = nullptr;
  draft_bytes_ = closure_bytes;
  if (is_draft_spread() && closure_bytes != 0) std::memset(draft.closure, 0, closure_bytes);
  return draft;
}

void RankContext::submit(const myr_draft& draft, myr_body body, const myr_site* site) {
  Task& task = *static_cast<Task*>(draft.task);
  if (!is_draft_spread()) know(task.accesses(), task.access_count);
  NodeContext::submit(draft, body, site);
}

void RankContext::submit_two(const myr_draft& draft, const myr_two_bodies& bodies,
                             std::size_t last_count, const myr_site* site) {
  Task& task = *static_cast<Task*>(draft.task);
  if (!is_draft_spread()) know(task.accesses(), task.access_count);
  NodeContext::submit_two(draft, bodies, last_count, site);
}

void RankContext::submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                            const myr_site* site) {
  Task& task = *static_cast<Task*>(draft.task);
  if (!is_draft_spread()) know(task.accesses(), task.access_count);
  NodeContext::submit_to(best, draft, body, site);
}

void RankContext::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                        const myr_site* site) {
  SpreadTask* const parent = spreader();
  draft_stays_ = false;
  draft_kind_ = nullptr;
  draft_bytes_ = 0;
  if (parent == nullptr) know(accesses, count);
  spawn_from(parent, function, accesses, count, site);
}

// Children cannot use here what the process does not have.
bool RankContext::must_spread(const SpreadTask& task) const {
  if (task.is_main()) return false;
  if (rank_.is_tested() && task.id % 2 == 0 && !task.has_owners) return true;
  Task& running = *worker_.task();
  const myr_access* const first = running.accesses();
  return std::any_of(first, first + running.access_count,
                     [](const myr_access& access) { return (access.flags & MYR_NOTRANSFER) != 0; });
}

void RankContext::declare(SpreadTask& parent, myr_access& access, Task& task,
                          proto::Task& message) {
  const auto reject = [&](ResolveError error) {
    engine::reject_access(rank_.space(), *worker_.task(), access, error, task);
  };
  if (!base::has_meaning(access.flags)) reject(ResolveError::UnknownMode);
  if ((access.flags & MYR_VALUE) != 0) return;
  proto::Access known{.mode = mode_of(access), .transfers = (access.flags & MYR_NOTRANSFER) == 0};
  if ((access.flags & MYR_REGION) != 0) {
    const bool is_region = sched::to_region(rank_.topology(), access.region, known.node);
    if (!is_region || parent.has_freed(access.region)) reject(ResolveError::UnknownRegion);
  } else if (access.address == nullptr && (access.flags & MYR_MAYBE) != 0) {
    return;
  } else if (Heap::contains(access.address)) {  // only the owner knows where the object begins
    if (!base::fits_memory(access)) reject(ResolveError::TooLong);
    if (!may_hold(access)) reject(ResolveError::None);
    known.node = NodeId::object(reinterpret_cast<std::uintptr_t>(access.address));
    known.is_read = (access.flags & MYR_IN) != 0;
    known.is_part = !graph::is_whole(access.bytes, access.flags, 0);
    if (known.is_part) {
      message.ranges.push_back(
          {.address = known.node.value(), .bytes = access.bytes, .mode = known.mode});
    }
  } else {
    Target target;
    static_cast<void>(engine::check_access(rank_.space(), *worker_.task(), access, target, task));
    if (target.kind == TargetKind::None) return;
    message.ranges.push_back(
        {.address = target.begin, .bytes = target.end - target.begin, .mode = mode_of(access)});
    note_lent_stack(parent, target.begin);
    return;
  }
  message.accesses.push_back(std::move(known));
}

// Only its own process knows which parts of objects the running task holds; schedulers know which
// objects. False: it holds other bytes, and no region.
bool RankContext::may_hold(const myr_access& access) const {
  if (runs_main() || graph::is_whole(access.bytes, access.flags, 0)) return true;
  Task& task = *worker_.task();
  const std::span<const myr_access> own(task.accesses(), task.access_count);
  const bool is_known = std::none_of(own.begin(), own.end(), [](const myr_access& held) {
    return (held.flags & MYR_REGION) != 0 || held.bytes == 0;
  });
  const auto begin = reinterpret_cast<std::uint64_t>(access.address);
  const Target bytes{.kind = TargetKind::Range,
                     .writes = (access.flags & MYR_OUT) != 0,
                     .region = deps::kRootRegion,
                     .begin = begin,
                     .end = begin + access.bytes};
  return !is_known || graph::cover(rank_.space(), task, bytes).allowed;
}

// Others may use now what the task has changed and made here.
void RankContext::before_handing_over(SpreadTask& parent) {
  if (parent.is_main()) rank_.tell_changes(*this);
  // The child has what is in a region by then, and knows nothing of objects that are made later.
  if (parent.gives_regions) rank_.give_back_spares(parent.id);
  rank_.hand_over(parent.id);
  parent.knowledge.store(rank_.known().new_stamp(), sync::relaxed);
}

// Parts hold what is brought to them. A task that does not hold the regions itself may hold what is
// around them, or objects: that is not looked into.
bool RankContext::may_go_whole(const SpreadTask& parent, const base::WholeLoop& loop) const {
  const std::span windows(loop.what->windows, loop.what->window_count);
  Task& task = *worker_.task();
  const std::span<const myr_access> own(task.accesses(), task.access_count);
  const auto is_held = [&](myr_region region) {
    return std::any_of(own.begin(), own.end(), [region](const myr_access& held) {
      return (held.flags & (MYR_REGION | MYR_VALUE)) == MYR_REGION && held.region == region;
    });
  };
  return !loop.bytes.empty() &&
         std::all_of(windows.begin(), windows.end(), [&](const myr_window& window) {
           const bool transfers = (window.mode & MYR_NOTRANSFER) == 0;
           return transfers && (parent.is_main() || is_held(window.region));
         });
}

bool RankContext::hand_over_loop(SpreadTask& parent, Task& whole, const base::WholeLoop& loop,
                                 proto::Task& message) {
  const TaskParts part{
      .body = loop.body, .site = whole.site, .closure = loop.bytes, .accesses = {}};
  message.parcel = std::make_shared<proto::Parcel>();
  if (!rank_.pack_loop(parent, part, *message.parcel)) return false;
  before_handing_over(parent);
  message.program = program_of_call(whole.site, Call::Spawn);
  worker_.discard(whole);
  return true;
}

void RankContext::hand_over(SpreadTask& parent, Task& task, proto::Task& message) {
  message.program = program_of_call(task.site, Call::Spawn);
  message.parcel = std::make_shared<proto::Parcel>();
  if (!message.ranges.empty() && !parent.is_main()) rank_.note_lent_on(parent.id);
  before_handing_over(parent);
  const bool is_function = (task.flags & graph::kPlainFunction) != 0;
  const TaskParts parts{.body = is_function ? nullptr : task.body,
                        .function = is_function ? task.function : nullptr,
                        .site = task.site,
                        .kind = draft_kind_,
                        .closure = {static_cast<std::byte*>(task.closure()), draft_bytes_},
                        .accesses = {task.accesses(), task.access_count}};
  std::optional<Stayed::Why> stays;
  if (rank_.kept_regions().keep(parts.accesses)) stays = Stayed::Why::InKeptRegion;
  if (draft_stays_) stays = Stayed::Why::MoreThanBytes;
  if (rank_.pack_task(parent, parts, task, stays, *message.parcel)) return;
  if (draft_kind_ != nullptr) task.body(task.closure(), MYR_CANCELLED);  // only destroys it
  spread_task_of(task).~SpreadTask();
  worker_.discard(task);
}

std::uint64_t RankContext::program_of_call(const myr_site* site, Call call) const {
  return program_at(site, call, rank_.modules());
}

void RankContext::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  if (running_spreader() == nullptr) know(accesses, count);
  NodeContext::wait(accesses, count, site);
}

void RankContext::wait_all() {
  NodeContext::wait_all();
  if (runs_main()) rank_.let_go_of_main();
}

bool RankContext::tell_event(std::uint64_t event, base::Exception& failure, const myr_site* site) {
  return rank_.tell_event(event, std::move(failure), site);
}

// ---- memory -------------------------------------------------------------------------------------

// The owner finds out whether main's calls name a region that exists.
void RankContext::check_may_change(myr_region region, const char* call, const myr_site* site) {
  check_not_freed(region, call, site);
  NodeId node;
  if (!sched::to_region(rank_.topology(), region, node)) engine::reject_region(region, call, site);
  const Task& task = *worker_.task();
  if (task.interior == nullptr || task.interior->live() == 0) {
    if (runs_main()) return;
    const myr_access* const first = worker_.task()->accesses();
    const bool is_own = std::any_of(first, first + task.access_count, [&](const myr_access& own) {
      constexpr unsigned kWritten = MYR_REGION | MYR_OUT;
      return (own.flags & kWritten) == kWritten && own.region == region;
    });
    if (is_own) return;
  }
  const myr_access whole = myr_inout_region(region);
  know(&whole, 1);
  static_cast<void>(worker_.region_to_change(region, call, site));
}

myr_region RankContext::new_region(myr_region parent, int level_hint, const myr_site* site) {
  check_may_change(parent, "myr_region_new", site);
  if (makes_regions_in(parent, level_hint)) {
    know_region(parent);
    MadeRegions& own = rank_.made_regions();
    const auto around = own.holder_of(deps::RegionTree::index_of(parent));
    const proto::TaskId holder = around ? *around : this->holder();
    do {
      if (const auto made = own.make(holder, parent)) return *made;
    } while (borrow(parent, 1) && lent_indices_ != 0);
  }
  return ask_for_region(rank_.self(), parent, level_hint, site);
}

// A local task makes regions here, in one that stays here, if they would live where that does.
// Others will use soon what main makes.
bool RankContext::makes_regions_in(myr_region parent, int level_hint) const {
  if (runs_main() || running_spreader() != nullptr) return false;
  const AgentId owner = proto::owner_of_region(NodeId::region(parent));
  const sched::Topology& topology = rank_.topology();
  return topology.is_leaf_scheduler(owner) || level_hint >= static_cast<int>(topology.level(owner));
}

// Asks the region's owner for so many pages side by side, better more. False: it has none.
bool RankContext::borrow(myr_region from, std::uint64_t pages) {
  const AgentId owner = proto::owner_of_region(NodeId::region(from));
  proto::Lend lend = rank_.made_regions().next_loan(owner, pages);
  lend.request = reinterpret_cast<std::uintptr_t>(this);
  lend.asker = rank_.self();
  for (;; lend.pages = pages) {
    begin_question();
    node_.ask(*this, owner, lend);
    if (lent_runs_ != 0 || lend.pages == pages) return lent_runs_ != 0;
  }
}

// A child that uses a region is brought all of it as it was when that was granted, perhaps to this
// process: what is made there meanwhile would be overwritten.
void RankContext::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                           const char* call, const myr_site* site) {
  check_may_change(region, call, site);
  if (bytes == 0) {
    std::fill_n(objects, count, nullptr);
    return;
  }
  if (bytes > mem::kHeapBytesMax) engine::Worker::report_no_memory(call, bytes, site);
  if (MadeRegions& own = rank_.made_regions(); own.has(deps::RegionTree::index_of(region))) {
    while (!own.allocate(region, bytes, count, objects)) {
      const bool is_more = borrow(region, sched::pages_for(bytes, 1));
      if (!is_more) {
        engine::Worker::report_no_memory(call, base::saturated_product(bytes, count), site);
      }
    }
    return;
  }
  if (const SpreadTask* const task = running_spreader(); task != nullptr && task->gives_regions) {
    const myr_access whole = myr_inout_region(region);
    wait(&whole, 1, site);
  }
  const Spares::Kind kind{region, bytes};
  std::size_t more = 0;
  if (rank_.take_spares(holder(), kind, {objects, count}, more)) return;
  std::vector<void*> made(count + more);
  ask_for_objects(rank_.self(), bytes, region, made.size(), made.data(), call, site);
  std::copy_n(made.begin(), count, objects);
  if (more != 0) rank_.keep_spares(holder(), kind, std::span(made).subspan(count));
}

// Main may do it whenever it holds the region, and so may its local tasks: what it has spawned
// before comes first, and what it spawns from now on stays. Another task may only if nobody else
// can have spawned some on the region.
void RankContext::keep_region_here(myr_region region, const myr_site* site) {
  KeptRegions& kept = rank_.kept_regions();
  if (kept.has(region)) return;
  check_may_change(region, "myr_region_keep_here", site);
  know_region(region);
  const deps::RegionTree& tree = rank_.space().tree();
  deps::RegionIndex index = tree.find(region);
  if (index == deps::kNoRegion) engine::reject_region(region, "myr_region_keep_here", site);
  Task& holding = this->holding();
  const bool is_main = holding.parent == nullptr;
  if (!is_main) {
    if (!rank_.made_regions().has(index)) {
      base::misuse(site != nullptr ? site : holding.site,
                   "in a region that it was given a task makes objects that hold addresses of its "
                   "process's memory, as a std::string does: others would find only their bytes. "
                   "Call keep_here() of the region before the task is spawned: then all tasks that "
                   "name the region stay with main; or let the task make a region of its own");
    }
    rank_.note_owners(holder(), holding.site);
    spread_task_of(holding).has_owners = true;
  }
  for (;; index = tree.parent(index)) {
    if (!is_main && !rank_.made_regions().has(index)) return;
    kept.add(tree.id_of(index));
    if (index == deps::kRootRegion) return;
  }
}

void RankContext::free_region(myr_region region, const myr_site* site) {
  check_not_freed(region, "myr_region_free", site);
  NodeId node;
  if (!sched::to_region(rank_.topology(), region, node)) {
    engine::reject_region(region, "myr_region_free", site);
  }
  SpreadTask* const spreader = running_spreader();
  deps::RegionIndex index = deps::kNoRegion;
  if (spreader == nullptr || !spreader->is_main() || node == proto::kRootRegion) {
    const myr_access whole = myr_inout_region(region);
    know(&whole, 1);
    know(worker_.task()->accesses(), worker_.task()->access_count);  // lies some of it in there?
    index = worker_.region_to_free(region, site);
  }
  if (rank_.made_regions().has(index)) {  // what it holds is local
    worker_.wait_if_used(myr_inout_region(region), site);
    rank_.made_regions().free_region(index);
    return;
  }
  if (spreader != nullptr) {
    rank_.give_back_spares(holder());
    send_free(*spreader, Purpose::FreeRegion, node, site);
    spreader->note_freed(region);
    return;
  }
  worker_.wait_if_used(myr_inout_region(region), site);
  rank_.give_back_spares(holder());
  rank_.made_regions().free_inside(holder(), index);  // others of the holder's are in use
  rank_.space().bury(index);
  // What the owner makes of its memory may be the task's again.
  holding_task().knowledge.store(rank_.known().new_stamp(), sync::relaxed);
  node_.send(proto::owner_of_region(node), proto::Free{.node = node});
}

void RankContext::cancel_region(myr_region region, const myr_site* site) {
  know_region(region);
  NodeContext::cancel_region(region, site);
  rank_.cancel(*this, region);
}

void RankContext::free(void* object, const myr_site* site) { free(object, "myr_free", site); }

void RankContext::free(void* object, const char* call, const myr_site* site) {
  if (SpreadTask* const spreader = running_spreader()) {
    return send_free(*spreader, Purpose::FreeObject,
                     NodeId::object(reinterpret_cast<std::uintptr_t>(object)), site);
  }
  const myr_access whole = myr_inout(object);
  know(&whole, 1);
  const Target target = worker_.object_to_free(object, call, site);
  worker_.wait_if_used(whole, site);
  const NodeId region = NodeId::region(rank_.space().tree().id_of(target.region));
  if (rank_.made_regions().has(target.region)) {
    return rank_.made_regions().free(object, region.value());
  }
  rank_.object_freed(object);
  node_.send(proto::owner_of_region(region), proto::Free{.node = NodeId::object(target.begin)});
}

void* RankContext::reallocate(void* object, std::size_t bytes, myr_region region,
                              const myr_site* site) {
  if (!Heap::contains(object)) no_live_object("myr_realloc", object, site);
  const myr_access whole = myr_inout(object);
  wait(&whole, 1, site);
  know_object(object);
  const std::size_t old_bytes = Heap::object_bytes(object);
  void* moved = nullptr;
  allocate(bytes, region, 1, &moved, "myr_realloc", site);
  std::memcpy(moved, object, std::min(bytes, old_bytes));
  free(object, "myr_realloc", site);
  return moved;
}

void RankContext::publish(const void* first, std::size_t bytes, const myr_site* site) {
  const PlaceInModule place = rank_.modules().place_of(first);
  if (place == 0) {
    base::misuse(
        site,
        "myr_publish: this is no variable of the program with static storage: no other process "
        "has it. Pass a copy to the tasks that need it, or put it into a region");
  }
  if (bytes != 0) rank_.publish(*this, place, {static_cast<const std::byte*>(first), bytes});
}

}  // namespace myr::cluster::mpi
