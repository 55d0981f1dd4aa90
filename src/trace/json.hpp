// SPDX-License-Identifier: Apache-2.0
//
// Writes timelines as JSON in Chrome's trace event format, which Perfetto and chrome://tracing
// open: one track a worker, one box a task body; a box inside another is a task that ran while the
// outer one waited.
#pragma once

#include <cstdio>
#include <span>

#include "trace/clock.hpp"
#include "trace/timeline.hpp"

namespace myr::trace {

// `timelines`: by worker; main is on the first. Errors: those of `out`.
void write_json(std::FILE* out, std::span<const Timeline> timelines, const Clock& clock);

}  // namespace myr::trace
