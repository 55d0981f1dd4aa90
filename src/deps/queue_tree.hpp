// SPDX-License-Identifier: Apache-2.0
//
// QueueTree: the dependency analysis of the tree machines (paper 1, section V), as one scheduler
// runs it on the regions and objects that it owns.
//
// Each region and object is a node with a queue of accesses in serial order. An access starts at
// the node that the spawning task holds and goes down towards its target; it stops at the first
// node whose queue it must respect, and goes on when it is the first there. At its target it is
// granted. Each node counts the accesses that have gone through it to nodes below (`below`), and
// those that have come to it from above (`from_above`): when nothing is left at and below a node,
// it gives the latter back to the node above, which takes them off its own count. When only readers
// are left, it gives back the writers. So a node knows what is going on below it, without asking.
//
// A granted access stays in its queue until its task is done, also while the task has children: a
// child's access enters before its parent's, in the node that the parent holds. One to a part of an
// object stays until the children are done, too.
//
// Pure: no threads, no clock, no messages. What concerns nodes elsewhere goes to Effects.
//
// Invariants
//   1. In a queue, entries before the first pending one are granted; they are all Reads, or one
//      Write, or children and children's children before their parents. So all ahead of a granted
//      Read are granted Reads: only its children and theirs come ahead of it later, and they read.
//      The next one ahead tells whether all ahead of an entry are granted Reads.
//      At an object, children of one task that use parts of it are granted beside each other, and
//      what their children use, at once. Others meet them as they meet a Write.
//      An access that only passes is granted while others work below; so a reader behind it looks
//      there, too.
//   2. below == accesses that went on from this node and whose nodes have not given them back.
//   3. What the caller must keep: events that concern one node and come from one scheduler arrive
//      in the order in which they were sent; a task's next spawn, and its end, follow after the
//      accesses of its last spawn have entered.
#pragma once

#include <cstdint>
#include <span>

#include "base/stable_map.hpp"
#include "deps/access_path.hpp"
#include "deps/use_queue.hpp"

namespace myr::deps {

// Accesses that a node gives back to the node above. Where the own work of writers has ended, their
// children may be left as readers: then as many writes have ended, and as many reads have begun.
struct Ended {
  Counts counts;
  std::uint32_t reads_begun = 0;

  [[nodiscard]] bool none() const noexcept { return counts.none(); }
  Ended& operator+=(const Ended& other) noexcept {
    counts.reads += other.counts.reads;
    counts.writes += other.counts.writes;
    reads_begun += other.reads_begun;
    return *this;
  }
};

// What a QueueTree tells its environment.
class Effects {
 public:
  Effects() = default;
  Effects(const Effects&) = delete;
  Effects& operator=(const Effects&) = delete;

  // The task may use the target, which is a region or in that one.
  virtual void granted(TaskId task, NodeId target, NodeId above) = 0;
  // Accesses go on at the first node of the ways, which is not here: call arrive() where it is.
  virtual void hand_down(Use use, Ways ways) = 0;
  // Accesses that came from `node`, which is not here, have ended: call ended_below() where it is.
  virtual void hand_up(NodeId node, const Ended& ended) = 0;

 protected:
  ~Effects() = default;
};

class QueueTree {
 public:
  // `effects` outlives the tree; its functions must not call back into the tree.
  explicit QueueTree(Effects& effects) noexcept : effects_(effects) {}

  // A region begins to live here. `parent`: its region, here or elsewhere; the root names itself.
  void add_region(NodeId region, NodeId parent);
  // REQUIRES: is_idle(region).
  void remove_region(NodeId region);
  [[nodiscard]] bool has_region(NodeId region) const { return nodes_.contains(region.bits); }
  // No access is queued at the node or has gone through it.
  [[nodiscard]] bool is_idle(NodeId node) const;

  // Gives the node to a task that nobody spawned, for writing. REQUIRES: the node is idle.
  void hold(TaskId task, NodeId node);

  // A task spawned by `parent` uses the targets of the ways; their first node is the highest that
  // `parent` holds, and is here. Cost of all but remove_region(): O(nodes named + accesses that can
  // go on then).
  void enter(TaskId parent, Use use, Ways ways);
  // Accesses arrive from the node above the first one of the ways, which is a region here.
  void arrive(Use use, Ways ways);
  // The task will not use the targets any more. REQUIRES: it was granted them.
  void done(TaskId task, std::span<const NodeId> targets);
  // Accesses that had gone through `node` have ended.
  void ended_below(NodeId node, const Ended& ended);

  // Invariants 1 and 2, as far as the nodes here tell: for a node whose nodes below are all here,
  // `below` is what these have not given back. nullptr, or what does not hold. Between two events
  // only. Cost: O(nodes + accesses).
  [[nodiscard]] const char* broken_invariant() const;

  // Nodes that are regions, or objects in use.
  [[nodiscard]] std::size_t node_count() const noexcept { return nodes_.size(); }

 private:
  using Entry = UseQueue::Entry;
  struct Node {
    NodeId parent;
    UseQueue queue = {};
    Counts below = {};
    Counts from_above = {};
    bool holds_readers = false;        // pending ones behind granted ones, because of writers below
    bool holds_behind_writes = false;  // the same, because of writers that are granted
  };

  [[nodiscard]] Node* find(NodeId id) const noexcept { return nodes_.find(id.bits); }
  [[nodiscard]] static bool is_free(const Node& node, const Use& use) noexcept;
  // Accesses have come to a region from above, to go on. True: nothing is in their way.
  [[nodiscard]] static bool comes_through(Node& node, const Use& use, std::uint32_t count);
  // The entry of a task that was granted the node.
  [[nodiscard]] static Entry* granted_entry(const Node& node, TaskId task);
  void join(Node& node, const Use& use, NodeId target, Entry* place);
  // From the first node of the ways, which has counted the accesses, down.
  void go_down(const Use& use, Ways& ways);  // takes them
  void reach(const Use& use, NodeId above, NodeId target);
  [[nodiscard]] static bool may_join(const Node& node, const Entry& entry) noexcept;
  [[nodiscard]] static bool joins(Node& node, const Entry& entry) noexcept;
  void grant(Node& node, Entry& entry);
  void try_grant(Node& node, Entry& entry);
  static void take_back(Node& node, const Ended& ended);
  // What a node gives back to the one above.
  struct Back {
    NodeId above;
    Ended ended;
  };
  [[nodiscard]] Back wake(NodeId id, Node& node);
  void ended_below(Back back);
  [[nodiscard]] bool wake_first(Node& node);
  void grant_beside(Node& node, Entry* entry);
  void send_on(Node& node, Entry& entry);
  [[nodiscard]] static bool has_only_readers_left(const Node& node) noexcept;
  [[nodiscard]] Back give_back(NodeId id, Node& node, bool is_idle);

  Effects& effects_;
  UseQueue::Pool pool_;
  base::StableMap<Node> nodes_;
};

}  // namespace myr::deps
