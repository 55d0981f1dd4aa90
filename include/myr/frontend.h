/* SPDX-License-Identifier: Apache-2.0
 *
 * Beside myr.h: what compilers and front ends build their tasks with, such as myr.hpp and myrcc.
 * Programs do not need it. Its structures begin with their size where they are filled in outside of
 * the library; later versions have more members behind those that are here.
 */
#ifndef MYR_FRONTEND_H
#define MYR_FRONTEND_H

#include <myr/myr.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* For front ends (myr.hpp, myrcc): draft a task, build its closure in place, then submit it.
 * Between the two calls the thread must not draft another task. `closure` is aligned to 16 bytes;
 * `accesses` has room for `access_count` accesses, all of which must be set. */
typedef struct myr_draft {
  void* closure;
  myr_access* accesses;
  void* task; /* the runtime's */
} myr_draft;
/* Runs the task. `accesses` MYR_CANCELLED: it is cancelled; the body only destroys what the closure
 * holds. */
#ifdef __cplusplus
#define MYR_CANCELLED (reinterpret_cast<const myr_access*>(UINTPTR_MAX))
#else
#define MYR_CANCELLED ((const myr_access*)UINTPTR_MAX)
#endif
typedef void (*myr_body)(void* closure, const myr_access* accesses);
MYR_API myr_draft myr_draft_new_at(size_t closure_bytes, size_t access_count, const myr_site* site);
/* May be called between the two calls. Workers run ready tasks with a higher priority first; 0, the
 * default, and less: with the others. It is a wish and changes no result: smp obeys it, other
 * machines do not. Cost: a lock when the task becomes ready, and when it begins. */
MYR_API void myr_draft_priority(myr_draft draft, int priority);
/* The same: the closure is more than its bytes, which another process could be given. The task then
 * runs in the process that spawns it, on machines of several. Cost: a call. */
MYR_API void myr_draft_keep_here(myr_draft draft);
/* The same, but another process can be given it: by its bytes, and by what it saves beside them.
 * `kind` is a constant of the program. */
typedef struct myr_closure_kind {
  size_t size; /* sizeof(myr_closure_kind) */
  /* `image` is a copy of the closure's bytes; bytes that mean nothing elsewhere become 0 there, and
   * put(to, ...) is called with what stands for them. Not 0: it cannot be saved; then the task
   * stays. */
  int (*save)(const void* closure, void* image,
              void (*put)(void* to, const void* bytes, size_t size), void* to);
  /* There: `closure` has the bytes of the image; makes the rest. Not 0: it cannot be made. */
  int (*load)(void* closure, const void* saved, size_t size);
} myr_closure_kind;
MYR_API void myr_draft_save(myr_draft draft, const myr_closure_kind* kind);
MYR_API void myr_submit_at(myr_draft draft, myr_body body, const myr_site* site);
/* In place of myr_submit_at(), for a task that needs its last `last_count` accesses, each in(),
 * out(), inout() or commutative, only at its end: it may run as two. `first` does not wait for
 * these, and must not use them. `second` runs behind it when they are free, with nothing but them,
 * and destroys the closure; it runs, too, if `first` has failed or was cancelled. The closure that
 * `first` is given is a pointer to the draft's. Where one task does as well, `whole` is all of
 * it. */
typedef struct myr_two_bodies {
  size_t size; /* sizeof(myr_two_bodies) */
  myr_body whole, first, second;
} myr_two_bodies; /* a constant of the program */
MYR_API void myr_submit_two_at(myr_draft draft, const myr_two_bodies* bodies, size_t last_count,
                               const myr_site* site);

/* In place of both: the call runs no task, neither this one nor another, whatever the caller holds.
 * On serial and smp:1 the task runs at the caller's next wait, or before the next task that it
 * spawns without this. On smp any other worker may run it at once. `last_count` 0: it is one task,
 * `whole`. In a task on tree and mpi, and under `myr check`: as the calls above. Cost: a place in a
 * queue, and waking a worker that sleeps. */
