// SPDX-License-Identifier: Apache-2.0
//
// One worker's way to get and give back what tasks are made of. Memory of other workers' tasks is
// collected and sent home in batches.
//
// Threads: the owning worker, but pool().return_batches().
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/contract.hpp"
#include "base/zeroed.hpp"
#include "graph/interior.hpp"
#include "graph/join_log.hpp"
#include "graph/task_pool.hpp"

namespace myr::graph {

class Recycler;
using Recyclers = std::vector<std::unique_ptr<Recycler>>;

class Recycler {
 public:
  // `all`: the recyclers of all workers by index; a worker's is there before its first task.
  Recycler(std::uint16_t index, const Recyclers& all);
  ~Recycler();
  Recycler(const Recycler&) = delete;
  Recycler& operator=(const Recycler&) = delete;

  [[nodiscard]] TaskPool& pool() noexcept { return pool_; }

  // What is to know of the joins that the worker makes, or nullptr.
  [[nodiscard]] JoinLog* join_log() noexcept { return join_log_.get(); }
  void log_joins() { join_log_ = std::make_unique<JoinLog>(); }

  // A cleared Interior; it belongs to `owner` from now on.
  void attach_interior(Task& owner);

  // Takes back the memory of a complete task to which no references are left.
  MYR_INLINE void recycle(Task* task) noexcept {
    if (MYR_UNLIKELY(task->interior != nullptr)) detach_interior(task);
    if (MYR_UNLIKELY(task->extra_edges.load(sync::relaxed) != nullptr)) recycle_edges(task);
    send_home(task);
  }

  // Sends everything home. Called when the worker runs out of work.
  void flush() noexcept;

 private:
  static constexpr unsigned kBatchesAtOnce = 4;
  static constexpr unsigned kInteriorsKept = 64;
  // Batches on their way to one worker, linked by `next`; `first` is being filled.
  struct Outbox {
    Task* first = nullptr;
    Task* last = nullptr;
    unsigned count = 0;
  };

  MYR_INLINE void send_home(Task* task) noexcept {
    if (MYR_LIKELY(task->home == index_)) {
      pool_.recycle(task);
    } else {
      send_out(task);
    }
  }
  void send_out(Task* task) noexcept;
  void send(std::uint16_t home) noexcept;
  void recycle_edges(Task* task) noexcept;
  void detach_interior(Task* task) noexcept;

  std::uint16_t index_;
  TaskPool pool_;
  const Recyclers& all_;
  base::ZeroedArray<Outbox> outboxes_;  // by worker index
  unsigned homes_end_ = 0;              // behind the last that was ever used
  std::unique_ptr<JoinLog> join_log_;
  Interior* interiors_ = nullptr;
  unsigned interior_count_ = 0;
};

}  // namespace myr::graph
