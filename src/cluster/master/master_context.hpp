// SPDX-License-Identifier: Apache-2.0
//
// MasterContext: what a task sees of a machine with a master: a serial engine's worker, except for
// main, whose tasks and waits are the master's.
//
// Threads: that of the engine's worker.
#pragma once

#include <algorithm>
#include <optional>

#include "base/thread_context.hpp"
#include "cluster/master/master_machine.hpp"

namespace myr::cluster::master {

class MasterContext final : public base::ThreadContext {
 public:
  MasterContext(MasterMachine& machine, engine::Worker& worker) noexcept
      : machine_(machine), worker_(worker) {}
  ~MasterContext() = default;
  // The calling thread is the worker's.
  void adopt_thread() noexcept {
    engine::Worker::forget_thread();  // the calls come here
    set_current(this);
  }
  // Main is over: the thread has no context any more.
  static void leave_thread() noexcept { set_current(nullptr); }

  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void submit_two(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                  const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  [[nodiscard]] bool submit_whole(const base::WholeLoop& loop, const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override {
    return worker_.new_event(site);
  }
  [[nodiscard]] sync::EventHolder* event_holder() override { return worker_.event_holder(); }
  [[nodiscard]] base::SerialPlace serial_place() const override { return worker_.serial_place(); }
  void fail(base::Exception exception) override { worker_.fail(std::move(exception)); }
  [[nodiscard]] std::optional<base::Failure> take_failure() override {
    return worker_.take_failure();
  }
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override {
    worker_.cancel_region(region, site);
  }
  [[nodiscard]] bool is_cancelled() override { return worker_.is_cancelled(); }
  [[nodiscard]] myr_region region_around(myr_region region) override {
    return worker_.region_around(region);
  }
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* allocate_blocks(std::size_t bytes, unsigned block_shift, myr_region region,
                                      const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override;
  void work(std::uint64_t cycles) override { machine_.work(cycles); }
  void touch(const base::TouchedRows& rows) override;
  [[nodiscard]] std::uint64_t cycles() override { return machine_.now(); }
  // The master is worker 0: what tasks share out by worker counts it, too. It runs no parts of
  // loops.
  [[nodiscard]] unsigned worker_index() const override { return machine_.index_of(worker_); }
  [[nodiscard]] unsigned worker_count() const override { return machine_.worker_count() + 1; }
  [[nodiscard]] unsigned loop_worker_count() const override {
    return std::max(machine_.worker_count(), 1U);
  }
  [[nodiscard]] bool runs_main() const override { return worker_.runs_main(); }
  void main_ends(const void* kept) override;
  void disown() override { worker_.disown(); }

 private:
  // Returns when no task of main is left that conflicts with this; the worker's own call finds what
  // is wrong with it.
  void wait_as_main(myr_access access);
  // The same for tasks that may allocate in the region.
  void wait_for_changers(myr_region region);

  MasterMachine& machine_;
  engine::Worker& worker_;
};

}  // namespace myr::cluster::master
