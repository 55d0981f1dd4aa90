/* SPDX-License-Identifier: Apache-2.0
 *
 * Myrmidon's C interface: regions of memory, tasks with declared accesses, waits.
 *
 * The program remains a serial program: a task is a function call with declared accesses, and
 * every run leaves memory as the serial program would have left it. docs/semantics.md has the
 * rules.
 *
 * Threads: on serial, smp, tree and master, any thread may call. Each that the program starts is a
 * root beside main: it waits for its own tasks, and has a region 0 of its own. If main's thread is
 * not the first to call, it is one like the others. On mpi and sim only tasks and one thread may
 * call: the first that does, which is main's.
 * Errors: misuse (an unknown pointer, an access outside the caller's footprint, ...) prints one
 * message with the call site and ends the program with status MYR_EXIT_MISUSE; a handler of the
 * program's may decide otherwise: myr_set_error_handler().
 */
#ifndef MYR_MYR_H
#define MYR_MYR_H

#include <myr/process.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MYR_API __attribute__((visibility("default")))
#define MYR_EXIT_MISUSE 70 /* exit status after a reported misuse or a machine that cannot start */

/* A region: a growable pool of objects and sub-regions. 0 is the root region, owned by main. */
typedef uint64_t myr_region;
#define MYR_ROOT ((myr_region)0)
/* No region: declares nothing as an access, as NULL does; freeing it does nothing. */
#define MYR_NO_REGION ((myr_region) - 1)

/* How a task uses one argument. The values are those of the Myrmics interface. */
enum {
  MYR_IN = 1,         /* reads */
  MYR_OUT = 2,        /* writes without reading */
  MYR_INOUT = 3,      /* reads and writes */
  MYR_NOTRANSFER = 4, /* ordered like any access, but the task does not touch the data itself */
  MYR_VALUE = 8,      /* passed by value, no analysis */
  MYR_REGION = 16,    /* the argument is a region: all objects and sub-regions in it */
  MYR_WHOLE = 32,     /* the whole object if one starts at the address, else `bytes` bytes */
  /* With MYR_INOUT: tasks that all use memory in the same one of these two ways, with no other use
   * spawned in between, run in any order. */
  MYR_CONCURRENT = 64,   /* and at the same time: the tasks make that safe (atomics, locks) */
  MYR_COMMUTATIVE = 128, /* but one at a time, each with all tasks that it spawns */
  /* With MYR_NOTRANSFER: only the tasks that it spawns, and its waits, wait for earlier tasks; it
   * may run at once. */
  MYR_WEAK = 256,
  /* The memory belongs to an object that is declared, too, which may have moved it or freed it when
   * the task runs: as far as it lies within what the caller holds, else nothing. */
  MYR_HELD = 512,
  MYR_MAYBE = 1024 /* the address may be NULL, and then the access declares nothing */
};

/* One argument of a task. Which union member is set follows from `flags`. */
typedef struct myr_access {
  union {
    void* address;     /* first byte, for objects and ranges; NULL only with MYR_MAYBE */
    myr_region region; /* with MYR_REGION */
    int64_t integer;   /* with MYR_VALUE */
    double number;     /* with MYR_VALUE */
  };
  uint64_t bytes : 48; /* length of the range; 0: the whole object that starts at `address` */
  uint64_t flags : 16; /* of the enumeration above; all other bits are 0 */
} myr_access;
#define MYR_BYTES_MAX ((uint64_t)0xffffffffffff) /* a range of this length or more is a misuse */

/* A task's function. `args` are its accesses in the order of the spawn; valid while it runs. */
typedef void (*myr_function)(const myr_access* args);

/* The place of a call in the user's program; kept by reference, so it must outlive the task. */
typedef struct myr_site {
  const char* file;
  const char* function;
  unsigned line;
  unsigned column;
} myr_site;

static inline myr_access myr_make_access(const void* address, size_t bytes, unsigned flags) {
  myr_access access;
  access.address = (void*)address;
  access.bytes = (bytes < MYR_BYTES_MAX ? bytes : MYR_BYTES_MAX) & MYR_BYTES_MAX;
  access.flags = (uint16_t)flags;
  return access;
}

