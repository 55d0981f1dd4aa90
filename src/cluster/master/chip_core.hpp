// SPDX-License-Identifier: Apache-2.0
//
// ChipCore: the master's core on the simulated chip. Time is its own; what workers do comes after
// it, when the master looks.
#pragma once

#include <algorithm>

#include "cluster/master/master_core.hpp"
#include "cluster/master/worker_cores.hpp"

namespace myr::cluster::master {

class ChipCore final : public MasterCore {
 public:
  ChipCore(CoreNumber self, WorkerCores& workers, const Care& care)
      : self_(self), workers_(workers), care_(care) {}

  [[nodiscard]] CoreNumber number() const noexcept { return self_; }
  [[nodiscard]] Cycles now() const noexcept { return clock_; }
  [[nodiscard]] Cycles idle() const noexcept { return idle_; }

  [[nodiscard]] EntryHead look_at(unsigned worker, std::uint32_t entry) override {
    workers_.run_until(clock_);
    scc::MessageBuffers::Access buffers = workers_.buffers().at(self_, clock_);
    if (care_.master_drops_lines) buffers.invalidate();
    return head_of(buffers.read(entry_of(workers_.core(worker), entry)));
  }
  void write(unsigned worker, std::uint32_t entry, const EntryHead& head) override {
    scc::MessageBuffers::Access buffers = workers_.buffers().at(self_, clock_);
    const CoreNumber owner = workers_.core(worker);
    const std::uint32_t lines = std::min(access_lines(head.accesses), kEntryLines - 1);
    for (std::uint32_t line = 1; line <= lines; ++line) {
      buffers.write(entry_of(owner, entry, line), {});
    }
    // The head comes last: a core that sees it sees the lines before it, too.
    buffers.write(entry_of(owner, entry), line_of(head));
    if (care_.master_sends) buffers.flush();
  }
  void spend(Cycles cycles) override { clock_ += cycles; }
  [[nodiscard]] bool rest(const std::function<bool()>& /*look*/) override {
    Cycles completed = 0;
    if (!workers_.run_until_completed(completed)) return false;
    if (completed <= clock_) return true;
    idle_ += completed - clock_;
    clock_ = completed;
    return true;
  }

 private:
  const CoreNumber self_;
  WorkerCores& workers_;
  const Care care_;
  Cycles clock_ = 0;
  Cycles idle_ = 0;  // the master had nothing to do while the program waited
};

}  // namespace myr::cluster::master
