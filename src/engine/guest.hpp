// SPDX-License-Identifier: Apache-2.0
//
// Guest: the context of a thread that the engine did not start and that is not main's: a library's,
// a window system's. It is a root like main: it spawns tasks, waits for its own, and holds
// everything. Nothing orders its tasks with those of other roots but what the threads themselves
// agree on.
//
// Its tasks run on the engine's workers; where the only worker is main's, on the guest's own
// thread, at once. Region 0 is a region of its own: so no root's pool needs a lock. An object there
// that another root frees goes back to the guest, which frees it at its next call. The guest of a
// node of a larger machine is the node's: what it spawns is local, and region 0 is everybody's.
//
// Threads: the guest's own, but give_back() and finish(). A place is reused when its thread ends.
//
// Invariant: no call reaches a machine that is gone. What a thread calls is a Guest, which it keeps
// alive; each call holds the guest's lock, and finish() takes it before the machine goes. From then
// on the thread has no guest; one that was just about to call finds out.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_context.hpp"
#include "deps/region_tree.hpp"
#include "engine/worker.hpp"
#include "sync/event_count.hpp"

namespace myr::engine {

class Guest final : public base::ThreadContext {
 public:
  // `home`: its region 0. The worker is the guest's alone.
  Guest(Engine& engine, Worker& worker, deps::RegionIndex home) noexcept;
  ~Guest() = default;

  // The calling thread has the place from now on, until it ends.
  static void attach_thread(const std::shared_ptr<Guest>& guest);
  // The calling thread ends, or calls exit(): waits for its tasks. False: it was no guest.
  static bool detach_thread();
  // In a forked child.
  static void forget_thread() noexcept;
  [[nodiscard]] deps::RegionIndex home() const noexcept { return home_; }
  // Some other root has freed an object of the guest's region 0. Any thread.
  void give_back(void* object);
  // Waits for its tasks; its thread does not belong to the machine any more. `for_ever`: the
  // process ends, so that a call from now on does not return.
  void finish(bool for_ever);

  // ---- ThreadContext
  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void set_priority(const myr_draft& draft, int priority) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void submit_two(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                  const myr_site* site) override;
  void submit_later(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                    const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  [[nodiscard]] bool wait_for(std::uint64_t timeout_ns, const myr_access* accesses,
                              std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] std::shared_ptr<base::Arena> enter_arena(unsigned workers) override;
  void leave_arena(std::shared_ptr<base::Arena> before) override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;
  void fail(base::Exception exception) override;
  [[nodiscard]] std::optional<base::Failure> take_failure() override;
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override;
  [[nodiscard]] bool is_cancelled() override { return false; }
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
  void begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) override;
  void end_step(base::StepRecord* record, const myr_site* site) override;
  void free_record(base::StepRecord* record, const myr_site* site) override;
  [[nodiscard]] unsigned worker_index() const override { return 0; }
  [[nodiscard]] unsigned worker_count() const override { return worker_count_; }
  [[nodiscard]] bool runs_main() const override { return false; }
  [[nodiscard]] bool is_guest() const override { return true; }
  void main_ends(const void* /*kept*/) override {}

 private:
  // Around a call: the thread runs the guest's root, and what it spawns.
  class Calling;
  enum class Life : std::uint8_t { Open, Finished, Ended };

  [[nodiscard]] bool leave(const std::shared_ptr<Guest>& self);
  void take_thread();
  void end_root();
  void take_returned();

  Engine& engine_;
  Worker& worker_;
  base::ThreadContext* inner_ = nullptr;  // the worker's: itself, or the node's for it
  deps::RegionIndex home_;
  const unsigned worker_count_;
  base::ThreadContext** seat_ = nullptr;  // of its thread: the guest, between two calls
  std::mutex calling_;                    // held during each call
  Life life_ = Life::Open;                // guarded by calling_
  std::mutex returned_lock_;
  std::vector<void*> returned_;  // guarded by returned_lock_
};

}  // namespace myr::engine
