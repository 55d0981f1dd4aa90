// SPDX-License-Identifier: Apache-2.0
//
// GraphRecord: the tasks that one worker spawned, and which earlier ones each had to run after. The
// worker writes it while the program runs; the writer of the file reads it when all workers are at
// rest.
//
// All children of a task are spawned by one worker, and a task depends on its siblings only: so an
// edge and both its ends are in one record.
// Limit: the first `kNodesMax` tasks and `kEdgesMax` edges of a worker are kept, the rest is
// counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bits.hpp"
#include "base/contract.hpp"
#include "myr/myr.h"
#include "trace/task_id.hpp"

namespace myr::trace {

struct GraphNode {
  std::uint64_t spawn_ticks;
  std::uint64_t key;  // by which edges name it: no other node of the run has it
  TaskId task;        // not of a wait
  TaskId parent;
  const myr_site* site;  // where it was spawned, or nullptr
  bool is_wait;          // no task, but a place where its parent waits for accesses
};

// `to` runs after `from`. Keys of nodes; a key of none is possible, and the same edge may come
// again.
struct GraphEdge {
  std::uint64_t from;
  std::uint64_t to;
};

class alignas(base::kCacheLine) GraphRecord {
 public:
  static constexpr std::size_t kNodesMax = 5'000;
  static constexpr std::size_t kEdgesMax = 100'000;

  // False: there is no room, for its edges neither.
  MYR_COLD bool add_node(const GraphNode& node);
  MYR_COLD void add_edge(GraphEdge edge);

  [[nodiscard]] const std::vector<GraphNode>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<GraphEdge>& edges() const noexcept { return edges_; }
  [[nodiscard]] std::uint64_t dropped_nodes() const noexcept { return dropped_nodes_; }
  [[nodiscard]] std::uint64_t dropped_edges() const noexcept { return dropped_edges_; }

 private:
  std::vector<GraphNode> nodes_;
  std::vector<GraphEdge> edges_;
  std::uint64_t dropped_nodes_ = 0;
  std::uint64_t dropped_edges_ = 0;
};

}  // namespace myr::trace
