// SPDX-License-Identifier: Apache-2.0
//
// SanitizedContext: what serves the calls of a program that is compiled with a sanitizer. Goes on
// to the context of the calling thread, and tells the sanitizer what the call means: so what
// machine it is makes no difference, and a program without a sanitizer pays nothing.
//
// Threads: any; one for all.
#pragma once

#include "base/sanitizers.hpp"
#include "base/thread_context.hpp"
#include "runtime/sanitized_memory.hpp"
#include "runtime/sanitized_order.hpp"

namespace myr::runtime {

class SanitizedContext final : public base::ThreadContext {
 public:
  [[nodiscard]] static SanitizedContext& instance();
  // In a forked child: others may hold its locks, and are not there.
  static void forget();
  ~SanitizedContext() = default;

  // A machine is about to start. `frees_later`: what is freed goes when its users have ended, and
  // the call does not wait for them.
  void begin(bool frees_later) { frees_later_ = frees_later; }
  // An event is about to be completed. Any thread.
  void complete_event(myr_event event) { order_.complete(event); }
  // All that the running task has spawned has ended, or its events are completed; not by the calls
  // below.
  static void children_have_ended();
  // All tasks have ended; the machine goes. What it has allocated is there until the next one.
  void finish() { order_.finish(); }
  void tell_reachable() const { memory_.tell_reachable(); }
  void forget_memory() { memory_.clear(); }

  [[nodiscard]] myr_draft new_draft(std::size_t closure_bytes, std::size_t access_count) override;
  void set_priority(const myr_draft& draft, int priority) override;
  void keep_here(const myr_draft& draft) override;
  void save(const myr_draft& draft, const myr_closure_kind* kind) override;
  void submit(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void submit_two(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                  const myr_site* site) override;
  void submit_later(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                    const myr_site* site) override;
  void submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                 const myr_site* site) override;
  void submit_brief(const myr_draft& draft, myr_body body, const myr_site* site) override;
  void spawn(myr_function function, const myr_access* accesses, std::size_t count,
             const myr_site* site) override;
  void wait(const myr_access* accesses, std::size_t count, const myr_site* site) override;
  [[nodiscard]] bool wait_for(std::uint64_t timeout_ns, const myr_access* accesses,
                              std::size_t count, const myr_site* site) override;
  void wait_all() override;
  [[nodiscard]] std::shared_ptr<base::Arena> enter_arena(unsigned workers) override;
  void leave_arena(std::shared_ptr<base::Arena> before) override;
  [[nodiscard]] std::uint64_t new_event(const myr_site* site) override;
  [[nodiscard]] sync::EventHolder* event_holder() override;
  [[nodiscard]] bool tell_event(std::uint64_t event, base::Exception& failure,
                                const myr_site* site) override;
  void fail(base::Exception exception) override;
  [[nodiscard]] base::SerialPlace serial_place() const override;
  [[nodiscard]] std::optional<base::Failure> take_failure() override;
  [[nodiscard]] myr_region new_region(myr_region parent, int level_hint,
                                      const myr_site* site) override;
  void free_region(myr_region region, const myr_site* site) override;
  void cancel_region(myr_region region, const myr_site* site) override;
  [[nodiscard]] bool is_cancelled() override;
  void keep_region_here(myr_region region, const myr_site* site) override;
  [[nodiscard]] myr_region region_around(myr_region region) override;
  void allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                const char* call, const myr_site* site) override;
  [[nodiscard]] void* allocate_blocks(std::size_t bytes, unsigned block_shift, myr_region region,
                                      const myr_site* site) override;
  [[nodiscard]] void* reallocate(void* object, std::size_t bytes, myr_region region,
                                 const myr_site* site) override;
  void free(void* object, const myr_site* site) override;
  void publish(const void* first, std::size_t bytes, const myr_site* site) override;
  [[nodiscard]] base::SpmdCalls* spmd() override;
  void work(std::uint64_t cycles) override;
  void touch(const base::TouchedRows& rows) override;
  [[nodiscard]] std::uint64_t cycles() override;
  [[nodiscard]] unsigned worker_index() const override;
  [[nodiscard]] unsigned worker_count() const override;
  [[nodiscard]] bool splits_loops() const override;
  [[nodiscard]] unsigned loop_worker_count() const override;
  [[nodiscard]] bool spawns_for_others() override;
  [[nodiscard]] bool is_work_wanted() const override;
  [[nodiscard]] std::optional<unsigned> take_beggar() override;
  void begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) override;
  void end_step(base::StepRecord* record, const myr_site* site) override;
  void free_record(base::StepRecord* record, const myr_site* site) override;
  [[nodiscard]] bool runs_main() const override;
  [[nodiscard]] bool is_guest() const override;
  void disown() override;
  void main_ends(const void* kept) override;

 private:
  SanitizedContext() = default;
  [[nodiscard]] static SanitizedContext*& the_instance();
  [[nodiscard]] static const myr_two_bodies& begin_two(const myr_draft& draft,
                                                       const myr_two_bodies& bodies,
                                                       std::size_t last_count);
  void wait_before_free(const myr_access& memory, const myr_site* site);
  void add_object(const void* object, std::size_t bytes, myr_region region,
                  std::size_t block_bytes = 1);

  static void run_whole(void* record, const myr_access* accesses);
  static void run_first(void* record, const myr_access* accesses);
  static void run_second(void* record, const myr_access* accesses);

  SanitizedMemory memory_;
  SanitizedOrder order_{memory_};
  bool frees_later_ = false;
};

// Is the program compiled with a sanitizer that has to be told? Not in a job, whose processes tell
// each other what tasks use.
[[nodiscard]] inline bool is_sanitized(bool is_job) noexcept {
  return !is_job && (base::is_watched_for_races() || base::is_watched_for_addresses());
}

}  // namespace myr::runtime
