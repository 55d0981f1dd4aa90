// SPDX-License-Identifier: Apache-2.0
//
// What clang's OpenMP code calls for tasks. The program asks for a task object, fills it in, and
// hands it over; nothing is copied.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "check/next_call.hpp"
#include "check/omp_kmpc.hpp"
#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

using namespace myr::check;
using namespace myr::check::omp;

#define FRAME address_of(__builtin_frame_address(0))

namespace {

enum KmpFlag : unsigned { kKmpFinal = 2, kKmpDestructors = 8 };

// Before each of the program's tasks.
struct alignas(16) KmpHeader {
  std::size_t bytes;  // of the program's task and what follows it
  unsigned flags;
  bool runs;
  bool goes_on;  // an untied task has asked for its next part
  bool is_target;
  void* event;
};

KmpHeader& header_of(KmpTask* kmp) { return reinterpret_cast<KmpHeader*>(kmp)[-1]; }

KmpTask* make_kmp_task(unsigned flags, std::size_t bytes) {
  void* const block = std::malloc(sizeof(KmpHeader) + bytes);
  auto* const header = new (block) KmpHeader{bytes, flags, false, false, false, nullptr};
  return reinterpret_cast<KmpTask*>(header + 1);
}

void end_kmp_task(KmpTask* kmp) {
  KmpHeader& header = header_of(kmp);
  if ((header.flags & kKmpDestructors) != 0) kmp->destroy(0, kmp);
  const Inside inside;
  races().forget(address_of(kmp), address_of(kmp) + header.bytes);
  std::free(&header);
}

void run_kmp_task(void* data) {
  KmpTask* const kmp = *static_cast<KmpTask**>(data);
  KmpHeader& header = header_of(kmp);
  header.runs = true;
  do {
    header.goes_on = false;
    kmp->entry(static_cast<int>(task().index), kmp);
  } while (header.goes_on);
  end_kmp_task(kmp);
}

// gcc's form of a list of dependences.
class DependList {
 public:
  void add(int count, const KmpDepend* list) {
    for (int i = 0; i < count; ++i) objects_.push_back(object_of(list[i]));
  }
  [[nodiscard]] void** get() {
    words_ = {nullptr, reinterpret_cast<void*>(objects_.size()), nullptr, nullptr, nullptr};
    for (Object& object : objects_) words_.push_back(&object);
    return objects_.empty() ? nullptr : words_.data();
  }

 private:
  struct Object {
    std::uintptr_t address;
    std::uintptr_t kind;
  };
  static Object object_of(const KmpDepend& depend) {
    constexpr unsigned kInTurn = 4;
    constexpr unsigned kTogether = 8;
    constexpr unsigned kAll = 0x80;
    if ((depend.kinds & kAll) != 0) return {kAllMemory, 3};
    if ((depend.kinds & kInTurn) != 0) return {depend.address, 4};
    if ((depend.kinds & kTogether) != 0) return {depend.address, 5};
    return {depend.address, depend.kinds == 1 ? 1U : 3U};
  }
  std::vector<Object> objects_;
  std::vector<void*> words_;
};

void run_request(KmpTask* kmp, void** depend, bool is_deferred, std::uint64_t frame,
                 const Construct& construct) {
  run_task({.body = run_kmp_task,
            .data = static_cast<void*>(&kmp),
            .copy = nullptr,
            .bytes = sizeof kmp,
            .align = alignof(KmpTask*),
            .is_deferred = is_deferred,
            .is_final = (header_of(kmp).flags & kKmpFinal) != 0,
            .depend = depend,
            .event = header_of(kmp).event,
            .frame = frame,
            .construct = construct,
            .is_target = header_of(kmp).is_target});
}

}  // namespace

