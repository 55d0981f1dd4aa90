// SPDX-License-Identifier: Apache-2.0
//
// ThreadCore: the master's core where cores are threads. It rests as engines' workers do: it looks
// on for a while, then sleeps until a worker has completed a task.
//
// The entries of its rings are their heads: the rest of a task is in memory that all threads share.
//
// Threads: main's, but note_completed(), which is for workers.
#pragma once

#include <functional>
#include <utility>

#include "cluster/master/master_core.hpp"
#include "cluster/master/thread_buffers.hpp"
#include "plat/clock.hpp"
#include "sync/event_count.hpp"

namespace myr::cluster::master {

class ThreadCore : public MasterCore {
 public:
  // `wake(worker)`: there is something in its ring. `spin_ns`: how long the master looks on.
  ThreadCore(ThreadBuffers& buffers, const Care& care, std::function<void(unsigned)> wake,
             std::uint64_t spin_ns)
      : buffers_(buffers, std::move(wake)), care_(care), spin_ns_(spin_ns) {}
  virtual ~ThreadCore() = default;

  [[nodiscard]] EntryHead look_at(unsigned worker, std::uint32_t entry) override {
    if (care_.master_drops_lines) buffers_.invalidate();
    return head_of(buffers_.read(entry_of(worker, entry)));
  }
  void write(unsigned worker, std::uint32_t entry, const EntryHead& head) override {
    buffers_.write(entry_of(worker, entry), line_of(head));
    if (care_.master_sends) buffers_.flush();
  }
  [[nodiscard]] bool rest(const std::function<bool()>& look) override {
    const std::uint64_t start = plat::ticks();
    if (!look_on(look)) {
      bell_.announce();
      if (look()) {
        bell_.cancel();
      } else {
        bell_.wait();
      }
    }
    idle_ticks_ += plat::ticks() - start;
    return true;
  }

  // A worker has marked an entry as completed.
  void note_completed() noexcept { bell_.post(1); }
  // The time that it has rested.
  [[nodiscard]] std::uint64_t idle_ticks() const noexcept { return idle_ticks_; }

 private:
  [[nodiscard]] bool look_on(const std::function<bool()>& look) const {
    constexpr unsigned kPauses = 32;  // between two looks, each of which takes lines from workers
    for (const std::uint64_t end = plat::now_ns() + spin_ns_; plat::now_ns() < end;) {
      if (look()) return true;
      for (unsigned i = 0; i < kPauses; ++i) plat::cpu_relax();
    }
    return false;
  }

  ThreadBuffers::Access<std::function<void(unsigned)>> buffers_;
  const Care care_;
  const std::uint64_t spin_ns_;
  sync::EventCount bell_;
  std::uint64_t idle_ticks_ = 0;
};

}  // namespace myr::cluster::master
