/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of myr.h: the process around the tasks. The machine, started by the program rather than by
 * the first call; and what happens when the program uses Myrmidon wrongly, or memory is out.
 */
#ifndef MYR_PROCESS_H
#define MYR_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum myr_error_kind {
  MYR_MISUSE = 1,   /* the call must not be made like this */
  MYR_NO_MEMORY = 2 /* it needs more memory than there is */
};

/* What is wrong with a call. Valid while the handler runs. */
typedef struct myr_error {
  size_t size;      /* of this structure; later versions have more members behind these */
  int kind;         /* enum myr_error_kind */
  int is_final;     /* not 0: the process ends, whatever the handler does */
  const char* file; /* of the call; NULL: unknown */
  unsigned line;
  const char* text; /* what happened, and what to do about it */
} myr_error;

/* What a handler answers, if it returns. */
enum myr_reaction {
  MYR_END = 0,  /* the message is printed, and the process ends with status MYR_EXIT_MISUSE */
  MYR_GO_ON = 1 /* as if the call had not been made; what it returns is NULL, 0 or MYR_NO_REGION.
                 * Calls of which the caller needs what they return, such as the spawns of myr.hpp,
                 * end */
};
/* Called by the thread that has made the call, in a task, too; or by any thread if the error is
 * final. In C++ it may throw, if the error is not final: then the call has no effect, and the
 * exception leaves it. In a task, that is the task's failure. */
typedef int (*myr_error_handler)(const myr_error* error);

/* Returns the handler before; NULL: none, as at the begin. Any thread, any time. With a handler,
 * accesses are looked at twice, which costs a spawn some 300 instructions for each of them.
 *
 * Errors are final if the machine has gone too far to take the call back: what schedulers find, on
 * `tree`, `mpi` and simulated chips; and what is wrong with the process rather than with a call,
 * such as a task that returns while its children use its local variables. */
#define MYR_PROCESS_API __attribute__((visibility("default")))
MYR_PROCESS_API myr_error_handler myr_set_error_handler(myr_error_handler handler);

struct myr_site; /* of myr.h */

/* Is told by the thread that runs a task when its function is called, and when it has returned;
 * between the two the same may happen for others, where the task waits or spawns. `site`: where it
 * was spawned; NULL: unknown. `worker`: as myr_worker_index(). Neither may call Myrmidon, nor
 * throw. With several processes, each is told of the tasks that it runs. Cost of a task: the two
 * calls, and what `--stats` costs, some 100 cycles; small tasks are then queued more often. */
typedef struct myr_observer {
  size_t size; /* sizeof(myr_observer) */
  void (*begin)(void* data, const struct myr_site* site, unsigned worker);
  void (*end)(void* data, const struct myr_site* site, unsigned worker);
  void* data;
} myr_observer;

/* How a machine is to be. Set all to 0, then `size`; later versions have more members behind these.
 * An environment variable that is set overrides what stands here. */
typedef struct myr_config {
  size_t size;                  /* sizeof(myr_config) */
  const char* machine;          /* as MYR_ON; NULL: smp */
  unsigned workers;             /* of smp; 0: one a processor that the process may use */
  int pin;                      /* not 0: each has a processor of its own, as MYR_PIN=cores */
  unsigned stack_mib;           /* of tasks, as MYR_STACK; 0: as it is without */
  uint64_t chaos;               /* a seed for random order, as MYR_CHAOS; 0: none */
  myr_error_handler on_error;   /* as by myr_set_error_handler(), from now on; NULL: as it is */
  const myr_observer* observer; /* of this machine's tasks, as long as it runs; NULL: nobody */
} myr_config;

/* Starts a machine, in any thread. Returns 0, or a negative code for myr_error_text(): the machine
 * cannot start, or one runs already. After myr_finish() another one may be started, as often as
 * wanted. NULL: as the environment says. A forked child's machine is started as its parent's
 * was. */
MYR_PROCESS_API int myr_start(const myr_config* config);

/* What the workers of the machine that runs have counted since it started. Each number is exact
 * when nothing runs, and otherwise as it was a moment ago. */
typedef struct myr_statistics {
  size_t size;       /* sizeof(myr_statistics) */
  uint64_t spawned;  /* tasks */
  uint64_t ran;      /* tasks that have been run, or cancelled before */
  uint64_t linked;   /* how often a task was made to wait for an earlier one */
  uint64_t replayed; /* tasks of recorded steps, whose dependences were known */
  uint64_t steals;   /* how often a worker took tasks from another one */
  uint64_t stolen;   /* tasks that it took */
  uint64_t sleeps;   /* how often a worker went to sleep because nothing was ready */
} myr_statistics;

/* Fills in what `size` has room for. Returns 0, or a negative code for myr_error_text(): no machine
 * runs; or it is one of schedulers, which count when they stop, for `--stats`. Any thread. Cost: a
 * lock, and a few cache lines a worker. */
MYR_PROCESS_API int myr_get_statistics(myr_statistics* statistics);

/* Calls the function in the calling thread. What it spawns, and what is spawned below that, is run
 * by at most `workers` workers at a time, the calling thread among them while it is in the
 * function, unless it is none of the machine's; 0: by all. A task that waits counts as one that
 * runs. Tasks may still be running when this returns, under the same limit. On `tree`, `mpi`,
 * `master` and simulated chips, where schedulers place tasks, nothing is limited. Any thread.
 * Cost: an allocation; and for each of its tasks a lock. */
MYR_PROCESS_API void myr_run_in_arena(unsigned workers, void (*function)(void* argument),
                                      void* argument);

#ifdef __cplusplus
}
#endif
#endif
