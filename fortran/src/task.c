/* SPDX-License-Identifier: Apache-2.0
 *
 * Spawns and loops. Procedures with the argument `body` are called as gfortran calls external ones,
 * with an underscore behind their names: a dummy procedure of any interface cannot be one of
 * bind(c). All arguments of a body are addresses: of an array's descriptor, as bind(c) has it, or
 * of a scalar.
 */
#include "task.h"

#include <stdlib.h>
#include <string.h>

#include "access.h"
#include "report.h"

enum { kArguments = 16, kFirst = 6 };
typedef void (*function)(void);
#define P void*
typedef void (*few_words)(P, P, P, P, P, P);
typedef void (*all_words)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P);
#undef P

/* Behind it its arguments, and what they lead to. */
typedef struct closure {
  function body;
  size_t count;
  fortran_argument arguments[];
} closure;

/* A procedure does not mind words that it has no dummy arguments for. */
static void call(function body, void** w, size_t count) {
  if (count <= kFirst) {
    ((few_words)body)(w[0], w[1], w[2], w[3], w[4], w[5]);
  } else {
    ((all_words)body)(w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11],
                      w[12], w[13], w[14], w[15], w[16], w[17]);
  }
}

static void run(void* data, const myr_access* accesses) {
  closure* const task = (closure*)data;
  if (accesses == MYR_CANCELLED) return;
  void* words[kArguments + 2] = {NULL};
  for (size_t i = 0; i < task->count; ++i) {
    const fortran_argument argument = task->arguments[i];
    words[i] = argument.address != NULL ? argument.address : (char*)data + argument.position;
  }
  call(task->body, words, task->count);
}

static size_t head_bytes(size_t count) {
  return (sizeof(closure) + count * sizeof(fortran_argument) + 15) & ~(size_t)15;
}

/* Those that are not there are the last. */
static size_t count_of(const fortran_access* const* list) {
  size_t count = 0;
  while (count < kArguments && list[count] != NULL) ++count;
  return count;
}

static void spawn(function body, const int* priority, const fortran_access* const* list,
                  const void* caller) {
  const myr_site* const site = fortran_site(caller);
  const size_t count = count_of(list);
  size_t pieces = 0;
  size_t bytes = head_bytes(count);
  for (size_t i = 0; i < count; ++i) {
    if (list[i]->is_part != 0)
      fortran_refuse_at(site, "myr_part() is for loops; a task takes a section of the array");
    pieces += fortran_count_pieces(list[i], site);
    bytes += fortran_stored_bytes(list[i]);
  }
  const myr_draft draft = myr_draft_new_at(bytes, pieces, site);
  closure* const task = (closure*)draft.closure;
  task->body = body;
  task->count = count;
  size_t position = head_bytes(count);
  myr_access* access = draft.accesses;
  for (size_t i = 0; i < count; ++i) {
    access += fortran_write_pieces(list[i], access);
    task->arguments[i] = fortran_store(list[i], task, position);
    position += fortran_stored_bytes(list[i]);
  }
  if (priority != NULL && *priority != 0) myr_draft_priority(draft, *priority);
  myr_submit_at(draft, run, site);
}

#define A const fortran_access*
#define PARAMETERS                                                                                \
  A a1, A a2, A a3, A a4, A a5, A a6, A a7, A a8, A a9, A a10, A a11, A a12, A a13, A a14, A a15, \
      A a16
#define LIST {a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16}

void myr_spawn_(function body, PARAMETERS, const int* priority) {
  const fortran_access* const list[] = LIST;
  spawn(body, priority, list, CALLER);
}

/* What a loop is made of, until its last iteration is over. */
typedef struct loop {
  function body;
  int64_t first; /* the iteration 0 of myr_loop */
  const myr_site* site;
  size_t count;
  fortran_access accesses[];
} loop;

static int run_loop(void* data, size_t begin, size_t end) {
  const loop* const of = (const loop*)data;
  int first = (int)(of->first + (int64_t)begin);
  int last = (int)(of->first + (int64_t)end - 1);
  void* words[kArguments + 2] = {&first, &last};
  fortran_access copies[kArguments]; /* a body may change a value of its own */
  for (size_t i = 0; i < of->count; ++i) {
    copies[i] = of->accesses[i];
    switch (copies[i].kind) {
      case FORTRAN_ARRAY:
        words[i + 2] = &copies[i].array;
        break;
      case FORTRAN_ADDRESS:
        words[i + 2] = copies[i].address;
        break;
      case FORTRAN_REGION:
        words[i + 2] = &copies[i].region;
        break;
      default:
        copies[i].array.base_addr = copies[i].value;
        words[i + 2] = copies[i].array.rank == 0 ? (void*)copies[i].value : &copies[i].array;
        break;
    }
  }
  call(of->body, words, of->count + 2);
  return 0;
}

