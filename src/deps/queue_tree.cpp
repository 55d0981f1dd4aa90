// SPDX-License-Identifier: Apache-2.0
#include "deps/queue_tree.hpp"

#include <utility>

#include "base/contract.hpp"

namespace myr::deps {

void QueueTree::add_region(NodeId region, NodeId parent) {
  const bool added = nodes_.try_emplace(region.bits, parent).second;
  MYR_ASSERT(added);
}

void QueueTree::remove_region(NodeId region) {
  MYR_ASSERT(is_idle(region));
  nodes_.erase(region.bits);
}

bool QueueTree::is_idle(NodeId id) const {
  const Node* node = find(id);
  return node == nullptr || (node->queue.empty() && node->below.none());
}

void QueueTree::hold(TaskId task, NodeId node) {
  MYR_ASSERT(is_idle(node) && has_region(node));
  UseQueue& queue = find(node)->queue;
  queue.note_granted(queue.insert(pool_, {task, Mode::Write}, node, nullptr));
}

// May the access be granted, as far as the nodes below are concerned?
bool QueueTree::is_free(const Node& node, const Use& use) noexcept {
  if (use.passes) return true;
  return node.below.writes == 0 && (use.mode == Mode::Read || node.below.reads == 0);
}

void QueueTree::enter(TaskId parent, Use use, Ways ways) {
  if (ways.ends_here()) {
    for (const NodeId held : ways.targets()) {
      Node& node = nodes_.at(held.bits);
      join(node, use, held, granted_entry(node, parent));
    }
    return;
  }
  Node& node = nodes_.at(ways.first().bits);
  Entry* const holder = granted_entry(node, parent);
  // Elder siblings wait or work on the node itself: what is below it must not overtake them.
  const Entry* const elder = holder->ahead;
  const bool is_behind = elder != nullptr && (use.mode == Mode::Write || !elder->is_granted_read());
  if (is_behind) {
    node.queue.insert(pool_, use, std::move(ways), holder);
    return;
  }
  node.below.of(use.mode) += ways.count;
  go_down(use, ways);
}

QueueTree::Entry* QueueTree::granted_entry(const Node& node, TaskId task) {
  Entry* const entry = node.queue.find(task);
  MYR_ASSERT(entry != nullptr);
  return entry;
}

void QueueTree::arrive(Use use, Ways ways) {
  Node& node = nodes_.at(ways.first().bits);
  if (ways.ends_here()) {
    reach(use, node.parent, ways.first());
  } else if (comes_through(node, use, ways.count)) {
    go_down(use, ways);
  } else {
    node.queue.insert(pool_, use, std::move(ways), nullptr);
  }
}

bool QueueTree::comes_through(Node& node, const Use& use, std::uint32_t count) {
  node.from_above.of(use.mode) += count;
  const bool passes =
      node.queue.empty() || (use.mode == Mode::Read && node.queue.last()->is_granted_read());
  if (passes) node.below.of(use.mode) += count;
  return passes;
}

// An access to the node itself, ahead of `place`; nullptr: as the last.
void QueueTree::join(Node& node, const Use& use, NodeId target, Entry* place) {
  Entry& entry = node.queue.insert(pool_, use, target, place);
  if (place != nullptr && place->use.is_part()) {
    grant(node, entry);  // what the parent must not meet, its children do not meet either
  } else {
    try_grant(node, entry);
  }
}

void QueueTree::go_down(const Use& use, Ways& ways) {
  auto& nodes = ways.nodes;
  std::size_t at = 0;
  while (at + 1 + ways.count < nodes.size()) {
    at += 1;
    Node* const region = find(nodes[at]);
    if (region != nullptr && comes_through(*region, use, ways.count)) continue;
    nodes.erase(nodes.begin(), nodes.begin() + at);
    if (region == nullptr) {
      effects_.hand_down(use, std::move(ways));
    } else {
      region->queue.insert(pool_, use, std::move(ways), nullptr);
    }
    return;
  }
  for (const NodeId target : ways.targets()) reach(use, nodes[at], target);
}

// An access has come to its target.
void QueueTree::reach(const Use& use, NodeId above, NodeId target) {
  Node* const node =
      target.is_region() ? find(target) : nodes_.try_emplace(target.bits, above).first;
  if (node == nullptr) {
    effects_.hand_down(use, {.nodes = {target}});
    return;
  }
  node->from_above.of(use.mode) += 1;
  join(*node, use, target, nullptr);
}

void QueueTree::grant(Node& node, Entry& entry) {
  node.queue.note_granted(entry);
  effects_.granted(entry.use.task, entry.target, node.parent);
}

// Readers join readers, and parts those whose order others keep.
bool QueueTree::may_join(const Node& node, const Entry& entry) noexcept {
  const Entry* const ahead = entry.ahead;
  if (ahead == nullptr) return true;
  if (!ahead->granted) return false;
  const bool is_behind_writes = ahead->with_writes && node.queue.has_granted_writes();
  if (entry.use.mode == Mode::Read && !is_behind_writes) return true;
  return entry.is_part_beside(*ahead) && !ahead->with_others;
}

// If granted writers keep a pending access from joining, their end looks at it again.
bool QueueTree::joins(Node& node, const Entry& entry) noexcept {
  if (may_join(node, entry)) return true;
  node.holds_behind_writes |= entry.use.mode == Mode::Read && entry.ahead->granted;
  return false;
}

// The first may have the node if nothing is in its way below. Below one that only passes, there may
// be writers.
void QueueTree::try_grant(Node& node, Entry& entry) {
  if (!joins(node, entry)) return;
  if (is_free(node, entry.use)) {
    grant(node, entry);
  } else {
    node.holds_readers |= entry.ahead != nullptr;
  }
}

// Those of one region give back together.
void QueueTree::done(TaskId task, std::span<const NodeId> targets) {
  Back back;
  for (const NodeId target : targets) {
    Node& node = nodes_.at(target.bits);
    node.queue.erase(pool_, *granted_entry(node, task));
    // Readers that are left may be earlier ones of another task, or later ones that wait for
    // something else: a reader does not wait for them.
    if (!node.queue.has_granted_writes()) {
      node.holds_readers |= std::exchange(node.holds_behind_writes, false);
    }
    const Back one = wake(target, node);
    if (one.ended.none()) continue;
    if (back.ended.none()) {
      back = one;
    } else if (one.above == back.above) {
      back.ended += one.ended;
    } else {
      ended_below(std::exchange(back, one));
    }
  }
  ended_below(back);
}

void QueueTree::ended_below(Back back) {
  while (!back.ended.none()) {
    Node* const node = find(back.above);
    if (node == nullptr) return effects_.hand_up(back.above, back.ended);
    take_back(*node, back.ended);
    back = wake(back.above, *node);
  }
}

void QueueTree::ended_below(NodeId node, const Ended& ended) {
  ended_below({.above = node, .ended = ended});
}

void QueueTree::take_back(Node& node, const Ended& ended) {
  MYR_ASSERT(node.below.reads >= ended.counts.reads && node.below.writes >= ended.counts.writes);
  node.below.reads += ended.reads_begun - ended.counts.reads;
  node.below.writes -= ended.counts.writes;
}

// Something has ended at or below the node. Lets the first in its queue go on, if it is pending and
// can. Returns what the node gives back as nothing is left, or only readers.
QueueTree::Back QueueTree::wake(NodeId id, Node& node) {
  const bool is_idle = !wake_first(node);
  if (!is_idle && !has_only_readers_left(node)) return {};
  return give_back(id, node, is_idle);
}

// Only while writers that came from above are counted there.
bool QueueTree::has_only_readers_left(const Node& node) noexcept {
  return node.from_above.writes != 0 && node.below.writes == 0 && !node.queue.has_writes();
}

// True: the queue is not empty, or something is going on below.
bool QueueTree::wake_first(Node& node) {
  while (!node.queue.empty()) {
    Entry& first = *node.queue.first();
    if (!first.granted && !first.ends_here()) {
      send_on(node, first);
      continue;
    }
    if (first.granted ? !node.holds_readers : !is_free(node, first.use)) return true;
    if (!first.granted) grant(node, first);
    grant_beside(node, first.behind);
    return true;
  }
  return !node.below.none();
}

// From this one on, all that may join those ahead. Behind granted ones there are only others that
// wait if readers had to because of writers below: the end of these writers wakes them.
void QueueTree::grant_beside(Node& node, Entry* entry) {
  const bool looks_behind_granted = std::exchange(node.holds_readers, false);
  const auto goes_on = [&](const Entry& at) {
    if (!at.granted) return joins(node, at);
    return looks_behind_granted && at.use.mode == Mode::Read;
  };
  while (entry != nullptr && goes_on(*entry)) {
    Entry* const behind = entry->behind;
    if (!entry->granted && !entry->ends_here()) {
      send_on(node, *entry);
    } else if (!entry->granted && !is_free(node, entry->use)) {
      node.holds_readers = true;
      return;
    } else if (!entry->granted) {
      grant(node, *entry);
    }
    entry = behind;
  }
}

// An entry for nodes further down goes on.
void QueueTree::send_on(Node& node, Entry& entry) {
  const Use use = entry.use;
  Ways ways = std::move(*entry.ways);
  node.queue.erase(pool_, entry);
  node.below.of(use.mode) += ways.count;
  go_down(use, ways);
}

// What came from above: all of it if the node is idle, else the writers.
QueueTree::Back QueueTree::give_back(NodeId id, Node& node, bool is_idle) {
  Back back{.above = node.parent, .ended = {.counts = std::exchange(node.from_above, {})}};
  if (!is_idle) {
    Counts& counts = back.ended.counts;
    back.ended.reads_begun = counts.writes;
    node.from_above.reads = std::exchange(counts.reads, 0) + counts.writes;
  } else if (!id.is_region()) {
    nodes_.erase(id.bits);
  }
  return back;
}

const char* QueueTree::broken_invariant() const {
  base::StableMap<Counts> came_from;  // by node: what those below it here have not given back
  const char* broken = nullptr;
  nodes_.for_each([&](std::uint64_t id, const Node& node) {
    if (const char* what = node.queue.broken_invariant()) broken = what;
    Counts& counts = *came_from.try_emplace(node.parent.bits).first;
    counts.reads += node.from_above.reads;
    counts.writes += node.from_above.writes;
    const bool is_idle = node.queue.empty() && node.below.none();
    if (is_idle && !node.from_above.none()) broken = "an idle node has not given back";
    if (is_idle && !NodeId{id}.is_region()) broken = "an object that nobody uses is still here";
  });
  nodes_.for_each([&](std::uint64_t id, const Node& node) {
    const Counts* counts = came_from.find(id);
    if (counts == nullptr) return;
    const bool fits = node.below.reads >= counts->reads && node.below.writes >= counts->writes;
    if (!fits) broken = "a node counts fewer accesses below it than came there";
  });
  return broken;
}

}  // namespace myr::deps
