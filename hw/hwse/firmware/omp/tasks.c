/* SPDX-License-Identifier: Apache-2.0 */
#include "tasks.h"

#include "depend.h"

__thread struct task* current_task;
struct task implicit_tasks[CORES_MAX];

/* gcc's arguments consist of whole words. */
static void copy_argument(void* to, const struct call* call) {
  if (call->copy != NULL) {
    call->copy(to, (void*)call->argument);
    return;
  }
  for (unsigned i = 0; i < call->bytes; i += 4)
    write_word((uintptr_t)to + i, read_word((uintptr_t)call->argument + i));
}

static void fill(struct task* task, const struct call* call) {
  struct task* const parent = current_task;
  task->body = call->body;
  task->parent = parent;
  task->group = parent->group;
  copy_argument(task->argument, call);
}

RARE static void group_add(struct group* group, int tasks) {
  lock_take(&group->lock);
  group->pending += (unsigned)tasks;
  lock_give(&group->lock);
}

/* A task with dependences for which there was no room. */
RARE static void give_back(struct task* task) {
  if (task->group != NULL) group_add(task->group, -1);
  task_drop(task);
}

/* Where there is no room for a task with dependences, there will be when earlier tasks have ended;
 * if none of these is a sibling, the new one waits for none, and others have the room. */
HOT bool task_init(const struct call* call, void** dependences) {
  for (;;) {
    struct task* const task = task_new();
    if (task != NULL) {
      fill(task, call);
      if (task->group != NULL) group_add(task->group, 1);
      if (dependences == NULL) {
        task_add(task, true);
        return true;
      }
      if (task_add_after(task, dependences)) return true;
      give_back(task);
    }
    if (dependences == NULL || !task_has_children()) return false;
    if (!task_run()) pause_briefly();
  }
}

static void run(struct task* task) {
  struct task* const outer = current_task;
  task->depth = outer->depth + 1;
  current_task = task;
  task->body(task->argument);
  current_task = outer;
  struct group* const group = task->group;
  if (task->accesses != NULL) task_release(task);
  task_end(task);
  if (group != NULL) group_add(group, -1);
}

HOT_CALL bool task_run(void) {
  struct task* const task = task_pop();
  if (task == NULL) return false;
  run(task);
  return true;
}

HOT void task_wait(void) {
  while (task_has_children()) {
    if (!task_run()) pause_briefly();
  }
}

void group_open(struct group* group) {
  *group = (struct group){0, 0, current_task->group};
  current_task->group = group;
}

void group_wait(struct group* group) {
  while (read_word((uintptr_t)&group->pending) != 0) {
    if (!task_run()) pause_briefly();
  }
}

/* The core that ended the last task has let go of the lock when it can be taken. */
void group_close(struct group* group) {
  group_wait(group);
  lock_take(&group->lock);
  current_task->group = group->outer;
}
