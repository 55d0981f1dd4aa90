// SPDX-License-Identifier: Apache-2.0
#include "cluster/master/master_machine.hpp"

#include <algorithm>
#include <utility>

#include "base/access_text.hpp"
#include "base/format.hpp"
#include "base/misuse.hpp"
#include "cluster/master/master_context.hpp"
#include "deps/blocks.hpp"
#include "engine/access_check.hpp"
#include "engine/worker_calls.hpp"

namespace myr::cluster::master {

using deps::BlockUse;
using graph::Target;
using graph::TargetKind;
using graph::Task;

namespace {
constexpr std::uint64_t kRegionBit = std::uint64_t{1} << 63;  // of the names of blocks
}

// From here to the end of the scope main is in the runtime.
class MasterMachine::InRuntime {
 public:
  explicit InRuntime(MasterMachine& machine) : machine_(machine), since_(machine.ticks()) {}
  InRuntime(const InRuntime&) = delete;
  InRuntime& operator=(const InRuntime&) = delete;
  ~InRuntime() { machine_.runtime_ticks_ += machine_.ticks() - since_; }

 private:
  MasterMachine& machine_;
  std::uint64_t since_;
};

MasterMachine::MasterMachine(unsigned workers, const Options& options,
                             std::unique_ptr<graph::RegionSpace> space)
    : topology_(sched::Topology::of_counts(1, std::max(workers, 1U))),
      worker_count_(workers),
      options_(options),
      space_(std::move(space)),
      recyclers_(1 + workers + engine::kGuestsMax),
      spawned_(kDescriptors) {}

MasterMachine::~MasterMachine() = default;

base::Result<bool> MasterMachine::start(MasterCore& core) {
  master_.emplace(core, worker_count_);
  auto engine = engine::Engine::create(*space_, {.worker_count = 1,
                                                 .serial = true,
                                                 .recyclers = &recyclers_,
                                                 .first_guest = 1 + worker_count_,
                                                 .has_main = options_.has_main});
  if (!engine) return engine.error();
  engine_ = std::move(*engine);
  if (!options_.has_main) return true;
  context_ = std::make_unique<MasterContext>(*this, engine_->worker(0));
  context_->adopt_thread();
  return true;
}

void MasterMachine::stop() {
  MasterContext::leave_thread();
  engine_->stop();
}

AgentUsage MasterMachine::master_usage(Cycles total, Cycles idle) const {
  return {.task_ticks = total - runtime_ticks_,
          .runtime_ticks = runtime_ticks_ - idle,
          .idle_ticks = idle,
          .conflicts = conflicts_,
          .false_conflicts = false_conflicts_};
}

// ---- what a task uses ---------------------------------------------------------------------------

// For a task that uses something in the region.
void MasterMachine::add_within(deps::RegionIndex region, BlockUse use, Blocks& blocks) const {
  for (;; region = space_->tree().parent(region)) {
    blocks.push_back({kRegionBit | region, use});
    if (region == deps::kRootRegion) return;
  }
}

bool MasterMachine::add_blocks(const Target& target, Blocks& blocks) const {
  if (target.kind == TargetKind::None) return true;
  const BlockUse use = target.writes ? BlockUse::Write : BlockUse::Read;
  const BlockUse within = target.writes ? BlockUse::WriteWithin : BlockUse::ReadWithin;
  if (target.kind == TargetKind::Region) {
    blocks.push_back({kRegionBit | target.region, use});
    if (target.region != deps::kRootRegion) {
      add_within(space_->tree().parent(target.region), within, blocks);
    }
    return true;
  }
  deps::BlockedArray array{.begin = 0, .end = kRegionBit, .block_bytes = options_.block_bytes};
  if (target.kind == TargetKind::Object) array.begin = target.begin;
  if (target.kind == TargetKind::Range) array.begin = target.object;  // 0 for other memory
  if (target.kind == TargetKind::Blocks) {
    array.begin = target.object;
    array.block_bytes = std::uint64_t{1} << target.block_shift;
  }
  if ((target.end - target.begin) / array.block_bytes > kBlocksMax) return false;
  if (target.region != deps::kNoRegion) add_within(target.region, within, blocks);
  deps::visit_blocks(array, {.address = target.begin, .bytes = target.end - target.begin},
                     [&](std::uint64_t block) { blocks.push_back({block, use}); });
  return true;
}

void MasterMachine::declare(myr_access& access, const Task& task, Spawned& spawned,
                            Blocks& blocks) {
  Target target;
  static_cast<void>(
      engine::check_access(*space_, *engine_->worker(0).task(), access, target, task));
  if (!add_blocks(target, blocks)) {
    base::misuse(task.site,
                 base::format("spawn with {}: on this machine an access may have {} blocks of "
                              "memory; name fewer bytes, or let blocks be larger (MYR_BLOCK_BYTES, "
                              "or the array's own)",
                              base::describe(access), kBlocksMax));
  }
  if (target.kind == TargetKind::Region && target.writes) spawned.writes_region = true;
  if (target.kind == TargetKind::None || target.kind == TargetKind::Region) return;
  // Not exchanged: the task does not touch it, or it may be gone when the task ends.
  if ((access.flags & (MYR_NOTRANSFER | MYR_HELD)) != 0) return;
  spawned.extents.push_back({.begin = target.begin,
                             .end = target.end,
                             .writes = target.writes,
                             .reads = (access.flags & MYR_IN) != 0});
}

// ---- main's calls -------------------------------------------------------------------------------

MasterMachine::Spawned MasterMachine::adopt(Task& task, Blocks& blocks) {
  engine_->worker(0).adopt_child(&task);
  Spawned spawned{.task = &task, .site = task.site, .extents = {}};
  myr_access* const accesses = task.accesses();
  for (std::uint32_t i = 0; i < task.access_count; ++i) {
    declare(accesses[i], task, spawned, blocks);
  }
  return spawned;
}

std::uint32_t MasterMachine::take_number(Spawned spawned) {
  const std::uint32_t number = master_->take_descriptor();
  MYR_ASSERT(number != Master::kNoTask);  // else workers have stopped: a mistake of ours
  prepare(spawned);
  spawned_[number] = std::move(spawned);
  return number;
}

void MasterMachine::spawn(Task& task) {
  Blocks blocks;
  Spawned spawned = adopt(task, blocks);
  if (worker_count_ == 0) return run_serially(spawned);
  const InRuntime timed(*this);
  const std::uint8_t place = place_of(spawned);
  const std::uint32_t accesses = task.access_count;
  const std::uint32_t number = take_number(std::move(spawned));
  master_->spawn({&number, 1}, accesses, blocks, place);
  if (options_.measures_time) count_conflicts(number);
}

// What a part itself uses is for its body and the caches; the regions order it.
void MasterMachine::spawn_parts(const std::vector<Task*>& parts,
                                std::span<const myr_access> regions) {
  const InRuntime timed(*this);
  Blocks blocks;
  for (myr_access access : regions) {
    Target target;
    if (graph::resolve(*space_, access, target) == graph::ResolveError::None) {
      static_cast<void>(add_blocks(target, blocks));  // regions are few
    }
  }
  std::vector<std::uint32_t> numbers;
  Blocks of_parts;
  for (Task* const part : parts) numbers.push_back(take_number(adopt(*part, of_parts)));
  master_->spawn(numbers, static_cast<std::uint32_t>(regions.size()), blocks);
}

std::uint64_t MasterMachine::block_bytes_at(std::uint64_t block) const {
  const mem::Range array = mem::Heap::find_object(reinterpret_cast<const void*>(block));
  const unsigned own = array.first == nullptr ? 0 : mem::Heap::block_shift_of(array.first);
  return own == 0 ? options_.block_bytes : std::uint64_t{1} << own;
}

// Counts where the task waits for others: is it for bytes that both use?
void MasterMachine::count_conflicts(std::uint32_t number) {
  const auto shares_bytes = [&](const Spawned& other, std::uint64_t block) {
    const std::vector<scc::Extent>& own = spawned_[number].extents;
    const std::uint64_t block_end = block + block_bytes_at(block);
    return std::any_of(own.begin(), own.end(), [&](const scc::Extent& a) {
      return std::any_of(other.extents.begin(), other.extents.end(), [&](const scc::Extent& b) {
        return (a.writes || b.writes) &&
               std::max({a.begin, b.begin, block}) < std::min({a.end, b.end, block_end});
      });
    });
  };
  master_->for_conflicts(number, [&](std::uint64_t block, std::uint32_t other) {
    conflicts_ += 1;
    if ((block & kRegionBit) == 0 && !shares_bytes(spawned_[other], block)) false_conflicts_ += 1;
  });
}

void MasterMachine::wait(const Blocks& blocks) {
  const InRuntime timed(*this);
  const bool is_over = master_->wait(blocks);
  MYR_ASSERT(is_over);  // else workers have stopped: a mistake of ours
}

void MasterMachine::wait_all() {
  const InRuntime timed(*this);
  const bool is_over = master_->wait_all();
  MYR_ASSERT(is_over);
}

const MasterMachine::Spawned* MasterMachine::find_user(std::uint64_t begin, std::uint64_t end) {
  master_->poll_workers();
  for (std::uint32_t number = 0; number < kDescriptors; ++number) {
    const Spawned& spawned = spawned_[number];
    for (const scc::Extent& extent : spawned.extents) {
      if (extent.begin < end && begin < extent.end && master_->is_unfinished(number)) {
        return &spawned;
      }
    }
  }
  return nullptr;
}

}  // namespace myr::cluster::master
