// SPDX-License-Identifier: Apache-2.0
//
// RecordedStep: what the spawns of a repeated step were, and which of its tasks wait for which. A
// later run of the step is compared with it spawn by spawn; as long as they say and mean the same,
// the edges between its tasks are known.
//
//   note() each spawn  ->  build()  ->  matches() and node() for each spawn of a later run
//
// What identifies a spawn is its accesses alone: which function runs, and what is in the closure,
// makes no difference to the order. Values (MYR_VALUE) may differ, too. Memory that was freed and
// allocated anew is the same if an object of the same size in the same region starts there.
//
// Edges between the step and what is around it are not recorded. It is recorded which accesses they
// can come from: `is_entry` is an access of memory that no task of the step has written before as
// exactly that, `is_exit` one of memory that none writes so afterwards. So each object is looked up
// about once, not once a task. If a step follows another run of itself, `before` has the edges
// between the two.
//
// Threads: the one that runs the spawning task. Nodes: see replay_node.hpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/contract.hpp"
#include "graph/recycler.hpp"
#include "graph/region_space.hpp"
#include "graph/replay_node.hpp"
#include "graph/resolve.hpp"
#include "graph/target.hpp"
#include "graph/task.hpp"

namespace myr::graph {

// What the access of a spawn is compared with. A struct of its own, since it is read again for each
// spawn.
struct AccessKey {
  enum class Kind : std::uint8_t {
    Value,    // or memory of nobody's: nothing to look up
    Object,   // a whole object of the heap
    Another,  // a region, or a part of an object
  };
  std::uint64_t name = 0;   // address or region; 0: a value
  std::uint64_t given = 0;  // length and flags in the spawn
  myr_region region = 0;    // that the memory is in; only if it is Myrmidon's
  mem::Heap::Key object;    // Kind::Object
  bool has_name = false;    // no value
  Kind kind = Kind::Value;

  // Does the access of a spawn say the same?
  [[nodiscard]] bool is_like(const myr_access& access) const noexcept {
    const auto now = reinterpret_cast<std::uint64_t>(access.address);
    return length_word(access) == given && (now == name || !has_name);
  }
  // Does an access to an object that says the same mean the same today? Fills in its length.
  [[nodiscard]] MYR_INLINE bool finds(const deps::RegionTree& tree,
                                      myr_access& access) const noexcept {
    if (!mem::Heap::is_there(access.address, object) || !tree.is_live(region)) return false;
    set_length(access, std::uint64_t{object.granules} * mem::kGranuleBytes);
    return true;
  }
};

struct RecordedAccess {
  std::uint64_t object_bytes = 0;  // of the heap object that has the bytes
  Target target;
  deps::RegionIndex top = deps::kNoRegion;  // see Domain::enter()
  bool is_own = false;                      // see Cover
  bool is_entry = true;
  bool is_exit = true;
};

class RecordedStep {
 public:
  // More runs of a step are not under way at the same time.
  static constexpr std::uint32_t kLapsMax = 8;

  // Forgets all. REQUIRES: no task of the step is alive.
  void clear() noexcept;

  // Notes a spawn by `holder`. False: it is none that can be replayed.
  [[nodiscard]] bool note(Task& task, Task& holder, const RegionSpace& space);

  // Finds the edges. False: there are so many that analysis is as good, or no memory.
  [[nodiscard]] bool build(Recycler& recycler, const RegionSpace& space);

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(tasks_.size());
  }
  [[nodiscard]] std::uint32_t lap_count() const noexcept { return lap_count_; }
  [[nodiscard]] bool has_nodes() const noexcept { return nodes_ != nullptr; }

  // Is this spawn the recorded one? If not, what was filled in of its accesses is right as well.
  [[nodiscard]] MYR_INLINE bool matches(const ReplayNode& node, Task& task,
                                        const RegionSpace& space) const {
    if (task.access_count != node.access_count) return false;
    myr_access* given = task.accesses();
    const AccessKey* const end = node.keys + node.access_count;
    for (const AccessKey* key = node.keys; key != end; ++key, ++given) {
      if (!key->is_like(*given)) return false;
      if (MYR_LIKELY(key->kind == AccessKey::Kind::Object)) {
        if (!key->finds(space.tree(), *given)) return false;
      } else if (key->kind == AccessKey::Kind::Another) {
        if (!means_the_same(space, *key, *given)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] ReplayNode& node(std::uint32_t lap, std::uint32_t index) noexcept {
    return nodes_[std::size_t{lap} * tasks_.size() + index];
  }
  // The name of the lap's task that was spawned last at this place.
  [[nodiscard]] TaskRef& ref(std::uint32_t lap, std::uint32_t index) noexcept {
    return refs_[std::size_t{lap} * tasks_.size() + index];
  }
  [[nodiscard]] std::span<const RecordedAccess> accesses(std::uint32_t index) const noexcept {
    return {accesses_.data() + tasks_[index].first_access, tasks_[index].access_count};
  }
  // Those of the run before this one that a task waits for.
  [[nodiscard]] std::span<const std::uint32_t> before(std::uint32_t index) const noexcept {
    return {before_.data() + tasks_[index].first_before, tasks_[index].before_count};
  }
  // Tasks that no other of the step waits for: when they have ended, all have run.
  [[nodiscard]] std::span<const std::uint32_t> last() const noexcept { return last_; }

  // Makes all nodes ready for a run. REQUIRES: no task of the step is alive.
  void rearm() noexcept;

 private:
  friend class StepBuilder;

  struct Recorded {
    std::size_t first_access = 0;
    std::uint32_t access_count = 0;
    std::uint32_t first_before = 0;
    std::uint32_t before_count = 0;
  };

  [[nodiscard]] bool means_the_same(const RegionSpace& space, const AccessKey& key,
                                    const myr_access& access) const;
  void find_entries();
  void find_exits();
  void make_nodes(const std::vector<std::vector<std::uint32_t>>& predecessors);

  std::vector<Recorded> tasks_;
  std::vector<RecordedAccess> accesses_;
  std::vector<AccessKey> keys_;  // of each access
  std::vector<std::uint32_t> before_;
  std::vector<std::int32_t> successors_;
  std::vector<std::uint32_t> last_;
  // By lap, then by task.
  std::unique_ptr<ReplayNode[]> nodes_;
  std::unique_ptr<WaitCount[]> counts_;
  std::vector<TaskRef> refs_;
  std::uint32_t lap_count_ = 0;
};

}  // namespace myr::graph
