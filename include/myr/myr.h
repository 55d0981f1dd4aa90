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
#include <myr/version.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MYR_API __attribute__((visibility("default")))
#define MYR_EXIT_MISUSE 70 /* exit status after a reported misuse or a machine that cannot start */

/* A region: a growable pool of objects and sub-regions. 0 is the root region, owned by main. */
typedef uint64_t myr_region;
#define MYR_ROOT UINT64_C(0)
/* No region: declares nothing as an access, as NULL does; freeing it does nothing. */
#define MYR_NO_REGION UINT64_MAX

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
#define MYR_BYTES_MAX UINT64_C(0xffffffffffff) /* a range of this length or more is a misuse */

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
#ifdef __cplusplus
  access.address = const_cast<void*>(address);
#else
  access.address = (void*)(uintptr_t)address;
#endif
  access.bytes = (bytes < MYR_BYTES_MAX ? bytes : MYR_BYTES_MAX) & MYR_BYTES_MAX;
  access.flags = flags & 0xffff;
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
/* MYR_VERSION of the library that runs, which may be newer than these headers. */
MYR_API unsigned myr_version(void);
/* Text of a code returned by myr_init(); never NULL. */
MYR_API const char* myr_error_text(int code);

/* Index of the worker that runs the caller, from 0, and the number of workers. */
MYR_API unsigned myr_worker_index(void);
MYR_API unsigned myr_worker_count(void);

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
/* NULL if there is no memory. `block_bytes` 0: not in blocks. No handler can ignore anything else
 * that is wrong. */
MYR_API void* myr_try_alloc_at(size_t bytes, size_t block_bytes, myr_region region,
                               const myr_site* site);
MYR_API void myr_alloc_many_at(size_t bytes, myr_region region, size_t count, void** objects,
                               const myr_site* site);
MYR_API void* myr_alloc_blocks_at(size_t bytes, size_t block_bytes, myr_region region,
                                  const myr_site* site);
MYR_API void* myr_realloc_at(void* object, size_t bytes, myr_region region, const myr_site* site);
MYR_API void myr_free_at(void* object, const myr_site* site);
MYR_API void myr_publish_at(const void* first, size_t bytes, const myr_site* site);
MYR_API void myr_spawn_at(myr_function function, const myr_access* accesses, size_t count,
                          const myr_site* site);
MYR_API void myr_spawn_priority_at(int priority, myr_function function, const myr_access* accesses,
                                   size_t count, const myr_site* site);
MYR_API void myr_spawn_later_at(myr_function function, const myr_access* accesses, size_t count,
                                const myr_site* site);
MYR_API void myr_wait_at(const myr_access* accesses, size_t count, const myr_site* site);
MYR_API int myr_wait_for_at(uint64_t timeout_ns, const myr_access* accesses, size_t count,
                            const myr_site* site);
MYR_API void myr_wait_all_at(const myr_site* site);
MYR_API myr_event myr_event_new_at(const myr_site* site);
MYR_API void myr_event_complete_at(myr_event event, const myr_site* site);

MYR_API myr_recording myr_recording_new_at(const myr_site* site);
MYR_API void myr_recording_free_at(myr_recording recording, const myr_site* site);
MYR_API void myr_step_begin_at(myr_recording recording, const myr_site* site);
MYR_API void myr_step_end_at(myr_recording recording, const myr_site* site);

struct myr_window; /* of frontend.h */

/* A loop as tasks: its iterations begin..end-1, cut into parts where that pays. */
typedef struct myr_loop {
  size_t size; /* sizeof(myr_loop); later versions have more members behind these */
  size_t begin, end;
  /* The fewest iterations that may become a task. 0: what takes some microseconds, found by
     measuring. */
  size_t grain;
  /* Runs some of the iterations, in order, on several threads at once. Not 0: it has failed (see
   * myr_task_failed()), and what is left of its part is skipped. */
  int (*run)(void* data, size_t begin, size_t end);
  /* What these iterations use: writes the accesses and returns how many they are, or only that with
   * accesses == NULL. What a part of some iterations uses lies inside of what they use. */
  size_t (*footprint)(const void* data, size_t begin, size_t end, myr_access* accesses);
  void (*destroy)(void* data); /* called when no iteration is left; NULL: nothing to do */
  void* data;
  /* The footprint once more, if windows can tell all of it: schedulers of simulated chips,
   * `tree` and `mpi` then get the loop with one message, and cut it where the regions are. A part
   * holds what the windows say. None: parts are spawned. */
  const struct myr_window* windows;
  size_t window_count;
  /* run() looks at these first bytes of `data` alone, and they are no more than bytes: other
   * processes can be given copies. 0: all parts run in this one. */
  size_t data_bytes;
} myr_loop;
/* Spawns the loop; `loop` itself is copied. Use myr_for(). */
MYR_API void myr_for_at(const myr_loop* loop, const myr_site* site);

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
/* Calls a function with an array of the accesses, how many they are, and the place. */
#define MYR_LIST_(...) const myr_access myr_list_[] = {{{NULL}, 0, 0}, __VA_ARGS__}
#define MYR_LISTED_ myr_list_ + 1, sizeof myr_list_ / sizeof *myr_list_ - 1, MYR_SITE_
#define MYR_SPAWN_(function, ...)          \
  (__extension__({                         \
    MYR_LIST_(__VA_ARGS__);                \
    myr_spawn_at((function), MYR_LISTED_); \
  }))
