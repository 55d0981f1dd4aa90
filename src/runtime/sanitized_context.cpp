// SPDX-License-Identifier: Apache-2.0
#include "runtime/sanitized_context.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "mem/heap.hpp"

namespace myr::runtime {

namespace {

// What the calling thread runs; nullptr: its root. A task stays with its thread, which runs others
// while one waits.
TaskRecord* running_task() {
  return static_cast<TaskRecord*>(base::this_watched_thread().running_task);
}
void set_running_task(TaskRecord* task) { base::this_watched_thread().running_task = task; }

TaskRecord& running() {
  if (TaskRecord* const task = running_task()) return *task;
  void*& root = base::this_watched_thread().root_task;
  if (root == nullptr) root = new TaskRecord;  // as long as its thread's record
  return *static_cast<TaskRecord*>(root);
}

// The context of the calling thread, for one call. Others may run meanwhile.
class Inner {
 public:
  Inner() noexcept = default;
  ~Inner() { set_running_task(running_); }
  Inner(const Inner&) = delete;
  Inner& operator=(const Inner&) = delete;
  base::ThreadContext* operator->() const noexcept { return base::ThreadContext::current(); }

 private:
  base::InLibrary in_library_;
  TaskRecord* const running_ = running_task();
};

// Around all that is done for the program's part of a task.
class Body {
 public:
  explicit Body(TaskRecord& task) noexcept { set_running_task(&task); }
  ~Body() { set_running_task(outer_); }
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

