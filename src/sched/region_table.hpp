// SPDX-License-Identifier: Apache-2.0
//
// RegionTable: the regions that one scheduler owns: where each lies in the region tree, who has
// written it last, and what it holds, regions elsewhere included (paper 2, section 4; paper 1,
// section V-B).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/byte_map.hpp"
#include "base/stable_map.hpp"
#include "deps/queue_tree.hpp"
#include "proto/ids.hpp"
#include "proto/messages.hpp"
#include "sched/link.hpp"
#include "sched/page_directory.hpp"
#include "sched/placer.hpp"

namespace myr::sched {

using proto::Piece;
using proto::Pieces;

class RegionTable {
 public:
  struct Rules {
    bool moves_data;  // as in TaskTable; else it is enough to know roughly where things are
    // False: nobody asks which worker has written what; a new region lives near its asker; and what
    // a worker is told here is so everywhere, as it may tell others by other ways than through
    // schedulers.
    bool runs_tasks;
  };
  // All outlive the book. The root region lives at the top from the beginning.
  RegionTable(Link& link, Store& store, deps::QueueTree& queues, Placer& placer,
              PageDirectory& pages, const Rules& rules);

  // The region around a node; the root is around itself. None: there is no such node here.
  [[nodiscard]] std::optional<NodeId> region_around(NodeId node) const;
  // The same. A node that is a part of an object and begins elsewhere becomes the object: where
  // nobody but the owner knows objects, that is found out here.
  [[nodiscard]] std::optional<NodeId> region_around(NodeId& node, bool is_part) const;
  // The way to a region, from the highest region around it that is here, or from the lowest one for
  // which `is_complete(region)`. Empty: the region is not here. Cost: O(regions on the way).
  template <class IsComplete>
  [[nodiscard]] proto::Path way_to(NodeId region, IsComplete&& is_complete) const;
  // Makes the front of a path that has come back from below such a way; its first node is a region
  // here, or one that is not the asker's business.
  void grow_or_trim(proto::Path& path) const;
  [[nodiscard]] bool has(NodeId region) const { return regions_.contains(region.bits); }
  // The agent that knows more about a node than this scheduler does; kNoAgent: there is none.
  [[nodiscard]] AgentId next_owner(NodeId node) const;
  // Sends the message on: to owners that know more of the ways, or back to the asker.
  void resolve(proto::Resolve& message);

  // Calls `then` with all pieces of a node, at once or when regions elsewhere have answered. False:
  // there is no such node here.
  template <class Callback>
  [[nodiscard]] bool pack(NodeId node, Callback&& then);
  // Adds the pieces of an object in that region. False: the object or the region has been freed.
  [[nodiscard]] bool pack_object(NodeId object, NodeId region, Pieces& pieces) const;
  using Then = std::function<void(Pieces)>;
  // The same for a node of that owner, which knows it.
  void ask_for_pieces(AgentId owner, NodeId node, Then then);
  // Adds what an object of a region here holds. REQUIRES: the object is in that region.
  void add_pieces(NodeId object, NodeId region, Pieces& pieces) const {
    add_pieces(object, regions_.at(region.bits), pieces);
  }
  // The worker will have written it at that time. REQUIRES: the same.
  void relocate(NodeId object, NodeId region, AgentId worker, const proto::SerialTime& time) {
    relocate_object(object, regions_.at(region.bits), new_version(worker, time));
  }
  // For a region here.
  [[nodiscard]] bool is_in(NodeId object, NodeId region) const {
    return region_around(object) == region;
  }
  // Is there such a node here?
  [[nodiscard]] bool has_node(NodeId node) const {
    return node.is_region() ? has(node) : region_around(node).has_value();
  }
  // nullptr, or what does not hold between two events. Cost: O(all that is here).
  [[nodiscard]] const char* broken_invariant() const;

  void handle(proto::NewRegion& message);
  void handle(proto::Foster& message);
  void handle(proto::Fostered& message);
  void handle(proto::Free& message);
  void handle(proto::Orphaned& message);
  void handle(proto::Allocate& message);
  void handle(proto::Lend& message);
  void handle(proto::HandOver& message);
  void handle(proto::Describe& message);
  void handle(proto::Release& message);
  void handle(proto::Pack& message);
  void handle(proto::Packed& message);
  void handle(proto::Relocate& message);

