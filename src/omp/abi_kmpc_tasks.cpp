// SPDX-License-Identifier: Apache-2.0
//
// Entry points for programs of clang: tasks. The program lets a task be made, fills it in, and
// hands it over; nothing is copied.
#include <cstring>
#include <memory>
#include <new>

#include "omp/abi.hpp"
#include "omp/here_task.hpp"
#include "omp/kmpc.hpp"
#include "omp/taskloop.hpp"

using namespace myr::omp;

namespace {

// In front of each of the program's tasks, which so begin at a multiple of 64 bytes, as those of
// LLVM's library do: the program has variables in them that are aligned to that.
struct alignas(16) KmpHeader {
  Task* task;
  std::size_t bytes;  // of the program's task and what follows it
  unsigned flags;
  bool goes_on;  // an untied task has asked for its next part
};

static_assert(sizeof(KmpHeader) <= Task::kRoomInFront);

KmpHeader& header_of(KmpTask* kmp) noexcept { return reinterpret_cast<KmpHeader*>(kmp)[-1]; }

// All parts of an untied task run one after the other on the same thread. A task that only waits
// has none.
void run_parts(Thread& self, KmpTask* kmp) {
  if (kmp->entry == nullptr) return;
  KmpHeader& header = header_of(kmp);
  const Span span(Construct::Task, code_of(kmp->entry));
  do {
    header.goes_on = false;
    kmp->entry(self.number, kmp);
  } while (header.goes_on);
}

void end_variables(Thread& self, KmpTask* kmp) {
  if ((header_of(kmp).flags & kKmpDestructors) != 0) kmp->destroy(self.number, kmp);
}

// The body of such a task. One whose variables were constructed is called though it is cancelled.
void run_kmp_task(void* data) {
  auto* kmp = static_cast<KmpTask*>(data);
  Thread& self = myr::omp::self();
  if (!is_cancelled(header_of(kmp).task)) run_parts(self, kmp);
  end_variables(self, kmp);
}

KmpTask* make_kmp_task(Thread& self, unsigned flags, std::size_t bytes) {
  Task* task = make_task(self, bytes);
  auto* kmp = reinterpret_cast<KmpTask*>(task->arguments());
  new (&header_of(kmp)) KmpHeader{task, bytes, flags, false};
  task->body = run_kmp_task;
  task->data = kmp;
  task->flags |= kFilled;
  if ((flags & kKmpTied) == 0) task->flags |= kUntied;
  if ((flags & kKmpFinal) != 0) task->flags |= kFinal;
  if ((flags & kKmpDestructors) != 0) task->flags |= kCopied;
  if ((flags & kKmpProxy) != 0) task->flags |= kDetached;
  return kmp;
}

void submit_kmp_task(Thread& self, KmpTask* kmp, const Depends& depends) {
  const KmpHeader& header = header_of(kmp);
  if ((header.flags & kKmpPriority) != 0) {
    const int most = settings.priority_max;
    header.task->priority = kmp->priority < most ? kmp->priority : most;
  }
  submit(self, header.task, depends);
}

// Clang can pass a second list. It does so nowhere, but other front ends might.
class BothLists {
 public:
  BothLists(int count, const DependInfo* first, int more, const DependInfo* second) {
    all_ = {first, static_cast<std::size_t>(count)};
    if (more == 0) return;
    const auto total = static_cast<std::size_t>(count + more);
    joined_ = std::make_unique<DependInfo[]>(total);
    for (int i = 0; i < count; ++i) joined_[static_cast<std::size_t>(i)] = first[i];
    for (int i = 0; i < more; ++i) joined_[static_cast<std::size_t>(count + i)] = second[i];
    all_ = {joined_.get(), total};
  }
  [[nodiscard]] const Depends& get() const noexcept { return all_; }

 private:
  std::unique_ptr<DependInfo[]> joined_;
  Depends all_;
};

void do_nothing(void*) {}

}  // namespace