CALL KmpTask* __kmpc_omp_task_alloc(const Ident*, int, unsigned flags, std::size_t bytes,
                                    std::size_t shared_bytes, TaskEntry entry) {
  omp::start();
  const Inside inside;
  constexpr std::size_t kPointer = sizeof(void*);
  const std::size_t shareds_at = (bytes + kPointer - 1) / kPointer * kPointer;
  KmpTask* const kmp = make_kmp_task(flags, shareds_at + shared_bytes);
  kmp->shareds = shared_bytes != 0 ? reinterpret_cast<std::byte*>(kmp) + shareds_at : nullptr;
  kmp->entry = entry;
  kmp->part = 0;
  return kmp;
}
CALL KmpTask* __kmpc_omp_target_task_alloc(const Ident* ident, int number, unsigned flags,
                                           std::size_t bytes, std::size_t shared_bytes,
                                           TaskEntry entry, std::int64_t) {
  KmpTask* const kmp = __kmpc_omp_task_alloc(ident, number, flags, bytes, shared_bytes, entry);
  header_of(kmp).is_target = true;
  return kmp;
}
CALL int __kmpc_omp_task(const Ident*, int, KmpTask* kmp) {
  const Inside inside;
  if (header_of(kmp).runs) {
    header_of(kmp).goes_on = true;
  } else {
    run_request(kmp, nullptr, true, FRAME, {"the task", PLACE});
  }
  return 0;
}
CALL int __kmpc_omp_task_with_deps(const Ident*, int, KmpTask* kmp, int count,
                                   const KmpDepend* list, int more, const KmpDepend* second) {
  const Inside inside;
  DependList depends;
  depends.add(count, list);
  depends.add(more, second);
  run_request(kmp, depends.get(), true, FRAME, {"the task", PLACE});
  return 0;
}
// if(0): the program calls the task's entry between these two, as a part of what creates it.
CALL void __kmpc_omp_task_begin_if0(const Ident*, int, KmpTask*) {}
CALL void __kmpc_omp_task_complete_if0(const Ident*, int, KmpTask* kmp) { end_kmp_task(kmp); }

CALL int __kmpc_omp_taskwait(const Ident*, int) {
  const Inside inside;
  wait_for_children();
  return 0;
}
CALL void __kmpc_omp_wait_deps(const Ident*, int, int count, const KmpDepend* list, int more,
                               const KmpDepend* second) {
  const Inside inside;
  DependList depends;
  depends.add(count, list);
  depends.add(more, second);
  wait_for_depend(depends.get());
}
CALL void __kmpc_omp_taskwait_deps_51(const Ident* ident, int number, int count,
                                      const KmpDepend* list, int more, const KmpDepend* second,
                                      int) {
  __kmpc_omp_wait_deps(ident, number, count, list, more, second);
}
CALL int __kmpc_omp_taskyield(const Ident*, int, int) { return 0; }
CALL void* __kmpc_task_allow_completion_event(const Ident*, int, KmpTask* kmp) {
  const Inside inside;
  return header_of(kmp).event = make_event();
}

// ---- taskloop

