// SPDX-License-Identifier: Apache-2.0
//
// StepBuilder: finds the edges of a recorded step by entering its accesses twice into a domain of
// its own, under stand-ins for its tasks. The first time gives the edges within the step, the
// second time those from one run of the step to the next.
//
// Threads: the one that runs the spawning task; lives for one build.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/conflict_sink.hpp"
#include "graph/domain.hpp"
#include "graph/recorded_step.hpp"

namespace myr::graph {

class StepBuilder {
 public:
  StepBuilder(RecordedStep& step, Recycler& recycler, const RegionSpace& space) noexcept
      : step_(step), recycler_(recycler), space_(space) {}
  ~StepBuilder();
  StepBuilder(const StepBuilder&) = delete;
  StepBuilder& operator=(const StepBuilder&) = delete;

  // Fills what the step knows of the run before. False: too many edges, or no memory.
  [[nodiscard]] bool find_edges();

  // Within the step, by task, without repetitions.
  [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& predecessors() const noexcept {
    return predecessors_;
  }

 private:
  // What the stand-in of one task would wait for.
  class Sink final : public ConflictSink {
   public:
    Sink(StepBuilder& builder, TaskRef self) noexcept : ConflictSink(self), builder_(builder) {}
    [[nodiscard]] std::vector<std::uint32_t>& found() noexcept { return found_; }
    [[nodiscard]] TaskRef join(const RefSet& members, const myr_access& memory) override;

   private:
    void wait_for(TaskRef on) override { builder_.expand(on, found_); }
    StepBuilder& builder_;
    std::vector<std::uint32_t> found_;
  };

  [[nodiscard]] bool enter(std::uint32_t index);
  void expand(TaskRef on, std::vector<std::uint32_t>& found);
  [[nodiscard]] Task* stand_in(std::uint64_t number);

  RecordedStep& step_;
  Recycler& recycler_;
  const RegionSpace& space_;
  Domain domain_;
  std::vector<Task*> stand_ins_;
  std::vector<std::vector<std::uint32_t>> joins_;  // whom each of them stands for
  std::vector<std::vector<std::uint32_t>> predecessors_;
  std::size_t edges_left_ = 0;
  bool has_failed_ = false;
};

}  // namespace myr::graph
