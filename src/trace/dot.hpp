// SPDX-License-Identifier: Apache-2.0
//
// Writes a task graph in the language of Graphviz: a box a task, named as in the timeline and by
// the place where it was spawned, a diamond a wait; solid arrows from what runs first to what runs
// after it. Tasks of one parent are in one frame, to which a dotted line leads from the parent.
#pragma once

#include <cstddef>
#include <cstdio>
#include <span>

#include "trace/graph_record.hpp"

namespace myr::trace {

// At most `nodes_max` nodes, those spawned first; a remark in the picture tells what is left out.
// `records`: by worker. Errors: those of `out`.
void write_dot(std::FILE* out, std::span<const GraphRecord> records,
               std::size_t nodes_max = GraphRecord::kNodesMax);

}  // namespace myr::trace
