// SPDX-License-Identifier: Apache-2.0
//
// Recording: where the workers and schedulers of a run write what they do, one place each.
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
  std::vector<Timeline> timelines;  // by track; empty if not wished for
  std::vector<GraphRecord> graphs;  // the same

  Recording(const std::vector<Track>& tracks, Wishes wishes)
      : graphs(wishes.graph ? tracks.size() : 0) {
    if (!wishes.timeline) return;
    for (const Track& track : tracks) timelines.emplace_back(track, *wishes.timeline);
  }
  // nullptr: the worker shall not write.
  [[nodiscard]] Timeline* timeline(unsigned track) noexcept {
    return timelines.empty() ? nullptr : &timelines[track];
  }
  [[nodiscard]] GraphRecord* graph(unsigned worker) noexcept {
    return graphs.empty() ? nullptr : &graphs[worker];
  }
};

}  // namespace myr::trace
