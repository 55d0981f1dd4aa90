/* SPDX-License-Identifier: Apache-2.0 */
#include "depend.h"

/* Not between what is hot in programs without dependences (link.ld). */
#define APART __attribute__((noinline))

enum { ACCESSES = 256, BUCKETS = 64 };

struct access {
  struct access* more; /* of the same task, or that is free */
  struct access* next; /* in the place's queue */
  struct place* place;
  struct task* task;
  bool writes;
};

struct place {
  struct place* next; /* in its bucket, or that is free */
  struct task* parent;
  uintptr_t address;
  struct access *first, *last; /* that wait */
  unsigned granted;            /* to tasks that have not ended */
  bool writing;                /* the one that is granted writes */
};

/* All of this is for the core that has the lock. There are as many places as accesses, so these
 * alone can run out. */
static lock_t lock;
static struct access accesses[ACCESSES];
static struct place places[ACCESSES];
static struct place* buckets[BUCKETS];
static struct access* free_access;
static struct place* free_place;
static unsigned in_use; /* accesses */

/* What a task names; first what it writes. */
struct list {
  unsigned count, writes;
  void** addresses;
};

/* gcc puts the numbers in front; a first one of 0 says that there are kinds of writing. */
RARE static struct list read_long_list(void** words) {
  const unsigned count = (uintptr_t)words[1];
  const unsigned writes = (uintptr_t)words[2] + (uintptr_t)words[3];
  if (count != writes + (uintptr_t)words[4]) fail("a dependence object among", count);
  return (struct list){count, writes, words + 5};
}
static struct list read_list(void** words) {
  if (words[0] == NULL) return read_long_list(words);
  return (struct list){(uintptr_t)words[0], (uintptr_t)words[1], words + 2};
}

/* Those that never were used. */
RARE static struct access* another_access(void) {
  static unsigned made;
  return &accesses[made++];
}
RARE static struct place* another_place(void) {
  static unsigned made;
  return &places[made++];
}

static struct access* new_access(void) {
  in_use += 1;
  struct access* const access = free_access;
  if (access == NULL) return another_access();
  free_access = access->more;
  return access;
}

static struct place** bucket_of(uintptr_t address) {
  return &buckets[(address >> 2 ^ address >> 8) % BUCKETS];
}

static struct place* place_of(struct task* parent, uintptr_t address) {
  struct place** const bucket = bucket_of(address);
  for (struct place* place = *bucket; place != NULL; place = place->next) {
    if (place->address == address && place->parent == parent) return place;
  }
  struct place* place = free_place;
  if (place == NULL) {
    place = another_place();
  } else {
    free_place = place->next;
  }
  *place = (struct place){*bucket, parent, address, NULL, NULL, 0, false};
  *bucket = place;
  return place;
}

static void remove_place(struct place* place) {
  struct place** link = bucket_of(place->address);
  while (*link != place) link = &(*link)->next;
  *link = place->next;
  place->next = free_place;
  free_place = place;
}

/* An address may be named twice; what is written comes first, and counts. */
static void add_access(struct task* task, uintptr_t address, bool writes) {
  struct place* const place = place_of(task->parent, address);
  for (const struct access* other = task->accesses; other != NULL; other = other->more) {
    if (other->place == place) return;
  }
  struct access* const access = new_access();
  *access = (struct access){task->accesses, NULL, place, task, writes};
  task->accesses = access;
  if (place->granted == 0 || (place->first == NULL && !writes && !place->writing)) {
    place->granted += 1;
    place->writing = writes;
    return;
  }
  task->waits += 1;
  if (place->first == NULL) {
    place->first = access;
  } else {
    place->last->next = access;
  }
  place->last = access;
}

APART bool task_add_after(struct task* task, void** dependences) {
  const struct list list = read_list(dependences);
  lock_take(&lock);
  const bool room = list.count <= ACCESSES - in_use;
  if (room) {
    task->waits = 0;
    for (unsigned i = 0; i < list.count; ++i)
      add_access(task, (uintptr_t)list.addresses[i], i < list.writes);
    task_add(task, task->waits == 0);
  }
  lock_give(&lock);
  return room;
}

static void end_access(struct place* place) {
  place->granted -= 1;
  if (place->granted != 0) return;
  struct access* access = place->first;
  if (access == NULL) {
    remove_place(place);
    return;
  }
  place->writing = access->writes;
  do {
    place->granted += 1;
    place->first = access->next;
    access->task->waits -= 1;
    if (access->task->waits == 0) task_push(access->task);
    access = place->first;
  } while (!place->writing && access != NULL && !access->writes);
}

APART void task_release(struct task* task) {
  lock_take(&lock);
  for (struct access* access = task->accesses; access != NULL;) {
    struct access* const more = access->more;
    end_access(access->place);
    access->more = free_access;
    free_access = access;
    in_use -= 1;
    access = more;
  }
  task->accesses = NULL;
  lock_give(&lock);
}