/* An object from myr_alloc(), named by its first byte. */
static inline myr_access myr_in(const void* object) { return myr_make_access(object, 0, MYR_IN); }
static inline myr_access myr_out(void* object) { return myr_make_access(object, 0, MYR_OUT); }
static inline myr_access myr_inout(void* object) { return myr_make_access(object, 0, MYR_INOUT); }

/* A range of bytes: part of an object, or any other memory (stack, malloc, globals). */
static inline myr_access myr_in_range(const void* first, size_t bytes) {
  return myr_make_access(first, bytes, MYR_IN);
}
static inline myr_access myr_out_range(void* first, size_t bytes) {
  return myr_make_access(first, bytes, MYR_OUT);
}
static inline myr_access myr_inout_range(void* first, size_t bytes) {
  return myr_make_access(first, bytes, MYR_INOUT);
}

/* A region: all objects and regions in it, at any depth. */
static inline myr_access myr_region_access(myr_region region, unsigned mode) {
  const int is_region = region != MYR_NO_REGION;
  myr_access access = myr_make_access(NULL, 0, is_region ? mode | MYR_REGION : mode | MYR_MAYBE);
  if (is_region) access.region = region;
  return access;
}
static inline myr_access myr_in_region(myr_region region) {
  return myr_region_access(region, MYR_IN);
}
static inline myr_access myr_out_region(myr_region region) {
  return myr_region_access(region, MYR_OUT);
}
static inline myr_access myr_inout_region(myr_region region) {
  return myr_region_access(region, MYR_INOUT);
}

/* Memory that several tasks use in any order: at the same time, or one at a time. */
static inline myr_access myr_concurrent(void* object) {
  return myr_make_access(object, 0, MYR_INOUT | MYR_CONCURRENT);
}
static inline myr_access myr_concurrent_range(void* first, size_t bytes) {
  return myr_make_access(first, bytes, MYR_INOUT | MYR_CONCURRENT);
}
static inline myr_access myr_commutative(void* object) {
  return myr_make_access(object, 0, MYR_INOUT | MYR_COMMUTATIVE);
}
static inline myr_access myr_commutative_range(void* first, size_t bytes) {
  return myr_make_access(first, bytes, MYR_INOUT | MYR_COMMUTATIVE);
}
static inline myr_access myr_commutative_region(myr_region region) {
  return myr_region_access(region, MYR_INOUT | MYR_COMMUTATIVE);
}

/* Values without analysis. */
static inline myr_access myr_value(int64_t value) {
  myr_access access = myr_make_access(NULL, 0, MYR_VALUE | MYR_IN);
  access.integer = value;
  return access;
}
static inline myr_access myr_number(double value) {
  myr_access access = myr_make_access(NULL, 0, MYR_VALUE | MYR_IN);
  access.number = value;
  return access;
}
static inline myr_access myr_pointer(const void* pointer) {
  return myr_make_access(pointer, 0, MYR_VALUE | MYR_IN);
}

/* Starts the machine that MYR_ON names (docs/semantics.md, Machines; default: smp on all cores).
 * Returns 0, or a negative code for myr_error_text(). Optional: the first call of any other
 * function starts the machine too, and ends the program with a message if it cannot. Calling it
 * again has no effect and returns 0; after myr_finish() it starts the machine again, and everything
 * allocated before is gone. A forked child has no machine, and starts its own in the same way. */
MYR_API int myr_init(void);
/* Waits for all tasks and stops the machine, if main calls it, or if main was not the first to
 * call. Called automatically at the end of the process, behind the destructors of static objects.
 * What was allocated may be read until the next myr_init(). */
MYR_API void myr_finish(void);
/* Text of a code returned by myr_init(); never NULL. */
MYR_API const char* myr_error_text(int code);

/* Index of the worker that runs the caller, from 0, and the number of workers. */
MYR_API unsigned myr_worker_index(void);
MYR_API unsigned myr_worker_count(void);

/* Tells a simulated machine (`sim:CHIP`) that the calling task computes for this many cycles of a
 * worker core, and advances its clock by them. No effect on other machines. */
MYR_API void myr_work(uint64_t cycles);
/* Tells a simulated chip with caches (`sim:scc-48`) which memory the calling task goes through,
 * once and in this order: `rows` runs of `bytes` bytes, each `stride` bytes behind the one before;
 * mode MYR_IN, MYR_OUT or MYR_INOUT. A task that never says so goes once through all objects and
 * ranges that it has declared. No effect on other machines. */