MYR_OMP_API KmpTask* __kmpc_omp_task_alloc(const Ident*, int, unsigned flags, std::size_t bytes,
                                           std::size_t shared_bytes, TaskEntry entry) {
  const std::size_t shareds = shareds_at(bytes);
  KmpTask* kmp = make_kmp_task(self(), flags, shareds + shared_bytes);
  kmp->shareds = shared_bytes != 0 ? reinterpret_cast<std::byte*>(kmp) + shareds : nullptr;
  kmp->entry = entry;
  kmp->part = 0;
  return kmp;
}
MYR_OMP_API KmpTask* __kmpc_omp_target_task_alloc(const Ident* ident, int number, unsigned flags,
                                                  std::size_t bytes, std::size_t shared_bytes,
                                                  TaskEntry entry, std::int64_t) {
  return __kmpc_omp_task_alloc(ident, number, flags, bytes, shared_bytes, entry);
}
// An untied task hands itself over, in order to go on later.
MYR_OMP_API int __kmpc_omp_task(const Ident*, int, KmpTask* kmp) {
  Thread& self = myr::omp::self();
  KmpHeader& header = header_of(kmp);
  if (MYR_UNLIKELY(header.task == self.at.task)) {
    header.goes_on = true;
  } else {
    submit_kmp_task(self, kmp, {});
  }
  return 0;
}
MYR_OMP_API int __kmpc_omp_task_parts(const Ident* ident, int number, KmpTask* kmp) {
  return __kmpc_omp_task(ident, number, kmp);
}
MYR_OMP_API int __kmpc_omp_task_with_deps(const Ident*, int, KmpTask* kmp, int count,
                                          const DependInfo* list, int more,
                                          const DependInfo* second) {
  const BothLists lists(count, list, more, second);
  submit_kmp_task(self(), kmp, lists.get());
  return 0;
}
MYR_OMP_API int __kmpc_omp_reg_task_with_affinity(const Ident*, int, KmpTask*, int, const void*) {
  return 0;
}
// if(0): the program calls the task's entry between these two.
MYR_OMP_API void __kmpc_omp_task_begin_if0(const Ident*, int, KmpTask* kmp) {
  begin_here(self(), header_of(kmp).task);
}
MYR_OMP_API void __kmpc_omp_task_complete_if0(const Ident*, int, KmpTask* kmp) {
  Thread& self = myr::omp::self();
  KmpHeader& header = header_of(kmp);
  if (header.goes_on) run_parts(self, kmp);
  end_variables(self, kmp);
  end_here(self, header.task);
}
MYR_OMP_API void __kmpc_invoke_task_func(int, KmpTask* kmp) { run_parts(self(), kmp); }

// ---- Waits

MYR_OMP_API int __kmpc_omp_taskwait(const Ident*, int) {
  wait_for_children(self());
  return 0;
}
MYR_OMP_API void __kmpc_omp_wait_deps(const Ident*, int, int count, const DependInfo* list,
                                      int more, const DependInfo* second) {
  const BothLists lists(count, list, more, second);
  wait_for_depend(self(), lists.get());
}
// `without_wait`: a task that does nothing waits instead of the caller.
MYR_OMP_API void __kmpc_omp_taskwait_deps_51(const Ident*, int, int count, const DependInfo* list,
                                             int more, const DependInfo* second, int without_wait) {
  const BothLists lists(count, list, more, second);
  Thread& self = myr::omp::self();
  if (without_wait == 0) return wait_for_depend(self, lists.get());
  Task* task = make_task(self, 0);
  task->body = do_nothing;
  submit(self, task, lists.get());
}
MYR_OMP_API int __kmpc_omp_taskyield(const Ident*, int, int) {
  Thread& self = myr::omp::self();
  if (self.at.team->has_tasks.load(myr::sync::relaxed) != 0) run_one(self);
  return 0;
}
MYR_OMP_API void __kmpc_taskgroup(const Ident*, int) { begin_group(self()); }
MYR_OMP_API void __kmpc_end_taskgroup(const Ident*, int) {
  Thread& self = myr::omp::self();
  const Group* group = self.at.task->group;
  ReductionCopies* copies = group != nullptr ? group->copies : nullptr;
  end_group(self);
  if (copies != nullptr) combine_copies(copies);
}

// ---- Events

MYR_OMP_API void* __kmpc_task_allow_completion_event(const Ident*, int, KmpTask* kmp) {
  Task* task = header_of(kmp).task;
  task->flags |= kDetached;
  return task;
}
MYR_OMP_API void __kmpc_proxy_task_completed(int, KmpTask* kmp) { fulfill(header_of(kmp).task); }
MYR_OMP_API void __kmpc_proxy_task_completed_ooo(KmpTask* kmp) { fulfill(header_of(kmp).task); }

// ---- taskloop

