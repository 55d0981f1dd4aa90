// SPDX-License-Identifier: Apache-2.0
#include "trace/dot.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "trace/site_names.hpp"

namespace myr::trace {

namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

// The nodes to be drawn, in the order in which they were spawned, and what lies between them.
class Drawing {
 public:
  Drawing(std::span<const GraphRecord> records, std::size_t nodes_max) {
    for (const GraphRecord& record : records) {
      all_count_ += record.nodes().size() + record.dropped_nodes();
      dropped_edges_ += record.dropped_edges();
      for (const GraphNode& node : record.nodes()) nodes_.push_back(&node);
    }
    std::stable_sort(nodes_.begin(), nodes_.end(), [](const GraphNode* a, const GraphNode* b) {
      return a->spawn_ticks < b->spawn_ticks;
    });
    if (nodes_.size() > nodes_max) nodes_.resize(nodes_max);
    name_nodes();
    for (const GraphRecord& record : records) collect_edges(record);
    std::sort(edges_.begin(), edges_.end());
    edges_.erase(std::unique(edges_.begin(), edges_.end()), edges_.end());
  }

  void write(std::FILE* out) const {
    base::print(out, "// tasks and waits: {} of {}; dependences: {}\n", nodes_.size(), all_count_,
                edges_.size());
    base::print(out, "digraph tasks {{\n  node [shape=box, fontname=\"sans-serif\"];\n");
    base::print(out, "  graph [fontname=\"sans-serif\", style=rounded, color=gray];\n");
    if (nodes_.size() < all_count_ || dropped_edges_ != 0) write_remark(out);
    write_families(out);
    for (const auto& [to, from] : edges_) {
      base::print(out, "  \"{}\" -> \"{}\";\n", names_[from], names_[to]);
    }
    base::print(out, "}}\n");
  }

 private:
  using Index = std::size_t;  // in nodes_

  void name_nodes() {
    unsigned waits = 0;
    for (Index i = 0; i < nodes_.size(); ++i) {
      const GraphNode& node = *nodes_[i];
      names_.push_back(node.is_wait ? base::format("wait {}", ++waits) : node.task.text());
      by_key_.emplace(node.key, i);
    }
  }

  void collect_edges(const GraphRecord& record) {
    for (const GraphEdge& edge : record.edges()) {
      const auto from = by_key_.find(edge.from);
      const auto to = by_key_.find(edge.to);
      if (from == by_key_.end() || to == by_key_.end()) continue;
      edges_.emplace_back(to->second, from->second);
    }
  }

  void write_remark(std::FILE* out) const {
    base::print(out, "  label=\"the first {} of {} tasks and waits", nodes_.size(), all_count_);
    if (dropped_edges_ != 0) base::print(out, ", without {} of their dependences", dropped_edges_);
    base::print(out, "\";\n  labelloc=t;\n");
  }

  void write_families(std::FILE* out) const {
    std::map<TaskId, std::vector<Index>> families;
    for (Index i = 0; i < nodes_.size(); ++i) families[nodes_[i]->parent].push_back(i);
    for (const auto& [parent, children] : families) {
      const std::string name = parent.text();
      base::print(out, "  subgraph \"cluster {0}\" {{\n    label=\"spawned by {0}\";\n", name);
      for (const Index child : children) write_node(out, child);
      base::print(out, "  }}\n");
      if (parent == TaskId::main()) continue;
      base::print(out, "  \"{}\" -> \"{}\" [style=dotted, arrowhead=none];\n", name,
                  names_[children.front()]);
    }
  }

  void write_node(std::FILE* out, Index index) const {
    const GraphNode& node = *nodes_[index];
    const SiteText site = describe(node.site);
    std::string label = node.is_wait ? "wait" : names_[index];
    for (const std::string& line : {site.function, site.place}) {
      if (!line.empty()) label += "\\n" + escaped(line);
    }
    base::print(out, "    \"{}\" [label=\"{}\"{}];\n", names_[index], label,
                node.is_wait ? ", shape=diamond" : "");
  }

  std::vector<const GraphNode*> nodes_;
  std::vector<std::string> names_;  // of the nodes
  std::unordered_map<std::uint64_t, Index> by_key_;
  std::vector<std::pair<Index, Index>> edges_;  // to, from
  std::uint64_t all_count_ = 0;
  std::uint64_t dropped_edges_ = 0;
};

}  // namespace

void write_dot(std::FILE* out, std::span<const GraphRecord> records, std::size_t nodes_max) {
  Drawing(records, nodes_max).write(out);
}

}  // namespace myr::trace