MYR_API void myr_submit_later_at(myr_draft draft, const myr_two_bodies* bodies, size_t last_count,
                                 const myr_site* site);
/* An exception on its way from a task to a wait. Only the program's own code looks into the object;
 * the library, which may use a different C++ library, calls the functions that come with it. */
typedef struct myr_exception_kind {
  size_t size; /* sizeof(myr_exception_kind) */
  void (*destroy)(void* object);
  void (*rethrow)(void* object);                            /* destroys it and throws its content */
  void (*describe)(void* object, char* text, size_t bytes); /* for people; ends with a 0 */
  /* For another process: the name of its type, as the compiler has it, and what it says. */
  void (*name)(void* object, char* type, size_t type_bytes, char* what, size_t what_bytes);
  /* There: makes an object of these. */
  void* (*revive)(const char* type, const char* what);
} myr_exception_kind;
typedef struct myr_exception {
  void* object; /* NULL: there is none */
  const myr_exception_kind* kind;
} myr_exception;
/* In place of myr_event_complete(): it will never happen. That is a failure of the task that it
 * holds open, as if the task had thrown the exception at its end. */
MYR_API void myr_event_fail_at(myr_event event, myr_exception exception, const myr_site* site);
/* Is told, in place of the spawner's next myr_wait_all(), that events of a task have failed:
 * take(taker, exception) is called when all are over, before the task ends, perhaps on another
 * thread. Not 0: the exception is its own from now on. */
typedef struct myr_failure_taker {
  size_t size; /* sizeof(myr_failure_taker) */
  int (*take)(const struct myr_failure_taker* taker, myr_exception exception);
  void* to;
  size_t words[2];
} myr_failure_taker;
/* For a front end whose body is about to return: this one is told, if the running task has events.
 * It is copied. */
MYR_API void myr_take_event_failure(const myr_failure_taker* taker);
/* Waits for the events of the running task, and first for its children, if one is open: why one of
 * them has failed. Cost: its stack, and its worker, meanwhile. */
MYR_API myr_exception myr_await_events(void);
/* Called by a front end's body from its catch block: hands the exception over, to the next
 * myr_wait_all() of the spawning task. */
MYR_API void myr_task_failed(myr_exception exception);
/* Makes the exception, which belongs to the library from now on, one of a task that the caller
 * spawns here, so that it is not lost. */
MYR_API void myr_pass_on_at(myr_exception exception, const myr_site* site);
/* For a front end after a wait for all tasks: what to rethrow. It is the caller's from now on. */
MYR_API myr_exception myr_take_failure(void);

/* For front ends: `count` objects stand at `first`, where memory that was allocated in the region
 * begins, and destroy(first, count) is to end them before it is freed: by myr_destroy_at(), or with
 * the region or one around it; there the last that was made is the first. myr_free() and
 * myr_realloc() call nothing. Cost: a lock. */
typedef void (*myr_destructor)(void* first, size_t count);
MYR_API void myr_made_at(void* first, size_t count, myr_destructor destroy, myr_region region,
                         const myr_site* site);
/* Destroys what is there, by destroy_one(first, 1) if nobody has said what it is, and frees it;
 * after the tasks that use it. */
MYR_API void myr_destroy_at(void* first, myr_destructor destroy_one, const myr_site* site);

/* Objects of one region that the iterations of a loop use. The first one belongs to iteration
 * `first`, which may be negative, and each other one to the next iteration. An iteration uses the
 * object that belongs to it and those of so many iterations before and after it. */
typedef struct myr_window {
  size_t size; /* sizeof(myr_window) */
  myr_region region;
  unsigned mode; /* MYR_IN, MYR_OUT or MYR_INOUT, and MYR_NOTRANSFER */
  void* const* objects;
  size_t count;
  ptrdiff_t first;
  size_t before, after;
} myr_window;

/* For programs that check what their loops use (MYR_CHECKED): an iteration uses an element that is
 * outside of the part from..to-1 which the access at `site` declares for it. */
MYR_API void myr_outside_part_at(size_t element, size_t from, size_t to, const myr_site* site);

#ifdef __cplusplus
}
#endif
#endif
