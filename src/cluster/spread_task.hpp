// SPDX-License-Identifier: Apache-2.0
//
// SpreadTask: what a node keeps of a task that schedulers know: main, or one that they have placed
// here. It lies behind the accesses of its graph::Task.
//
// Threads: until it is spawned the spawning one; then the one that runs it, except for `spawns`.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/outside.hpp"
#include "graph/task.hpp"
#include "proto/ids.hpp"
#include "proto/messages.hpp"
#include "sync/atomic.hpp"

namespace myr::cluster {

struct SpreadTask {
  // What becomes of its children. All of those that are alive at once are treated alike, so no
  // order is needed between a local and a spread one.
  enum class Children : std::uint8_t {
    Undecided,  // it has none
    Local,      // the node's engine orders them
    Spread,     // schedulers order them, and all that the task frees
  };

  // The task around it; nullptr: it is main. There as long as its children are.
  SpreadTask* parent = nullptr;
  proto::TaskId id = 0;  // once it runs
  proto::SerialClock clock;
  unsigned level = 0;  // how many tasks around it schedulers know
  Children children = Children::Undecided;
  // It may begin before others whose memory it hands on, or is on a chip.
  bool always_spreads = false;
  bool has_spread_some = false;  // children, ever
  bool is_replayed = false;    // of a step that is a unit for schedulers: they know no child of it
  bool lends_stack = false;    // children that were spread may use its local variables
  bool is_known = false;       // between processes: the node knows the regions that it holds
  bool has_lengths = true;     // known: how long the whole objects are that it names
  bool gives_regions = false;  // since its last wait for all it has spread children that use some
  // Between processes: objects in regions that it has made hold addresses of its process's memory.
  bool has_owners = false;
  // Between processes: the stamp of what the node has learnt for it (see KnownMemory).
  sync::Atomic<std::uint32_t> knowledge{0};
  std::vector<myr_region> freed = {};  // while Spread: the last few; others may use them yet
  std::uint64_t begin_ticks = 0;       // when it came to the node where it runs
  engine::Outside* node = nullptr;     // that node, where several share an engine
  // How many of its children that were spread have ended, and for how long each was on its node,
  // summed up. Hints: added to by any thread.
  sync::Atomic<std::uint32_t> ended_count{0};
  sync::Atomic<std::uint64_t> ended_ticks{0};
  // Will it spawn more soon? Written by its thread, read by those of its children: a hint.
  sync::Atomic<bool> spawns{true};

  [[nodiscard]] bool is_main() const noexcept { return parent == nullptr; }
  [[nodiscard]] bool has_spread() const noexcept { return children == Children::Spread; }
  // Are its children so small that spreading one takes longer than running it?
  [[nodiscard]] bool has_fine_children(std::uint64_t spreading_ticks) const noexcept {
    const std::uint64_t count = ended_count.load(sync::relaxed);
    return count >= kSamples && ended_ticks.load(sync::relaxed) < 2 * count * spreading_ticks;
  }
  static constexpr std::uint64_t kSamples = 16;
  // What it spawns from now on may be treated differently. Main spreads again.
  void all_have_ended() noexcept {
    gives_regions = false;
    if (!always_spreads) children = is_main() ? Children::Spread : Children::Undecided;
    if (!is_main()) return;
    ended_count.store(0, sync::relaxed);
    ended_ticks.store(0, sync::relaxed);
  }
  // It runs now. Only schedulers know which tasks the users of memory that it hands on wait for.
  // Before it is replayed, it has waited itself.
  void begin(graph::Task& itself) noexcept {
    const myr_access* const first = itself.accesses();
    always_spreads = !is_replayed &&
                     std::any_of(first, first + itself.access_count,
                                 [](const auto& access) { return (access.flags & MYR_WEAK) != 0; });
    if (!always_spreads) return;
    children = Children::Spread;
    itself.set(graph::kWeak);
  }
  // Its body has returned. What it owns goes; its children may still ask whether it spawns.
  void let_go() noexcept {
    spawns.store(false, sync::relaxed);
    clock = {};
    std::vector<myr_region>().swap(freed);
  }
  [[nodiscard]] bool has_freed(myr_region region) const {
    return std::find(freed.begin(), freed.end(), region) != freed.end();
  }
  // A mistake soon after the free is the usual one.
  static constexpr std::size_t kFreedKnown = 64;
  void note_freed(myr_region region) {
    if (freed.size() == kFreedKnown) freed.erase(freed.begin());
    freed.push_back(region);
  }
};
static_assert(alignof(SpreadTask) <= graph::kGranuleBytes);

// For a task with kSpread.
[[nodiscard]] inline SpreadTask& spread_task_of(graph::Task& task) noexcept {
  return *reinterpret_cast<SpreadTask*>(task.accesses() + task.access_count);
}

}  // namespace myr::cluster