 private:
  base::InProgram in_program_;
  TaskRecord* const outer_ = running_task();
};

// Lies in front of a closure.
TaskRecord& record_of(const myr_draft& draft) {
  return static_cast<TaskRecord*>(draft.closure)[-1];
}
myr_draft inner_draft(const myr_draft& draft) {
  return {&record_of(draft), draft.accesses, draft.task};
}

}  // namespace

SanitizedContext*& SanitizedContext::the_instance() {
  static auto* context = new SanitizedContext;  // outlives every static object
  return context;
}
SanitizedContext& SanitizedContext::instance() { return *the_instance(); }
void SanitizedContext::forget() { the_instance() = new SanitizedContext; }

void SanitizedContext::run_whole(void* record, const myr_access* accesses) {
  TaskRecord& task = *static_cast<TaskRecord*>(record);
  const Body body(task);
  const SanitizedOrder& order = instance().order_;
  order.begin(task, accesses, accesses == MYR_CANCELLED ? 0 : task.declared_count);
  task.bodies.whole(task.closure(), accesses);
  SanitizedOrder::drop(task);
  order.end(task);
}

// Its closure is a pointer to that of the whole, and so is the program's.
void SanitizedContext::run_first(void* record, const myr_access* accesses) {
  TaskRecord& task = **static_cast<TaskRecord**>(record);
  const Body body(task);
  const SanitizedOrder& order = instance().order_;
  order.begin(task, accesses, accesses == MYR_CANCELLED ? 0 : task.declared_count);
  void* closure = task.closure();
  task.bodies.first(&closure, accesses);
  order.end_first(task);
}

void SanitizedContext::run_second(void* record, const myr_access* accesses) {
  TaskRecord& task = *static_cast<TaskRecord*>(record);
  const Body body(task);
  const SanitizedOrder& order = instance().order_;
  order.begin(task, accesses, accesses == MYR_CANCELLED ? 0 : task.last_count);
  task.bodies.second(task.closure(), accesses);
  SanitizedOrder::drop(task);
  order.end(task);
}

// ---- spawning -----------------------------------------------------------------------------------

myr_draft SanitizedContext::new_draft(std::size_t closure_bytes, std::size_t access_count) {
  const myr_draft draft = Inner()->new_draft(sizeof(TaskRecord) + closure_bytes, access_count);
  auto* const record = ::new (draft.closure) TaskRecord;
  record->declared = draft.accesses;
  record->declared_count = access_count;
  record->closure_bytes = closure_bytes;
  return {record->closure(), draft.accesses, draft.task};
}

void SanitizedContext::set_priority(const myr_draft& draft, int priority) {
  Inner()->set_priority(inner_draft(draft), priority);
}
void SanitizedContext::keep_here(const myr_draft& draft) { Inner()->keep_here(inner_draft(draft)); }
void SanitizedContext::save(const myr_draft& draft, const myr_closure_kind* kind) {
  Inner()->save(inner_draft(draft), kind);
}

void SanitizedContext::submit(const myr_draft& draft, myr_body body, const myr_site* site) {
  record_of(draft).bodies.whole = body;
  SanitizedOrder::spawn(record_of(draft), running());
  Inner()->submit(inner_draft(draft), run_whole, site);
}

void SanitizedContext::submit_to(const sync::Placement& best, const myr_draft& draft, myr_body body,
                                 const myr_site* site) {
  record_of(draft).bodies.whole = body;
  SanitizedOrder::spawn(record_of(draft), running());
  Inner()->submit_to(best, inner_draft(draft), run_whole, site);
}

void SanitizedContext::submit_brief(const myr_draft& draft, myr_body body, const myr_site* site) {
  record_of(draft).bodies.whole = body;
  SanitizedOrder::spawn(record_of(draft), running());
  Inner()->submit_brief(inner_draft(draft), run_whole, site);
}

void SanitizedContext::submit_two(const myr_draft& draft, const myr_two_bodies& bodies,
                                  std::size_t last_count, const myr_site* site) {
  const myr_two_bodies& outer = begin_two(draft, bodies, last_count);
  Inner()->submit_two(inner_draft(draft), outer, last_count, site);
}

void SanitizedContext::submit_later(const myr_draft& draft, const myr_two_bodies& bodies,
                                    std::size_t last_count, const myr_site* site) {
  const myr_two_bodies& outer = begin_two(draft, bodies, last_count);
  Inner()->submit_later(inner_draft(draft), outer, last_count, site);
}

// Notes the spawn. Returns what is to run in the place of the bodies.
const myr_two_bodies& SanitizedContext::begin_two(const myr_draft& draft,
                                                  const myr_two_bodies& bodies,
                                                  std::size_t last_count) {
  static constexpr myr_two_bodies kBodies{sizeof(myr_two_bodies), run_whole, run_first, run_second};
  record_of(draft).bodies = bodies;
  record_of(draft).last_count = last_count;
  SanitizedOrder::spawn(record_of(draft), running());
  return kBodies;
}

// A function is the closure of a task, too.
void SanitizedContext::spawn(myr_function function, const myr_access* accesses, std::size_t count,
                             const myr_site* site) {
  const myr_draft draft = new_draft(sizeof function, count);
  ::new (draft.closure) myr_function(function);
  std::copy_n(accesses, count, draft.accesses);
  const auto call_function = [](void* closure, const myr_access* given) {
    if (given == MYR_CANCELLED) return;
    try {
      (*static_cast<myr_function*>(closure))(given);
    } catch (...) {
      Inner()->fail(base::Exception::caught());
    }
  };
  submit(draft, call_function, site);
}

// ---- waiting ------------------------------------------------------------------------------------

void SanitizedContext::wait(const myr_access* accesses, std::size_t count, const myr_site* site) {
  Inner()->wait(accesses, count, site);
  order_.wait(accesses, count);
}

bool SanitizedContext::wait_for(std::uint64_t timeout_ns, const myr_access* accesses,
                                std::size_t count, const myr_site* site) {
  if (!Inner()->wait_for(timeout_ns, accesses, count, site)) return false;
  order_.wait(accesses, count);
  return true;
}

void SanitizedContext::wait_all() {
  Inner()->wait_all();
  SanitizedOrder::wait_all(running());
}

std::uint64_t SanitizedContext::new_event(const myr_site* site) {
  const std::uint64_t event = Inner()->new_event(site);
  order_.make_event(event, running());
  return event;
}

void SanitizedContext::children_have_ended() { base::tell_acquire(running().children); }

// ---- memory -------------------------------------------------------------------------------------

myr_region SanitizedContext::new_region(myr_region parent, int level_hint, const myr_site* site) {
  const myr_region region = Inner()->new_region(parent, level_hint, site);
  memory_.add_region(region, parent);
  return region;
}

// Else tasks that still use it would find it gone.
void SanitizedContext::wait_before_free(const myr_access& memory, const myr_site* site) {
  if (frees_later_) wait(&memory, 1, site);
}

void SanitizedContext::free_region(myr_region region, const myr_site* site) {
  wait_before_free(myr_inout_region(region), site);
  Inner()->free_region(region, site);
  memory_.remove_region(region);
}

void SanitizedContext::add_object(const void* object, std::size_t bytes, myr_region region,
                                  std::size_t block_bytes) {
  if (object == nullptr) return;
  memory_.add_object({.first = reinterpret_cast<std::uint64_t>(object),
                      .bytes = bytes,
                      .room = std::max(bytes, mem::Heap::find_object(object).bytes),
                      .region = region,
                      .block_bytes = block_bytes});
}

void SanitizedContext::allocate(std::size_t bytes, myr_region region, std::size_t count,
                                void** objects, const char* call, const myr_site* site) {
  Inner()->allocate(bytes, region, count, objects, call, site);
  std::for_each_n(objects, count, [&](void* object) { add_object(object, bytes, region); });
}

void* SanitizedContext::allocate_blocks(std::size_t bytes, unsigned block_shift, myr_region region,
                                        const myr_site* site) {
  void* const object = Inner()->allocate_blocks(bytes, block_shift, region, site);
  add_object(object, bytes, region, std::size_t{1} << block_shift);
  return object;
}

void* SanitizedContext::reallocate(void* object, std::size_t bytes, myr_region region,
                                   const myr_site* site) {
  const auto old = memory_.find(reinterpret_cast<std::uint64_t>(object));
  void* const moved = Inner()->reallocate(object, bytes, region, site);
  if (old && moved != object) memory_.remove_object(*old);
  add_object(moved, bytes, region, old ? old->block_bytes : 1);
  return moved;
}

void SanitizedContext::free(void* object, const myr_site* site) {
  const auto freed = memory_.find(reinterpret_cast<std::uint64_t>(object));
  if (freed) wait_before_free(myr_inout(object), site);
  Inner()->free(object, site);
  if (freed) memory_.remove_object(*freed);
}

// ---- what a sanitizer need not know -------------------------------------------------------------

std::shared_ptr<base::Arena> SanitizedContext::enter_arena(unsigned workers) {
  return Inner()->enter_arena(workers);
}
void SanitizedContext::leave_arena(std::shared_ptr<base::Arena> before) {
  Inner()->leave_arena(std::move(before));
}
sync::EventHolder* SanitizedContext::event_holder() { return Inner()->event_holder(); }
bool SanitizedContext::tell_event(std::uint64_t event, base::Exception& failure,
                                  const myr_site* site) {
  return Inner()->tell_event(event, failure, site);
}
void SanitizedContext::fail(base::Exception exception) { Inner()->fail(std::move(exception)); }
base::SerialPlace SanitizedContext::serial_place() const { return Inner()->serial_place(); }

std::optional<base::Failure> SanitizedContext::take_failure() { return Inner()->take_failure(); }
void SanitizedContext::cancel_region(myr_region region, const myr_site* site) {
  Inner()->cancel_region(region, site);
}
bool SanitizedContext::is_cancelled() { return Inner()->is_cancelled(); }
void SanitizedContext::keep_region_here(myr_region region, const myr_site* site) {
  Inner()->keep_region_here(region, site);
}
myr_region SanitizedContext::region_around(myr_region region) {
  return Inner()->region_around(region);
}
void SanitizedContext::publish(const void* first, std::size_t bytes, const myr_site* site) {
  Inner()->publish(first, bytes, site);
}
base::SpmdCalls* SanitizedContext::spmd() { return Inner()->spmd(); }
void SanitizedContext::work(std::uint64_t cycles) { Inner()->work(cycles); }
void SanitizedContext::touch(const base::TouchedRows& rows) { Inner()->touch(rows); }
std::uint64_t SanitizedContext::cycles() { return Inner()->cycles(); }
unsigned SanitizedContext::worker_index() const { return Inner()->worker_index(); }
unsigned SanitizedContext::worker_count() const { return Inner()->worker_count(); }
bool SanitizedContext::splits_loops() const { return Inner()->splits_loops(); }
unsigned SanitizedContext::loop_worker_count() const { return Inner()->loop_worker_count(); }
bool SanitizedContext::spawns_for_others() { return Inner()->spawns_for_others(); }
bool SanitizedContext::is_work_wanted() const { return Inner()->is_work_wanted(); }
std::optional<unsigned> SanitizedContext::take_beggar() { return Inner()->take_beggar(); }
void SanitizedContext::begin_step(std::unique_ptr<base::StepRecord>& record, const myr_site* site) {
  Inner()->begin_step(record, site);
}
void SanitizedContext::end_step(base::StepRecord* record, const myr_site* site) {
  Inner()->end_step(record, site);
}
void SanitizedContext::free_record(base::StepRecord* record, const myr_site* site) {
  Inner()->free_record(record, site);
}
bool SanitizedContext::runs_main() const { return Inner()->runs_main(); }
bool SanitizedContext::is_guest() const { return Inner()->is_guest(); }
void SanitizedContext::disown() { Inner()->disown(); }
void SanitizedContext::main_ends(const void* kept) { Inner()->main_ends(kept); }

}  // namespace myr::runtime
