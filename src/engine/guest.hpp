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
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "base/thread_context.hpp"
#include "deps/region_tree.hpp"
#include "engine/worker.hpp"
#include "sync/event_count.hpp"

namespace myr::engine {

inline constexpr const char* kMainsThreadHasEnded =
    "called after the thread that made the first call has ended: that thread is main's, and all "
    "ends with it; make the first call in a thread that lives on, or call myr_init() to start "
    "again (what was allocated before is gone)";

class Guest final : public base::ThreadContext {
 public:
  // `home`: its region 0. The worker is the guest's alone.
  Guest(Engine& engine, Worker& worker, deps::RegionIndex home) noexcept
      : engine_(engine), worker_(worker), home_(home) {}
  ~Guest() = default;

  // The calling thread has the place from now on, until it ends.
  static void attach_thread(const std::shared_ptr<Guest>& guest);
  [[nodiscard]] deps::RegionIndex home() const noexcept { return home_; }
  // Some other root has freed an object of the guest's region 0. Any thread.
  void give_back(void* object);
  // Waits for its tasks; its thread may not call any more. Main's thread. `for_ever`: the process
  // ends, so that a call from now on does not return, unless main's thread alone ends; else it is
  // misuse.
  void finish(bool for_ever);

  // ---- ThreadContext
  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void set_priority(const myr_draft& draft, int priority) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;
  void fail(base::Exception exception) override;
  [[nodiscard]] std::optional<base::Failure> take_failure() override;
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override;
  [[nodiscard]] bool is_cancelled() override { return false; }
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
  [[nodiscard]] unsigned worker_count() const override;
  [[nodiscard]] bool runs_main() const override { return false; }
  void main_returned() override {}

 private:
  // Around a call: the thread runs the guest's root, and what it spawns.
  class Calling;
  enum class Life : std::uint8_t { Open, Finished, Ended };

  static void thread_ends(void* guest);
  void take_thread();
  void end_root();
  void take_returned();

  Engine& engine_;
  Worker& worker_;
  base::ThreadContext* inner_ = nullptr;  // the worker's: itself, or the node's for it
  deps::RegionIndex home_;
  std::mutex calling_;      // held during each call
  Life life_ = Life::Open;  // guarded by calling_
  std::mutex returned_lock_;
  std::vector<void*> returned_;  // guarded by returned_lock_
};

}  // namespace myr::engine
