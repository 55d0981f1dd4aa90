// SPDX-License-Identifier: Apache-2.0
//
// RegionBook: the regions that one scheduler owns: where each lies in the region tree, who has
// written it last, and what it holds, regions elsewhere included (paper 2, section 4; paper 1,
// section V-B).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "deps/queue_tree.hpp"
#include "proto/ids.hpp"
#include "proto/messages.hpp"
#include "sched/link.hpp"
#include "sched/page_book.hpp"
#include "sched/placer.hpp"

namespace myr::sched {

using proto::Piece;

class RegionBook {
 public:
  // All outlive the book. The root region lives at the top from the beginning.
  RegionBook(Link& link, Store& store, deps::QueueTree& queues, Placer& placer, PageBook& pages);

  // Grows the path at its front by the regions around its first node, as far as they are here. The
  // first node is an object or a region of this scheduler. False: there is no such node.
  [[nodiscard]] bool grow(proto::Path& path) const;
  // The same for a path that has come back from below: its first node is a region here, or one that
  // is not the asker's business.
  void grow_or_trim(proto::Path& path) const;
  [[nodiscard]] bool has(NodeId region) const { return regions_.contains(region); }
  // The same for regions and objects.
  [[nodiscard]] bool has_node(NodeId node) const;
  // Who knows more about a node than this scheduler does; kNoAgent: nobody.
  [[nodiscard]] AgentId next_owner(NodeId node) const;
  // Sends the message on: to an owner that knows more of the way, or back to the asker.
  void resolve(proto::Resolve& message);

  // Calls `then` with all pieces of a node here, at once or when regions elsewhere have answered.
  using Then = std::function<void(std::vector<Piece>)>;
  void pack(NodeId node, Then then);

  void handle(proto::NewRegion& message);
  void handle(proto::Foster& message);
  void handle(proto::Fostered& message);
  void handle(proto::Free& message);
  void handle(proto::Orphaned& message);
  void handle(proto::Allocate& message);
  void handle(proto::Pack& message);
  void handle(proto::Packed& message);
  void handle(proto::Relocate& message);

  [[nodiscard]] std::size_t region_count() const noexcept { return regions_.size(); }

 private:
  struct Written {
    AgentId by = proto::kNoAgent;
    proto::SerialTime at;
  };
  struct Region {
    NodeId parent;
    AgentId producer = proto::kNoAgent;
    std::vector<NodeId> children;
    // Objects that somebody has written, or made, since the region's producer.
    std::unordered_map<std::uint64_t, Written> strays;
  };
  // A pack that waits for regions elsewhere.
  struct Collection {
    std::size_t missing;
    std::vector<Piece> pieces;
    Then then;
  };

  // The region around a node; the root is around itself.
  [[nodiscard]] NodeId region_around(NodeId node) const;
  // None: no pages.
  [[nodiscard]] std::optional<NodeId> make(NodeId parent, AgentId producer);
  void make_below(proto::Foster foster);
  // Answers the asker, or says that there are no pages for it.
  [[nodiscard]] bool try_make(const proto::Foster& foster);
  [[nodiscard]] bool try_allocate(const proto::Allocate& message);
  void answer(const proto::Foster& foster, std::optional<NodeId> region);
  void answer(const proto::Allocate& message, std::vector<std::uint64_t> addresses);
  [[nodiscard]] bool end_free(const proto::Free& message);
  void free_region(NodeId region);
  void drop_child(NodeId parent, NodeId child);
  void relocate_region(NodeId region, const Written& written);
  void collect(NodeId region, std::vector<Piece>& pieces, std::vector<NodeId>& elsewhere) const;
  static void cut_out(const Region& region, ByteRange range, std::vector<Piece>& pieces,
                      const Store& store);

  Link& link_;
  Store& store_;
  deps::QueueTree& queues_;
  Placer& placer_;
  PageBook& pages_;
  std::unordered_map<NodeId, Region, deps::NodeIdHash> regions_;
  std::unordered_map<proto::RequestId, Collection> collections_;
  std::uint64_t next_serial_ = 0;
  proto::RequestId next_request_ = 0;
};

}  // namespace myr::sched