 private:
  struct Written {
    AgentId by = proto::kNoAgent;
    proto::SerialTime at;
    std::uint64_t version = 0;
  };
  struct Region {
    NodeId parent;
    Written written;  // as a whole
    std::set<NodeId> children;
    // By object: the one that has written or made it, since the whole was written; and leftovers
    // from before that, fewer than the others and those that came since the last sweep.
    std::map<std::uint64_t, Written> strays;
    std::size_t sweep_at = kSweepMin;  // so many strays
    // The same for bytes of objects of which parts were written since the object was.
    base::ByteMap<Written> parts;

    // The one that has written the object last, where only one of its strays may know.
    [[nodiscard]] const Written& last_of(const Written& stray) const {
      return stray.at < written.at ? written : stray;
    }
  };
  static constexpr std::size_t kSweepMin = 64;
  // A pack that waits for regions elsewhere.
  struct Collection {
    std::size_t missing;
    Pieces pieces;
    Then then;
  };

  [[nodiscard]] Written new_version(AgentId by, proto::SerialTime at) {
    return {.by = by,
            .at = std::move(at),
            .version = ++version_count_ << proto::kAgentBits | link_.self()};
  }
  void add_pieces(NodeId object, const Region& region, Pieces& pieces) const;
  void divide(const proto::Resolve& message);
  void send_on(proto::Resolve&& message);
  // Calls `visit` with each region of the subtree that is here, and with its id; notes those that
  // are elsewhere and whose parent is here. Not by recursion: a chain of regions may be long.
  template <class Visit>
  void for_subtree(NodeId top, std::vector<NodeId>& elsewhere, Visit&& visit) const;
  void wait_for_pieces(Collection collection, const std::vector<NodeId>& elsewhere);
  // None: no pages.
  [[nodiscard]] std::optional<NodeId> make(NodeId parent, AgentId producer);
  void make_below(proto::Foster foster);
  // Answers the asker, or says that there are no pages for it.
  [[nodiscard]] bool try_make(const proto::Foster& foster);
  [[nodiscard]] AgentId child_for(const proto::Foster& foster);
  void enter(NodeId region, NodeId parent, AgentId producer);
  [[nodiscard]] bool try_allocate(const proto::Allocate& message);
  [[nodiscard]] bool try_lend(const proto::Lend& message);
  void answer(const proto::Foster& foster, std::optional<NodeId> region);
  void answer(const proto::Allocate& message, std::vector<std::uint64_t> addresses);
  [[nodiscard]] bool end_free(const proto::Free& message);
  void free(NodeId node);
  void free_region(NodeId region);
  void drop_child(NodeId parent, NodeId child);
  void relocate_regions(NodeId region, const Written& written);
  static void relocate(Region& region, const Written& written);
  void relocate_object(NodeId object, Region& region, Written written);
  void relocate_parts(ByteRange object, Region& region, const Written& written,
                      const std::vector<proto::UsedRange>& parts);
  void forget_parts(NodeId object, Region& region);
  void collect(NodeId region, Pieces& pieces, std::vector<NodeId>& elsewhere) const;
  static void cut_out(const Region& region, ByteRange range, Pieces& pieces, const Store& store);
  static void add_pieces(ByteRange range, const Region& region, const Written& last,
                         Pieces& pieces);

  Link& link_;
  Store& store_;
  deps::QueueTree& queues_;
  Placer& placer_;
  PageDirectory& pages_;
  const Rules rules_;
  base::StableMap<Region> regions_;
  base::StableMap<Collection> collections_;
  proto::RequestId next_request_ = 0;
  std::uint64_t version_count_ = 0;
};

template <class IsComplete>
proto::Path RegionTable::way_to(NodeId region, IsComplete&& is_complete) const {
  proto::Path way;
  for (const Region* at = regions_.find(region.bits); at != nullptr;) {
    way.push_back(region);
    if (is_complete(region) || at->parent == region) break;
    region = at->parent;
    at = regions_.find(region.bits);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

template <class Callback>
bool RegionTable::pack(NodeId node, Callback&& then) {
  Pieces pieces;
  if (!node.is_region()) {
    const std::optional<NodeId> around = region_around(node);
    if (!around || !pack_object(node, *around, pieces)) return false;
    then(std::move(pieces));
    return true;
  }
  if (!has(node)) return false;
  std::vector<NodeId> elsewhere;
  collect(node, pieces, elsewhere);
  if (elsewhere.empty()) {
    then(std::move(pieces));
  } else {
    wait_for_pieces({.missing = elsewhere.size(),
                     .pieces = std::move(pieces),
                     .then = std::forward<Callback>(then)},
                    elsewhere);
  }
  return true;
}

}  // namespace myr::sched