MYR_API void myr_touch(const void* first, size_t bytes, size_t rows, size_t stride, unsigned mode);
/* A simulated machine's clock, as the calling task sees it, in cycles of a worker core from the
 * start. On other machines: 0. */
MYR_API uint64_t myr_cycles(void);

/* Not 0: the calling task uses something in a cancelled region, and may as well return. */
MYR_API int myr_cancelled(void);

/* What holds a task open after its function has returned: an answer of a device or a server, say.
 * Any thread completes it, one that Myrmidon does not know, too. */
typedef uint64_t myr_event; /* never 0 */

/* A step of the program that repeats: spawns in the same order with the same accesses. The first
 * time it is recorded; later its tasks run without being analysed again, as long as they are the
 * same. What differs is analysed: a recording changes no result (docs/user/replay.md). */
typedef struct myr_recording_state* myr_recording;

/* The macros further down call these functions with the place of the call. */
MYR_API myr_region myr_region_new_at(myr_region parent, int level_hint, const myr_site* site);
MYR_API void myr_region_free_at(myr_region region, const myr_site* site);
MYR_API void myr_region_cancel_at(myr_region region, const myr_site* site);
MYR_API void myr_region_keep_here_at(myr_region region, const myr_site* site);
MYR_API void* myr_alloc_at(size_t bytes, myr_region region, const myr_site* site);
/* NULL if there is no memory. `block_bytes` 0: not in blocks. What else is wrong, no handler can
 * ignore. */
MYR_API void* myr_try_alloc_at(size_t bytes, size_t block_bytes, myr_region region,
                               const myr_site* site);
MYR_API void myr_alloc_many_at(size_t bytes, myr_region region, size_t count, void** objects,
                               const myr_site* site);
MYR_API void* myr_alloc_blocks_at(size_t bytes, size_t block_bytes, myr_region region,
                                  const myr_site* site);
MYR_API void* myr_realloc_at(void* object, size_t bytes, myr_region region, const myr_site* site);
MYR_API void myr_free_at(void* object, const myr_site* site);
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
MYR_API void myr_publish_at(const void* first, size_t bytes, const myr_site* site);
MYR_API void myr_spawn_at(myr_function function, const myr_access* accesses, size_t count,
                          const myr_site* site);
MYR_API void myr_spawn_priority_at(myr_function function, const myr_access* accesses, size_t count,
                                   int priority, const myr_site* site);
MYR_API void myr_wait_at(const myr_access* accesses, size_t count, const myr_site* site);
MYR_API void myr_wait_all_at(const myr_site* site);
MYR_API myr_event myr_event_new_at(const myr_site* site);
MYR_API void myr_event_complete_at(myr_event event, const myr_site* site);

MYR_API myr_recording myr_recording_new_at(const myr_site* site);
MYR_API void myr_recording_free_at(myr_recording recording, const myr_site* site);
MYR_API void myr_step_begin_at(myr_recording recording, const myr_site* site);
MYR_API void myr_step_end_at(myr_recording recording, const myr_site* site);

/* Objects of one region that the iterations of a loop use. The first one belongs to iteration
 * `first`, which may be negative, and each other one to the next iteration. An iteration uses the
 * object that belongs to it and those of so many iterations before and after it. */
typedef struct myr_window {
  myr_region region;
  unsigned mode; /* MYR_IN, MYR_OUT or MYR_INOUT, and MYR_NOTRANSFER */
  void* const* objects;
  size_t count;
  ptrdiff_t first;
  size_t before, after;
} myr_window;