namespace {

// Makes a task for a part of a taskloop. `is_last`: it sets what is lastprivate.
using Duplicate = void (*)(KmpTask* to, KmpTask* from, int is_last);

struct KmpTaskloop {
  KmpTask* pattern;
  std::uint64_t* first;  // in the pattern: the values of its loop variable
  std::uint64_t* last;
  std::int64_t step;
  Duplicate duplicate;
};

std::ptrdiff_t offset_in(const KmpTask* kmp, const void* place) noexcept {
  return static_cast<const std::byte*>(place) - reinterpret_cast<const std::byte*>(kmp);
}

struct Part {
  std::uint64_t first;
  std::uint64_t last;
  bool is_last;  // of its loop
};

KmpTask* new_part(Thread& self, const KmpTaskloop& loop) {
  const KmpHeader& header = header_of(loop.pattern);
  return make_kmp_task(self, header.flags, header.bytes);
}

void fill_in(const KmpTaskloop& loop, KmpTask* kmp, const Part& part) {
  auto* bytes = reinterpret_cast<std::byte*>(kmp);
  std::memcpy(bytes, loop.pattern, header_of(loop.pattern).bytes);
  if (kmp->shareds != nullptr) kmp->shareds = bytes + offset_in(loop.pattern, kmp->shareds);
  std::memcpy(bytes + offset_in(loop.pattern, loop.first), &part.first, sizeof part.first);
  std::memcpy(bytes + offset_in(loop.pattern, loop.last), &part.last, sizeof part.last);
  if (loop.duplicate != nullptr) loop.duplicate(kmp, loop.pattern, part.is_last ? 1 : 0);
}

void spawn_parts(Thread& self, const KmpTaskloop& loop, const TaskloopParts& parts, bool deferred) {
  const auto step = static_cast<std::uint64_t>(loop.step);
  std::uint64_t first = *loop.first;
  HereTask here(self, deferred);
  for (std::uint64_t i = 0; i < parts.count; ++i) {
    const std::uint64_t next = first + parts.size(i) * step;
    const Part part{first, next - step, i + 1 == parts.count};
    if (here.is_next()) {
      Task* task = here.get();
      if (task == nullptr) task = here.set(header_of(new_part(self, loop)).task);
      void* const kmp = task->data;
      fill_in(loop, static_cast<KmpTask*>(kmp), part);
      here.run();
    } else {
      here.end();
      KmpTask* kmp = new_part(self, loop);
      fill_in(loop, kmp, part);
      submit_kmp_task(self, kmp, {});
    }
    first = next;
  }
}

std::uint64_t iterations_of(const KmpTaskloop& loop) noexcept {
  const auto first = static_cast<std::int64_t>(*loop.first);
  const auto last = static_cast<std::int64_t>(*loop.last);
  const auto step = static_cast<std::uint64_t>(loop.step);
  if (loop.step > 0) return last < first ? 0 : (*loop.last - *loop.first) / step + 1;
  return first < last ? 0 : (*loop.first - *loop.last) / -step + 1;
}

enum KmpTaskloopSize : int { kKmpNone = 0, kKmpGrainsize = 1, kKmpTasks = 2 };

void run_kmp_taskloop(const KmpTaskloop& loop, bool deferred, bool grouped, TaskloopSize size,
                      std::uint64_t wanted) {
  Thread& self = myr::omp::self();
  if (grouped) begin_group(self);
  const std::uint64_t iterations = iterations_of(loop);
  if (iterations != 0) {
    spawn_parts(self, loop, divide(iterations, size, wanted, self.at.team->size), deferred);
  }
  Task* pattern = header_of(loop.pattern).task;
  begin_here(self, pattern);
  end_variables(self, loop.pattern);
  pattern->flags = static_cast<std::uint16_t>(pattern->flags & ~kDetached);
  end_here(self, pattern);
  if (grouped) __kmpc_end_taskgroup(nullptr, 0);
}

TaskloopSize size_of(int schedule, bool strict) noexcept {
  if (schedule != kKmpGrainsize) return TaskloopSize::Tasks;
  return strict ? TaskloopSize::StrictGrain : TaskloopSize::Grain;
}

}  // namespace

MYR_OMP_API void __kmpc_taskloop(const Ident*, int, KmpTask* kmp, int deferred,
                                 std::uint64_t* first, std::uint64_t* last, std::int64_t step,
                                 int no_group, int schedule, std::uint64_t wanted,
                                 Duplicate duplicate) {
  run_kmp_taskloop({kmp, first, last, step, duplicate}, deferred != 0, no_group == 0,
                   size_of(schedule, false), schedule == kKmpNone ? 0 : wanted);
}
MYR_OMP_API void __kmpc_taskloop_5(const Ident*, int, KmpTask* kmp, int deferred,
                                   std::uint64_t* first, std::uint64_t* last, std::int64_t step,
                                   int no_group, int schedule, std::uint64_t wanted, int strict,
                                   Duplicate duplicate) {
  run_kmp_taskloop({kmp, first, last, step, duplicate}, deferred != 0, no_group == 0,
                   size_of(schedule, strict != 0), schedule == kKmpNone ? 0 : wanted);
}
