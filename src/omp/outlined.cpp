// SPDX-License-Identifier: Apache-2.0
//
// Tasks that gcc and clang outline, as Myrmidon's tasks: see include/myr/outlined.h and ADR 125.
//
// An archive that is linked into each program and library of myrcc's, over the public calls alone.
// Its names are hidden there, so that no other library of the process gets them instead of those of
// the compiler's library, to which tasks go that nobody handed over.
//
// It is one file: a program that needs myr_hand_over() gets the compilers' calls with it, wherever
// the compiler's own library stands among what is linked.
#include <dlfcn.h>
#include <myr/frontend.h>
#include <myr/openmp.h>
#include <myr/outlined.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "omp/gomp_calls.h"
#include "omp/kmp_task.hpp"
#include "sync/atomic.hpp"

using myr::omp::KmpTask;
using myr::omp::TaskEntry;

// `myr check` knows by this name what no program has written.
namespace myr::omp::outlined {

namespace {

thread_local const myr_next_task* next_of_thread = nullptr;

const myr_next_task* take() noexcept { return std::exchange(next_of_thread, nullptr); }

[[noreturn, gnu::cold]] void fail(const char* message) {
  std::fprintf(stderr, "myrmidon: error: %s\n", message);
  std::_Exit(MYR_EXIT_MISUSE);
}

// The compiler's library behind this one.
template <class Function>
Function* behind(const char* name) noexcept {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
template <class Function>
[[gnu::cold]] Function& must_be_behind(const char* name) {
  if (auto* const function = behind<Function>(name)) return *function;
  fail("a task is made by OpenMP without myrcc, and the compiler's OpenMP library is not linked");
}

// The caller runs the task itself, as a part of its own.
template <class Body>
void run_at_once(const myr_next_task& next, Body body) {
  if (next.access_count != 0) myr_wait_at(next.accesses, next.access_count, next.site);
  const unsigned outer = myr_final_depth;
  if ((next.wishes & MYR_NEXT_FINAL) != 0) ++myr_final_depth;
  body();
  myr_final_depth = outer;
}

myr_draft draft(const myr_next_task& next, std::size_t bytes) {
  const myr_draft made = myr_draft_new_at(bytes, next.access_count, next.site);
  for (std::size_t i = 0; i < next.access_count; ++i) made.accesses[i] = next.accesses[i];
  return made;
}

[[gnu::cold]] void grant(myr_draft made, const myr_next_task& next) {
  if ((next.wishes & MYR_NEXT_KEEP_HERE) != 0) myr_draft_keep_here(made);
  if ((next.wishes & MYR_NEXT_PRIORITY) != 0) myr_draft_priority(made, next.priority);
}

// ---- gcc: packs what the body needs into a record on the caller's stack

// What a task begins with; the record follows.
struct Packed {
  void (*body)(void*);
  std::size_t alignment;
};
static_assert(sizeof(Packed) == 16, "records are aligned to 16 bytes");

struct Record {
  void* data;
  void (*copy)(void*, void*);  // nullptr: its bytes are all
  std::size_t bytes;
  std::size_t alignment;
};

void run_packed(void* closure, const myr_access* accesses) {
  auto* const packed = static_cast<Packed*>(closure);
  if (accesses != MYR_CANCELLED) packed->body(packed + 1);
}

void* aligned(void* memory, std::size_t alignment) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  return reinterpret_cast<void*>((at + alignment - 1) & ~(alignment - 1));
}

// The body destroys the copies, so those of a task that is cancelled stay.
void run_aligned(void* closure, const myr_access* accesses) {
  auto* const packed = static_cast<Packed*>(closure);
  if (accesses != MYR_CANCELLED) packed->body(aligned(packed + 1, packed->alignment));
}

void* unpack(void* room, const Record& record) {
  void* const to = aligned(room, record.alignment);
  if (record.copy != nullptr) {
    record.copy(to, record.data);
  } else {
    std::memcpy(to, record.data, record.bytes);
  }
  return to;
}

// For a task that is not for other processes, or has wishes.
[[gnu::noinline]] void spawn_slow(const myr_next_task& next, void (*body)(void*),
                                  const Record& record) {
  if (myr_runs_at_once(&next) != 0) {
    void* const copies = __builtin_alloca(record.bytes + record.alignment);
    return run_at_once(next, [&] { body(unpack(copies, record)); });
  }
  const bool bytes = record.copy == nullptr && record.alignment <= alignof(std::max_align_t);
  const myr_draft made = draft(next, sizeof(Packed) + record.bytes + record.alignment);
  auto* const packed = new (made.closure) Packed{body, record.alignment};
  unpack(packed + 1, record);
  if (!bytes) myr_draft_keep_here(made);
  grant(made, next);
  myr_submit_at(made, bytes ? run_packed : run_aligned, next.site);
}

// The first and the last `Part` bytes of `bytes`, which are twice that at most.
template <std::size_t Part>
void copy_ends(void* to, const void* from, std::size_t bytes) noexcept {
  std::byte first[Part];
  std::byte last[Part];
  std::memcpy(first, from, Part);
  std::memcpy(last, static_cast<const std::byte*>(from) + bytes - Part, Part);
  std::memcpy(to, first, Part);
  std::memcpy(static_cast<std::byte*>(to) + bytes - Part, last, Part);
}

// Records are mostly a few words.
void copy_record(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes >= 16 && bytes <= 32) return copy_ends<16>(to, from, bytes);
  if (bytes >= 8 && bytes <= 16) return copy_ends<8>(to, from, bytes);
  std::memcpy(to, from, bytes);
}

// A task of the compiler's library.
[[gnu::noipa, gnu::cold]] void pass_on(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                       long bytes, long alignment, bool deferred, unsigned flags,
                                       void** dependences, int priority, void* detached) {
  must_be_behind<decltype(GOMP_task)>("GOMP_task")(body, data, copy, bytes, alignment, deferred,
                                                   flags, dependences, priority, detached);
}

// Apart from its caller, so that what is only passed on stays where it is.
[[gnu::noinline]] void spawn(const myr_next_task& next, void (*body)(void*), void* data,
                             void (*copy)(void*, void*), std::size_t bytes, std::size_t alignment) {
  const Record record{data, copy, bytes, alignment};
  const bool plain = next.wishes == 0 && myr_final_depth == 0 && record.copy == nullptr &&
                     record.alignment <= alignof(std::max_align_t);
  if (!plain) return spawn_slow(next, body, record);
  const myr_draft made = draft(next, sizeof(Packed) + record.bytes);
  auto* const packed = static_cast<Packed*>(made.closure);
  packed->body = body;
  copy_record(packed + 1, record.data, record.bytes);
  myr_submit_at(made, run_packed, next.site);
}

// ---- clang: has the task made first, and fills it in

// Before each of clang's tasks.
struct Header {
  void* task;  // the draft's
  const myr_next_task* next;
  std::uint32_t flags;
  std::uint32_t shareds_at;  // 0: there are none
  std::uint64_t apart;       // it is a draft, not to be run at once
};
static_assert(sizeof(Header) % 16 == 0, "clang's tasks are aligned to 16 bytes");

// In KmpTask::part: ours. In tasks of clang's library it is 0 when they are handed over.
constexpr std::int32_t kOurs = 0x4d796d6d;

Header& header_of(KmpTask* kmp) noexcept { return reinterpret_cast<Header*>(kmp)[-1]; }

void run_kmp(Header& header, bool cancelled) {
  auto* const kmp = reinterpret_cast<KmpTask*>(&header + 1);
  if (!cancelled) kmp->entry(0, kmp);
  if ((header.flags & myr::omp::kKmpDestructors) != 0) kmp->destroy(0, kmp);
}

void run_drafted(void* closure, const myr_access* accesses) {
  auto& header = *static_cast<Header*>(closure);
  auto* const kmp = reinterpret_cast<KmpTask*>(&header + 1);
  // It may have been moved to another process.
  if (header.shareds_at != 0) kmp->shareds = reinterpret_cast<std::byte*>(kmp) + header.shareds_at;
  run_kmp(header, accesses == MYR_CANCELLED);
}

Header* make_header(const myr_next_task& next, std::size_t bytes) {
  if (myr_runs_at_once(&next) == 0) {
    const myr_draft made = draft(next, bytes);
    return new (made.closure) Header{.task = made.task, .next = &next, .apart = 1};
  }
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) fail("out of memory");
  return new (memory) Header{.task = nullptr, .next = &next, .apart = 0};
}

