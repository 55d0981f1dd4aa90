// SPDX-License-Identifier: Apache-2.0
#include "engine/guest.hpp"

#include <utility>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "engine/worker_calls.hpp"
#include "plat/exit.hpp"
#include "plat/stack_guard.hpp"

namespace myr::engine {

class Guest::Calling {
 public:
  Calling(Guest& guest, const myr_site* site) : guest_(guest), calling_(guest.calling_) {
    if (guest.life_ == Life::Ended) plat::wait_for_exit();
    if (guest.life_ == Life::Finished) {
      base::misuse(site,
                   "another thread has stopped the machine during this call, by myr_finish(): the "
                   "tasks and the memory of this thread are gone; stop it when no thread calls");
    }
    guest.take_thread();
    guest.take_returned();
  }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;
  ~Calling() {
    Worker::forget_thread();
    set_current(&guest_);
  }

 private:
  Guest& guest_;
  std::scoped_lock<std::mutex> calling_;
};

namespace {
// What the calling thread is, or was last; it may still hold on to what is finished.
constinit thread_local std::shared_ptr<Guest>* of_this_thread = nullptr;
}  // namespace

Guest::Guest(Engine& engine, Worker& worker, deps::RegionIndex home) noexcept
    : engine_(engine), worker_(worker), home_(home), worker_count_(engine.worker_count()) {}

void Guest::attach_thread(const std::shared_ptr<Guest>& guest) {
  guest->worker_.adopt_thread();
  guest->inner_ = current();
  guest->seat_ = seat();
  Worker::forget_thread();
  set_current(guest.get());
  delete std::exchange(of_this_thread, new std::shared_ptr<Guest>(guest));
}

bool Guest::detach_thread() {
  const std::unique_ptr<std::shared_ptr<Guest>> held(std::exchange(of_this_thread, nullptr));
  plat::unwatch_stack();
  return held != nullptr && (*held)->leave(*held);
}

void Guest::forget_thread() noexcept { of_this_thread = nullptr; }

bool Guest::leave(const std::shared_ptr<Guest>& self) {
  const std::scoped_lock calling(calling_);
  if (life_ != Life::Open) return false;
  end_root();
  engine_.leave(self);
  return true;
}

// Calls of the thread are the worker's: tasks may run there.
void Guest::take_thread() {
  if (inner_ == &worker_) return worker_.take_context();
  set_current(inner_);
}

// As at the end of main.
void Guest::end_root() {
  take_thread();
  worker_.main_ends(nullptr);
  worker_.wait_all();
  if (const auto failure = worker_.take_failure()) base::report_lost(*failure);
  take_returned();
  Worker::forget_thread();
  seat_ = nullptr;
}

void Guest::finish(bool for_ever) {
  const std::scoped_lock calling(calling_);
  worker_.wait_all();
  if (const auto failure = worker_.take_failure()) base::report_lost(*failure);
  life_ = for_ever ? Life::Ended : Life::Finished;
  if (for_ever || seat_ == nullptr) return;
  // The thread may be reading it, for a call that finds the guest finished.
  __atomic_store_n(seat_, nullptr, __ATOMIC_RELAXED);
}

void Guest::give_back(void* object) {
  const std::scoped_lock lock(returned_lock_);
  returned_.push_back(object);
}

void Guest::take_returned() {
  std::vector<void*> taken;
  {
    const std::scoped_lock lock(returned_lock_);
    taken.swap(returned_);
  }
  for (void* object : taken) worker_.free(object, nullptr);
}

// ---- the calls ----------------------------------------------------------------------------------

myr_draft Guest::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  const Calling calling(*this, nullptr);
  return inner_->new_draft(closure_bytes, access_count);
}

void Guest::set_priority(const myr_draft& draft, int priority) {
  const Calling calling(*this, nullptr);
  inner_->set_priority(draft, priority);
}

void Guest::submit(const myr_draft& draft, myr_body body, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->submit(draft, body, site);
}

void Guest::submit_two(const myr_draft& draft, const myr_two_bodies& bodies, std::size_t last_count,
                       const myr_site* site) {
  const Calling calling(*this, site);
  inner_->submit_two(draft, bodies, last_count, site);
}

void Guest::submit_later(const myr_draft& draft, const myr_two_bodies& bodies,
                         std::size_t last_count, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->submit_later(draft, bodies, last_count, site);
}

bool Guest::wait_for(std::uint64_t timeout_ns, const myr_access* accesses, std::size_t count,
                     const myr_site* site) {
  const Calling calling(*this, site);
  return inner_->wait_for(timeout_ns, accesses, count, site);
}

std::shared_ptr<base::Arena> Guest::enter_arena(unsigned workers) {
  const Calling calling(*this, nullptr);
  return inner_->enter_arena(workers);
}

void Guest::leave_arena(std::shared_ptr<base::Arena> before) {
  const Calling calling(*this, nullptr);
  inner_->leave_arena(std::move(before));
}

void Guest::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                  const myr_site* site) {
  const Calling calling(*this, site);
  inner_->spawn(function, accesses, count, site);
}

void Guest::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->wait(accesses, count, site);
}

void Guest::wait_all() {
  const Calling calling(*this, nullptr);
  inner_->wait_all();
}

void Guest::begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->begin_step(record, site);
}

void Guest::end_step(base::StepRecord* record, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->end_step(record, site);
}

void Guest::free_record(base::StepRecord* record, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->free_record(record, site);
}

std::uint64_t Guest::new_event(const myr_site* site) {
  const Calling calling(*this, site);
  return inner_->new_event(site);
}

void Guest::fail(base::Exception) {
  base::misuse(nullptr, "myr_task_failed: the calling thread runs no task");
}

std::optional<base::Failure> Guest::take_failure() {
  const Calling calling(*this, nullptr);
  return inner_->take_failure();
}

myr_region Guest::new_region(myr_region parent, int level_hint, const myr_site* site) {
  const Calling calling(*this, site);
  return inner_->new_region(parent, level_hint, site);
}

void Guest::cancel_region(myr_region region, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->cancel_region(region, site);
}

void Guest::free_region(myr_region region, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->free_region(region, site);
}

void Guest::allocate(std::size_t bytes, myr_region region, std::size_t count, void** objects,
                     const char* call, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->allocate(bytes, region, count, objects, call, site);
}

void* Guest::allocate_blocks(std::size_t bytes, unsigned block_shift, myr_region region,
                             const myr_site* site) {
  const Calling calling(*this, site);
  return inner_->allocate_blocks(bytes, block_shift, region, site);
}

void* Guest::reallocate(void* object, std::size_t bytes, myr_region region, const myr_site* site) {
  const Calling calling(*this, site);
  return inner_->reallocate(object, bytes, region, site);
}

void Guest::free(void* object, const myr_site* site) {
  const Calling calling(*this, site);
  inner_->free(object, site);
}

}  // namespace myr::engine
