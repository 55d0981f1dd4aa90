// SPDX-License-Identifier: Apache-2.0
//
// Recording: where the workers of a run write what they do, one place a worker.
//
// Threads: each worker writes its own places; they are read when all workers are at rest.
#pragma once

#include <optional>
#include <vector>

#include "trace/graph_record.hpp"
#include "trace/timeline.hpp"

namespace myr::trace {

struct Wishes {
  std::optional<Detail> timeline;  // none: no timeline
  bool graph = false;
};

struct Recording {
  std::vector<Timeline> timelines;  // by worker; empty if not wished for
  std::vector<GraphRecord> graphs;  // the same

  Recording(unsigned worker_count, Wishes wishes) : graphs(wishes.graph ? worker_count : 0) {
    if (wishes.timeline) timelines.assign(worker_count, Timeline(*wishes.timeline));
  }
  // nullptr: the worker shall not write.
  [[nodiscard]] Timeline* timeline(unsigned worker) noexcept {
    return timelines.empty() ? nullptr : &timelines[worker];
  }
  [[nodiscard]] GraphRecord* graph(unsigned worker) noexcept {
    return graphs.empty() ? nullptr : &graphs[worker];
  }
};

}  // namespace myr::trace
