// SPDX-License-Identifier: Apache-2.0
//
// ThreadWorker: what a worker of a master does around a task where cores are threads.
//
//   take()     a task is in the ring; the core's copies of memory are invalidated, and then
//              what the task uses is as the core sees it
//   leave()    the body has returned: what it wrote is in the core's copies only
//   complete() they are flushed, and the entry is marked
//
// Threads: the worker's.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "cluster/master/core_copies.hpp"
#include "cluster/master/protocol.hpp"
#include "cluster/master/thread_buffers.hpp"

namespace myr::cluster::master {

// `Sent`: see ThreadBuffers::Access.
template <class Sent>
class ThreadWorker {
 public:
  ThreadWorker(ThreadBuffers& buffers, CoreNumber self, const Care& care, Sent sent)
      : buffers_(buffers, std::move(sent)), ring_(self), care_(care) {}

  // The number of a task; none: there is none. extents_of(number): what it uses.
  template <class ExtentsOf>
  [[nodiscard]] std::optional<std::uint32_t> take(ExtentsOf extents_of) {
    if (!ring_.look(buffers_, care_)) return {};
    if (care_.worker_invalidates) memory_.invalidate();
    const std::uint32_t task = ring_.head().task;
    memory_.begin(extents_of(task));
    return task;
  }
  void leave() { memory_.end(); }
  void complete() {
    if (care_.worker_flushes) memory_.flush();
    ring_.complete(buffers_, care_);
  }

 private:
  ThreadBuffers::Access<Sent> buffers_;
  WorkerRing ring_;
  CoreCopies memory_;
  const Care care_;
};

}  // namespace myr::cluster::master