#define MYR_SPAWN_LATER_(function, ...)          \
  (__extension__({                               \
    MYR_LIST_(__VA_ARGS__);                      \
    myr_spawn_later_at((function), MYR_LISTED_); \
  }))
#define MYR_SPAWN_PRIORITY_(priority, function, ...)            \
  (__extension__({                                              \
    MYR_LIST_(__VA_ARGS__);                                     \
    myr_spawn_priority_at((priority), (function), MYR_LISTED_); \
  }))

/* Each of the following has a function of its name, too, for pointers to it; what that one reports
 * has no place. For calls with accesses, the functions are the ones that take an array. */
MYR_API myr_region myr_region_new(myr_region parent, int level_hint);
MYR_API void myr_region_free(myr_region region);
MYR_API void myr_region_cancel(myr_region region);
MYR_API void myr_region_keep_here(myr_region region);
MYR_API void* myr_alloc(size_t bytes, myr_region region);
MYR_API void myr_alloc_many(size_t bytes, myr_region region, size_t count, void** objects);
MYR_API void* myr_alloc_blocks(size_t bytes, size_t block_bytes, myr_region region);
MYR_API void* myr_realloc(void* object, size_t bytes, myr_region region);
MYR_API void myr_free(void* object);
MYR_API void myr_publish(const void* first, size_t bytes);
MYR_API void myr_spawn_array(myr_function function, const myr_access* accesses, size_t count);
MYR_API void myr_for(const myr_loop* loop);
MYR_API void myr_wait_array(const myr_access* accesses, size_t count);
MYR_API void myr_wait_all(void);
MYR_API myr_event myr_event_new(void);
MYR_API void myr_event_complete(myr_event event);
MYR_API myr_recording myr_recording_new(void);
MYR_API void myr_recording_free(myr_recording recording);
MYR_API void myr_step_begin(myr_recording recording);
MYR_API void myr_step_end(myr_recording recording);

/* Creates a region inside `parent`. `level_hint`: how deep in the machine's scheduler tree it
 * should live; 0 as low as possible, 99 as high as possible; no effect on smp. */
#define myr_region_new(parent, level_hint) myr_region_new_at((parent), (level_hint), MYR_SITE_)
/* Frees a region with all its objects and sub-regions, after the tasks that use them; of
 * MYR_NO_REGION nothing. Once the machine has ended, all is free: this call and myr_free() do
 * nothing. */
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
 * that use the same block of it conflict, also where they use different bytes. An access to some
 * blocks then costs about as much as one to so many objects. See docs/semantics.md, Blocks. */
#define myr_alloc_blocks(bytes, block_bytes, region) \
  myr_alloc_blocks_at((bytes), (block_bytes), (region), MYR_SITE_)
/* Changes an object's size or region, and may move it; NULL allocates, 0 bytes frees and returns
 * NULL. */
#define myr_realloc(object, bytes, region) myr_realloc_at((object), (bytes), (region), MYR_SITE_)
/* Frees an object, after the tasks that use it. NULL: nothing. */
#define myr_free(object) myr_free_at((object), MYR_SITE_)
/* On a machine of several processes (`mpi`): all of them know from here on what a global or static
 * variable holds now. For what is set up before the first spawn, and only read by tasks, which need
 * not declare it. No effect on other machines. Cost: a message to each process and back. */
#define myr_publish(first, bytes) myr_publish_at((first), (bytes), MYR_SITE_)
/* Spawns a task: function(accesses) will run after all earlier tasks that it depends on. It may run
 * in the call, and so may other tasks that are ready.
 *   myr_spawn(add, myr_out(sum), myr_in(a), myr_in(b), myr_value(3)); */
#define myr_spawn(...) MYR_SPAWN_(__VA_ARGS__, )
/* The same for as many accesses as the run wants: myr_spawn_array(function, accesses, count). They
 * are copied. */
#define myr_spawn_array(...) myr_spawn_at(__VA_ARGS__, MYR_SITE_)
/* myr_spawn_priority(priority, function, accesses...): see myr_draft_priority(). */
#define myr_spawn_priority(...) MYR_SPAWN_PRIORITY_(__VA_ARGS__, )
/* myr_spawn() whose call runs no task: see myr_submit_later_at(). */
#define myr_spawn_later(...) MYR_SPAWN_LATER_(__VA_ARGS__, )
/* Spawns a loop: its iterations run as they would one after the other, as far as they use the same
 * memory, and otherwise at once (docs/user/loops.md). */
#define myr_for(loop) myr_for_at((loop), MYR_SITE_)
/* Waits until the caller may use the given memory again in the given way: myr_wait(myr_in(x)). */
#define myr_wait(...)         \
  (__extension__({            \
    MYR_LIST_(__VA_ARGS__);   \
    myr_wait_at(MYR_LISTED_); \
  }))
/* The same for as many accesses as the run wants: myr_wait_array(accesses, count). */
#define myr_wait_array(...) myr_wait_at(__VA_ARGS__, MYR_SITE_)
/* Not 0: the caller may use the memory now, as behind myr_wait(). It does not wait for that; see
 * docs/semantics.md, Questions, for what it may run and where it waits all the same. Cost: that of
 * a spawn, and of a look into a table if the same was asked since the last spawn. */
#define myr_is_ready(...) myr_wait_for(0, __VA_ARGS__)
/* myr_wait_for(nanoseconds, accesses...): the same, at the latest after this time. */
#define myr_wait_for(timeout_ns, ...)           \
  (__extension__({                              \
    MYR_LIST_(__VA_ARGS__);                     \
    myr_wait_for_at((timeout_ns), MYR_LISTED_); \
  }))
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