/* A loop as tasks: its iterations begin..end-1, cut into parts where that pays. */
typedef struct myr_loop {
  size_t begin, end;
  /* So few iterations may become a task. 0: what takes some microseconds, found by measuring. */
  size_t grain;
  /* Runs some of the iterations, in order, on several threads at once. Not 0: it has failed (see
   * myr_task_failed()), and what is left of its part is skipped. */
  int (*run)(void* data, size_t begin, size_t end);
  /* What these iterations use: writes so many accesses and returns how many, or only that with
   * accesses == NULL. What a part of some iterations uses lies inside of what they use. */
  size_t (*footprint)(const void* data, size_t begin, size_t end, myr_access* accesses);
  void (*destroy)(void* data); /* called when no iteration is left; NULL: nothing to do */
  void* data;
  /* The footprint once more, if windows can tell all of it: schedulers of simulated chips,
   * `tree` and `mpi` then get the loop with one message, and cut it where the regions are. A part
   * holds what the windows say. None: parts are spawned. */
  const myr_window* windows;
  size_t window_count;
  /* So many bytes of `data` are all that run() looks at, and no more than bytes: other processes
   * can be given copies. 0: all parts run in this one. */
  size_t data_bytes;
} myr_loop;
/* Spawns the loop; `loop` itself is copied. Use myr_for(). */
MYR_API void myr_for_at(const myr_loop* loop, const myr_site* site);

/* For programs that check what their loops use (MYR_CHECKED): an iteration uses an element that is
 * outside of the part from..to-1 which the access at `site` declares for it. */
MYR_API void myr_outside_part_at(size_t element, size_t from, size_t to, const myr_site* site);

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
#define MYR_CANCELLED ((const myr_access*)UINTPTR_MAX)
typedef void (*myr_body)(void* closure, const myr_access* accesses);
MYR_API myr_draft myr_draft_new_at(size_t closure_bytes, size_t access_count, const myr_site* site);
/* Between the two calls, if at all. Of the tasks that are ready, workers run those with a higher
 * priority first; 0, the default, and less: with the others. A wish, which changes no result: smp
 * obeys it, other machines do not. Cost: a lock when the task becomes ready, and when it begins. */
MYR_API void myr_draft_priority(myr_draft draft, int priority);
/* The same: the closure is more than its bytes, which another process could be given. The task then
 * runs in the process that spawns it, on machines of several. Cost: a call. */
MYR_API void myr_draft_keep_here(myr_draft draft);
/* The same, but another process can be given it: by its bytes, and by what it saves beside them.
 * `kind` is a constant of the program. */