static size_t loop_footprint(const void* data, size_t begin, size_t end, myr_access* accesses) {
  const loop* const of = (const loop*)data;
  const int64_t first = of->first + (int64_t)begin;
  size_t count = 0;
  for (size_t i = 0; i < of->count; ++i) {
    const fortran_access* access = &of->accesses[i];
    fortran_access part;
    if (access->is_part != 0) {
      part = fortran_part(access, first, first + (int64_t)(end - begin) - 1);
      access = &part;
    }
    count += accesses == NULL ? fortran_count_pieces(access, of->site)
                              : fortran_write_pieces(access, accesses + count);
  }
  return count;
}

/* Iteration i uses the elements i of its parts: are there such? */
static void check_parts(const loop* of, int64_t last) {
  for (size_t i = 0; i < of->count; ++i) {
    const fortran_access* const access = &of->accesses[i];
    if (access->is_part == 0) continue;
    const CFI_dim_t dim = access->array.dim[access->array.rank - 1];
    const int64_t upper = dim.lower_bound + dim.extent - 1;
    if (of->first < dim.lower_bound || last > upper) {
      fortran_refuse_at(of->site,
                        "the loop runs from %lld to %lld, but the last dimension of the array of "
                        "its access %zu from %lld to %lld",
                        (long long)of->first, (long long)last, i + 1, (long long)dim.lower_bound,
                        (long long)upper);
    }
  }
}

void myr_for_(function body, const int* first, const int* last, PARAMETERS, const int* grain) {
  const fortran_access* const list[] = LIST;
  const myr_site* const site = fortran_site(CALLER);
  const size_t count = count_of(list);
  if (*last < *first) return;
  loop* const of = (loop*)malloc(sizeof(loop) + count * sizeof(fortran_access));
  if (of == NULL) fortran_refuse_at(site, "no memory for a loop");
  *of = (loop){.body = body, .first = *first, .site = site, .count = count};
  for (size_t i = 0; i < count; ++i) of->accesses[i] = *list[i];
  check_parts(of, *last);
  const myr_loop tasks = {.size = sizeof(myr_loop),
                          .begin = 0,
                          .end = (size_t)((int64_t)*last - *first + 1),
                          .grain = grain == NULL || *grain < 0 ? 0 : (size_t)*grain,
                          .run = run_loop,
                          .footprint = loop_footprint,
                          .destroy = free,
                          .data = of};
  myr_for_at(&tasks, site);
}

/* Waits until the caller may use what the accesses say, or only asks. */
static int wait_for(const fortran_access* const list[4], int may_wait, const void* caller) {
  const myr_site* const site = fortran_site(caller);
  myr_access few[8];
  size_t pieces = 0;
  for (size_t i = 0; i < 4 && list[i] != NULL; ++i) pieces += fortran_count_pieces(list[i], site);
  myr_access* const all = pieces <= 8 ? few : (myr_access*)malloc(pieces * sizeof *all);
  if (all == NULL) fortran_refuse_at(site, "no memory for the accesses of a wait");
  myr_access* behind = all;
  for (size_t i = 0; i < 4 && list[i] != NULL; ++i) behind += fortran_write_pieces(list[i], behind);
  int is_ready = 1;
  if (may_wait) {
    myr_wait_at(all, pieces, site);
  } else {
    is_ready = myr_wait_for_at(0, all, pieces, site);
  }
  if (all != few) free(all);
  return is_ready;
}

void myr_fortran_wait(A a1, A a2, A a3, A a4) {
  const fortran_access* const list[] = {a1, a2, a3, a4};
  wait_for(list, 1, CALLER);
}

_Bool myr_fortran_is_ready(A a1, A a2, A a3, A a4) {
  const fortran_access* const list[] = {a1, a2, a3, a4};
  return wait_for(list, 0, CALLER) != 0;
}

void myr_fortran_wait_all(int* stat, const CFI_cdesc_t* message) {
  const myr_site* const site = fortran_site(CALLER);
  myr_wait_all_at(site);
  fortran_take_failure(stat, message, site);
}
