// SPDX-License-Identifier: Apache-2.0
//
// TreeContext: a node's context where all agents share the memory: a task is its address, and the
// stores of all schedulers can be used from here.
//
// Threads: the worker's.
#pragma once

#include <vector>

#include "cluster/heap_store.hpp"
#include "cluster/node_context.hpp"

namespace myr::cluster {

class TreeContext : public NodeContext {
 public:
  // `stores`: by agent; nullptr: a worker.
  TreeContext(NodeServices& node, engine::Worker& worker, graph::RegionSpace& space,
              const std::vector<HeapStore*>& stores) noexcept
      : NodeContext(node, worker), space_(space), stores_(stores) {}

  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override;

 private:
  void declare(SpreadTask& parent, myr_access& access, graph::Task& task,
               proto::Task& message) override;
  void hand_over(SpreadTask& parent, graph::Task& task, proto::Task& message) override;
  [[nodiscard]] bool may_go_whole(const SpreadTask& parent,
                                  const base::WholeLoop& loop) const override;
  [[nodiscard]] bool hand_over_loop(SpreadTask& parent, graph::Task& whole,
                                    const base::WholeLoop& loop, proto::Task& message) override;
  [[nodiscard]] std::uint64_t program_of_call(const myr_site* site, Call call) const override;
  void free(void* object, const char* call, const myr_site* site);

  graph::RegionSpace& space_;
  const std::vector<HeapStore*>& stores_;
};

}  // namespace myr::cluster