typedef struct myr_closure_kind {
  /* `image` is a copy of the closure's bytes; what these do not tell becomes 0 there, and
   * put(to, ...) is called with what does. Not 0: it cannot be saved; then the task stays. */
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
 * and destroys the closure; it runs, too, if `first` has failed or was cancelled. What `first` is
 * given as its closure is a pointer to the draft's. Where one task does as well, `whole` is all of
 * it. */
typedef struct myr_two_bodies {
  myr_body whole, first, second;
} myr_two_bodies; /* a constant of the program */
MYR_API void myr_submit_two_at(myr_draft draft, const myr_two_bodies* bodies, size_t last_count,
                               const myr_site* site);
/* An exception on its way from a task to a wait. Only the program's own code looks into the object;
 * the library, which may use a different C++ library, calls the functions that come with it. */
typedef struct myr_exception_kind {
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
/* Who is told, in place of the spawner's next myr_wait_all(), that events of a task have failed:
 * take(taker, exception) is called when all are over, before the task ends, perhaps on another
 * thread. Not 0: the exception is its own from now on. */
typedef struct myr_failure_taker {
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
 * spawns here: as which nobody loses it. */
MYR_API void myr_pass_on_at(myr_exception exception, const myr_site* site);
/* For a front end after a wait for all tasks: what to rethrow. It is the caller's from now on. */
MYR_API myr_exception myr_take_failure(void);

#ifdef __cplusplus
#define MYR_SITE_                                                   \
  ([](const char* function) noexcept -> const myr_site* {           \
    static const myr_site site = {__FILE__, function, __LINE__, 0}; \
    return &site;                                                   \
  }(__func__))
#else
#define MYR_SITE_                                                  \
  (__extension__({                                                 \
    static const myr_site myr_site_ = {__FILE__, "", __LINE__, 0}; \
    &myr_site_;                                                    \
  }))
#endif

/* Creates a region inside `parent`. `level_hint`: how deep in the machine's scheduler tree it
 * should live; 0 as low as possible, 99 as high as possible; no effect on smp. */
#define myr_region_new(parent, level_hint) myr_region_new_at((parent), (level_hint), MYR_SITE_)
/* Frees a region with all its objects and sub-regions, after the tasks that use them; of
 * MYR_NO_REGION nothing. Once the machine has ended, all is free: it and myr_free() do nothing. */
#define myr_region_free(region) myr_region_free_at((region), MYR_SITE_)
/* Tasks that use the region, or something in it, and have not begun need not run any more, nor do
 * those that are spawned from now on: they end in their turn without their functions being called,
 * until the region is freed. Any task may call it, not only one that holds the region. See
 * docs/semantics.md, Cancelling. */
#define myr_region_cancel(region) myr_region_cancel_at((region), MYR_SITE_)
/* On a machine of several processes (`mpi`): objects in the region hold addresses of memory that is
 * in no region. Tasks that name the region, or one around it, from now on run in this process. Main
 * calls it before it spawns tasks that make such objects; a task may for regions that it makes
 * itself. No effect on other machines. */
#define myr_region_keep_here(region) myr_region_keep_here_at((region), MYR_SITE_)
/* Allocates an object, aligned to 64 bytes. 0 bytes: NULL. */
#define myr_alloc(bytes, region) myr_alloc_at((bytes), (region), MYR_SITE_)
/* Allocates `count` objects of one size into objects[0..count). */
#define myr_alloc_many(bytes, region, count, objects) \
  myr_alloc_many_at((bytes), (region), (count), (void**)(objects), MYR_SITE_)
/* Allocates an array that is divided into blocks, of a power of two of at least 64 bytes: tasks
 * conflict that use the same block of it, also where they use different bytes. An access to some
 * blocks then costs about as much as one to so many objects. See docs/semantics.md, Blocks. */
#define myr_alloc_blocks(bytes, block_bytes, region) \
  myr_alloc_blocks_at((bytes), (block_bytes), (region), MYR_SITE_)
/* Changes an object's size or region, and may move it; NULL allocates, 0 bytes frees and returns
 * NULL. */
#define myr_realloc(object, bytes, region) myr_realloc_at((object), (bytes), (region), MYR_SITE_)
/* Frees an object, after the tasks that use it. NULL: nothing. */
#define myr_free(object) myr_free_at((object), MYR_SITE_)
/* On a machine of several processes (`mpi`): what a global or static variable holds now, all of
 * them know from here on. For what is set up before the first spawn, and only read by tasks, which
 * need not declare it. No effect on other machines. Cost: a message to each process and back. */
#define myr_publish(first, bytes) myr_publish_at((first), (bytes), MYR_SITE_)
/* Spawns a task: function(accesses) will run after all earlier tasks that it depends on. */
#define myr_spawn(function, accesses, count) \
  myr_spawn_at((function), (accesses), (count), MYR_SITE_)
/* The same with a priority: see myr_draft_priority(). */
#define myr_spawn_priority(function, accesses, count, priority) \
  myr_spawn_priority_at((function), (accesses), (count), (priority), MYR_SITE_)
/* Spawns a loop: its iterations run as they would one after the other, as far as they use the same
 * memory, and otherwise at once (docs/user/loops.md). */
#define myr_for(loop) myr_for_at((loop), MYR_SITE_)
/* Waits until the caller may use the given memory again in the given way. */
#define myr_wait(accesses, count) myr_wait_at((accesses), (count), MYR_SITE_)
/* Waits for all tasks that the caller has spawned, and for all that those have spawned. */
#define myr_wait_all() myr_wait_all_at(MYR_SITE_)
/* In a task: a new event. The task is over when its function has returned and its events are
 * completed; then whoever waits for it goes on. Cost: a lock. */
#define myr_event_new() myr_event_new_at(MYR_SITE_)
/* The event has happened; each does once. Any thread. What the caller has written before is visible
 * to those that wait for the task. */
#define myr_event_complete(event) myr_event_complete_at((event), MYR_SITE_)
/* A new recording. One task uses it, for one step of its own. */
#define myr_recording_new() myr_recording_new_at(MYR_SITE_)
/* Waits for the tasks of the step that are still running, and forgets it. NULL: nothing. */
#define myr_recording_free(recording) myr_recording_free_at((recording), MYR_SITE_)
/* Around the spawns of the step, each time. A task has one step under way at a time.
 * Cost of a spawn in between: a comparison with the record. */
#define myr_step_begin(recording) myr_step_begin_at((recording), MYR_SITE_)
#define myr_step_end(recording) myr_step_end_at((recording), MYR_SITE_)

#ifdef __cplusplus
}
#endif
#endif