using NumberOf = int(const void*);
int no_number(const void*) { return 0; }
myr::sync::Atomic<NumberOf*> number_of{nullptr};  // all threads find the same

}  // namespace

}  // namespace myr::omp::outlined

using namespace myr::omp::outlined;

extern "C" {

void myr_hand_over(const myr_next_task* next) {
  if (next_of_thread != nullptr) {
    fail(
        "a task of myrcc's was made by another library: link libmyrmidon-tasks.a with each program "
        "and library that has tasks");
  }
  next_of_thread = next;
}

void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long bytes,
               long alignment, bool deferred, unsigned flags, void** dependences, int priority,
               void* detached) {
  const myr_next_task* const next = take();
  if (next == nullptr) {
    return pass_on(body, data, copy, bytes, alignment, deferred, flags, dependences, priority,
                   detached);
  }
  spawn(*next, body, data, copy, static_cast<std::size_t>(bytes),
        static_cast<std::size_t>(alignment));
}

// What clang's code calls begins with its place in the source, and the thread's number.

KmpTask* __kmpc_omp_task_alloc(const void* place, int number, unsigned flags, std::size_t bytes,
                               std::size_t shared_bytes, TaskEntry entry) {
  const myr_next_task* const next = take();
  if (next == nullptr) {
    return must_be_behind<decltype(__kmpc_omp_task_alloc)>("__kmpc_omp_task_alloc")(
        place, number, flags, bytes, shared_bytes, entry);
  }
  const std::size_t shareds = myr::omp::shareds_at(bytes);
  Header* const header = make_header(*next, sizeof(Header) + shareds + shared_bytes);
  header->flags = flags;
  header->shareds_at = shared_bytes != 0 ? static_cast<std::uint32_t>(shareds) : 0;
  auto* const kmp = reinterpret_cast<KmpTask*>(header + 1);
  kmp->shareds = reinterpret_cast<std::byte*>(kmp) + shareds;
  kmp->entry = entry;
  kmp->part = kOurs;
  return kmp;
}

int __kmpc_omp_task(const void* place, int number, KmpTask* kmp) {
  if (kmp->part != kOurs) {
    return must_be_behind<decltype(__kmpc_omp_task)>("__kmpc_omp_task")(place, number, kmp);
  }
  Header& header = header_of(kmp);
  const myr_next_task& next = *header.next;
  if (header.apart == 0) {
    run_at_once(next, [&] { run_kmp(header, false); });
    std::free(&header);
    return 0;
  }
  const myr_draft made{.closure = &header, .accesses = nullptr, .task = header.task};
  if (next.wishes != 0) grant(made, next);
  if ((header.flags & myr::omp::kKmpDestructors) != 0) myr_draft_keep_here(made);
  myr_submit_at(made, run_drafted, next.site);
  return 0;
}

// A function with tasks asks for its thread's number first.
int __kmpc_global_thread_num(const void* place) {
  NumberOf* function = number_of.load(myr::sync::relaxed);
  if (function == nullptr) {
    function = behind<NumberOf>("__kmpc_global_thread_num");
    if (function == nullptr) function = no_number;
    number_of.store(function, myr::sync::relaxed);
  }
  return function(place);
}

}  // extern "C"
