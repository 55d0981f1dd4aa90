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
  queue.note_granted(queue.insert(pool_, {task, Mode::Write}, {node}, nullptr));
}

// May the access be granted, as far as the nodes below are concerned?
bool QueueTree::is_free(const Node& node, const Use& use) noexcept {
  if (use.passes) return true;
  return node.below.writes == 0 && (use.mode == Mode::Read || node.below.reads == 0);
}

void QueueTree::enter(TaskId parent, Use use, Path path) {
  Node* node = find(path.front());
  MYR_ASSERT(node != nullptr);
  Entry* const holder = node->queue.find(parent);
  MYR_ASSERT(holder != nullptr);
  // Elder siblings wait or work on the node itself: what is below it must not overtake them.
  const Entry* const elder = holder->ahead;
  const bool is_behind = elder != nullptr && (use.mode == Mode::Write || !elder->is_granted_read());
  if (path.size() == 1 || is_behind) {
    queue_up(*node, use, std::move(path), holder);
    return;
  }
  node->below.of(use.mode) += 1;
  go_down(use, std::move(path));
}

void QueueTree::arrive(Use use, Path path) {
  Node* node = find(path.front());
  MYR_ASSERT(node != nullptr);
  if (comes_through(*node, use, path.size() == 1)) {
    go_down(use, std::move(path));
  } else {
    queue_up(*node, use, std::move(path), nullptr);
  }
}

bool QueueTree::comes_through(Node& node, const Use& use, bool ends_here) {
  node.from_above.of(use.mode) += 1;
  if (ends_here) return false;
  const bool passes =
      node.queue.empty() || (use.mode == Mode::Read && node.queue.last()->is_granted_read());
  if (passes) node.below.of(use.mode) += 1;
  return passes;
}

// Ahead of `place`; nullptr: as the last.
void QueueTree::queue_up(Node& node, const Use& use, Path path, Entry* place) {
  Entry& entry = node.queue.insert(pool_, use, std::move(path), place);
  if (place != nullptr && place->use.is_part()) {
    grant(node, entry);  // what the parent must not meet, its children do not meet either
  } else if (entry.ends_here()) {
    try_grant(node, entry);
  }
}

void QueueTree::go_down(Use use, Path path) {
  Node* node = nullptr;
  std::size_t at = 0;
  do {
    at += 1;
    const NodeId next = path[at];
    node = next.is_region() ? find(next) : nodes_.try_emplace(next.bits, path[at - 1]).first;
  } while (node != nullptr && comes_through(*node, use, at + 1 == path.size()));
  path.erase(path.begin(), path.begin() + at);
  if (node == nullptr) {
    effects_.hand_down(use, std::move(path));
  } else {
    queue_up(*node, use, std::move(path), nullptr);
  }
}

void QueueTree::grant(Node& node, Entry& entry) {
  node.queue.note_granted(entry);
  effects_.granted(entry.use.task, entry.path.front());
}

// Readers join readers, and parts those whose order others keep.
bool QueueTree::may_join(const Entry& entry) noexcept {
  const Entry* const ahead = entry.ahead;
  if (ahead == nullptr) return true;
  if (!ahead->granted) return false;
  if (entry.use.mode == Mode::Read && !ahead->with_writes) return true;
  return entry.is_part_beside(*ahead) && !ahead->with_others;
}

// The first may have the node if nothing is in its way below. Below one that only passes, there may
// be writers.
void QueueTree::try_grant(Node& node, Entry& entry) {
  if (!may_join(entry)) return;
  if (is_free(node, entry.use)) {
    grant(node, entry);
  } else {
    node.holds_readers |= entry.ahead != nullptr;
  }
}

void QueueTree::done(TaskId task, NodeId target) {
  Node* node = find(target);
  MYR_ASSERT(node != nullptr);
  Entry* const entry = node->queue.find(task);
  MYR_ASSERT(entry != nullptr);
  node->queue.erase(pool_, *entry);
  wake(target, node);
}

void QueueTree::ended_below(NodeId id, const Ended& ended) {
  Node* node = find(id);
  MYR_ASSERT(node != nullptr);
  take_back(*node, ended);
  wake(id, node);
}

void QueueTree::take_back(Node& node, const Ended& ended) {
  MYR_ASSERT(node.below.reads >= ended.counts.reads && node.below.writes >= ended.counts.writes);
  node.below.reads += ended.reads_begun - ended.counts.reads;
  node.below.writes -= ended.counts.writes;
}

// Something has ended at or below the node. Lets the first in its queue go on, if it is pending and
// can; if nothing is left, or only readers, the same one level up.
void QueueTree::wake(NodeId id, Node* node) {
  while (node != nullptr) {
    const bool is_idle = !wake_first(*node);
    if (!is_idle && !has_only_readers_left(*node)) return;
    node = give_back(id, *node, is_idle);
  }
}

// While writers that came from above are counted there.
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
    if (!at.granted) return may_join(at);
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

// An entry for a node further down goes on.
void QueueTree::send_on(Node& node, Entry& entry) {
  const Use use = entry.use;
  Path path = std::move(entry.path);
  node.queue.erase(pool_, entry);
  node.below.of(use.mode) += 1;
  go_down(use, std::move(path));
}

// Gives back what came from above: all of it if the node is idle, else the writers. Returns the
// node above and makes `id` its name, or nullptr if there is none here.
QueueTree::Node* QueueTree::give_back(NodeId& id, Node& node, bool is_idle) {
  const NodeId above = node.parent;
  Ended ended{.counts = std::exchange(node.from_above, {})};
  if (!is_idle) {
    ended.reads_begun = ended.counts.writes;
    node.from_above.reads = std::exchange(ended.counts.reads, 0) + ended.reads_begun;
  } else if (!id.is_region()) {
    nodes_.erase(id.bits);
  }
  const bool is_root = above == std::exchange(id, above);
  if (is_root || ended.counts.none()) return nullptr;
  Node* parent = find(above);
  if (parent == nullptr) {
    effects_.hand_up(above, ended);
  } else {
    take_back(*parent, ended);
  }
  return parent;
}

}  // namespace myr::deps
