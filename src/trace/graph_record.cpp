// SPDX-License-Identifier: Apache-2.0
#include "trace/graph_record.hpp"

namespace myr::trace {

bool GraphRecord::add_node(const GraphNode& node) {
  if (nodes_.size() == kNodesMax) {
    dropped_nodes_ += 1;
    return false;
  }
  nodes_.push_back(node);
  return true;
}

void GraphRecord::add_edge(GraphEdge edge) {
  if (edges_.size() == kEdgesMax) {
    dropped_edges_ += 1;
  } else {
    edges_.push_back(edge);
  }
}

}  // namespace myr::trace