namespace {

// Makes a task for a part of a taskloop. `is_last`: it sets what is lastprivate.
using Duplicate = void (*)(KmpTask* to, KmpTask* from, int is_last);

struct KmpTaskloop {
  KmpTask* pattern;
  std::uint64_t* first;  // in the pattern: the values of its loop variable, both included
  std::uint64_t* last;
  std::int64_t step;
  Duplicate duplicate;
};

std::ptrdiff_t offset_in(const KmpTask* kmp, const void* place) {
  return static_cast<const std::byte*>(place) - reinterpret_cast<const std::byte*>(kmp);
}

KmpTask* part_of(const KmpTaskloop& loop, std::uint64_t first, std::uint64_t last, bool is_last) {
  const KmpHeader& header = header_of(loop.pattern);
  KmpTask* const kmp = make_kmp_task(header.flags, header.bytes);
  auto* const bytes = reinterpret_cast<std::byte*>(kmp);
  std::memcpy(bytes, loop.pattern, header.bytes);
  if (kmp->shareds != nullptr) kmp->shareds = bytes + offset_in(loop.pattern, kmp->shareds);
  std::memcpy(bytes + offset_in(loop.pattern, loop.first), &first, sizeof first);
  std::memcpy(bytes + offset_in(loop.pattern, loop.last), &last, sizeof last);
  if (loop.duplicate != nullptr) {
    const Outside outside;
    loop.duplicate(kmp, loop.pattern, is_last ? 1 : 0);
  }
  return kmp;
}

std::uint64_t iterations_of(const KmpTaskloop& loop) {
  const auto first = static_cast<std::int64_t>(*loop.first);
  const auto last = static_cast<std::int64_t>(*loop.last);
  const auto step = static_cast<std::uint64_t>(loop.step);
  if (loop.step > 0) return last < first ? 0 : (*loop.last - *loop.first) / step + 1;
  return first < last ? 0 : (*loop.first - *loop.last) / -step + 1;
}

struct TaskloopStyle {
  bool is_deferred;
  bool has_group;
  std::uint64_t iterations_a_task;
};

void run_kmp_taskloop(const KmpTaskloop& loop, const TaskloopStyle& style, std::uint64_t frame,
                      const Construct& construct) {
  if (style.has_group) begin_group();
  const std::uint64_t count = iterations_of(loop);
  const auto step = static_cast<std::uint64_t>(loop.step);
  const std::uint64_t start = *loop.first;
  for (std::uint64_t i = 0; i < count; i += style.iterations_a_task) {
    const std::uint64_t end = std::min(i + style.iterations_a_task, count);
    KmpTask* const part = part_of(loop, start + i * step, start + (end - 1) * step, end == count);
    run_request(part, nullptr, style.is_deferred, frame, construct);
  }
  {
    const Outside outside;
    end_kmp_task(loop.pattern);
  }
  if (style.has_group) end_group();
}

// As gcc's flag says it: 0 none, 1 grainsize, 2 num_tasks.
std::uint64_t iterations_a_task(std::uint64_t count, int schedule, std::uint64_t wanted) {
  constexpr std::uint64_t kTasksMost = 1000;
  if (count == 0) return 1;
  if (schedule == 0 || wanted == 0) return (count + kTasksMost - 1) / kTasksMost;
  return schedule == 1 ? wanted : (count + wanted - 1) / wanted;
}

}  // namespace

CALL void __kmpc_taskloop(const Ident*, int, KmpTask* kmp, int is_deferred, std::uint64_t* first,
                          std::uint64_t* last, std::int64_t step, int no_group, int schedule,
                          std::uint64_t wanted, Duplicate duplicate) {
  const Inside inside;
  const KmpTaskloop loop{kmp, first, last, step, duplicate};
  run_kmp_taskloop(
      loop,
      {is_deferred != 0, no_group == 0, iterations_a_task(iterations_of(loop), schedule, wanted)},
      FRAME, {"the taskloop", PLACE});
}
CALL void __kmpc_taskloop_5(const Ident*, int, KmpTask* kmp, int is_deferred, std::uint64_t* first,
                            std::uint64_t* last, std::int64_t step, int no_group, int schedule,
                            std::uint64_t wanted, int, Duplicate duplicate) {
  const Inside inside;
  const KmpTaskloop loop{kmp, first, last, step, duplicate};
  run_kmp_taskloop(
      loop,
      {is_deferred != 0, no_group == 0, iterations_a_task(iterations_of(loop), schedule, wanted)},
      FRAME, {"the taskloop", PLACE});
}

// ---- memory of an allocator

CALL void* __kmpc_alloc(int, std::size_t bytes, void*) { return std::malloc(bytes); }
CALL void* __kmpc_aligned_alloc(int, std::size_t align, std::size_t bytes, void*) {
  return std::aligned_alloc(align, (bytes + align - 1) / align * align);
}
CALL void __kmpc_free(int, void* first, void*) { std::free(first); }
