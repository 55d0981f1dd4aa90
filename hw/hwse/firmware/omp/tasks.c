/* SPDX-License-Identifier: Apache-2.0 */
#include "tasks.h"

#include "depend.h"

__thread struct task* current_task;
struct task implicit_tasks[CORES_MAX];
static __thread unsigned depth;

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
  task->body = call->body;
  task->parent = current_task;
  task->group = current_task->group;
  task->accesses = NULL;
  copy_argument(task->argument, call);
}

static void group_add(struct group* group, int tasks) {
  if (group == NULL) return;
  lock_take(&group->lock);
  group->pending += (unsigned)tasks;
  lock_give(&group->lock);
}

bool task_init(const struct call* call) {
  struct task* const task = task_new();
  if (task == NULL) return false;
  fill(task, call);
  group_add(task->group, 1);
  task_add(task, true);
  return true;
}

/* Where there is no room, there will be when earlier tasks have ended; if none of these is a
 * sibling, the new one waits for nobody, and others have the room. */
bool task_init_after(const struct call* call, void** dependences) {
  for (;;) {
    struct task* const task = task_new();
    if (task != NULL) {
      fill(task, call);
      group_add(task->group, 1);
      if (task_add_after(task, dependences)) return true;
      group_add(task->group, -1);
      task_drop(task);
    }
    if (!task_has_children()) return false;
    if (!task_run()) pause_briefly();
  }
}

bool task_run(void) {
  enum { STACK_BYTES = 4096, LEFT_AT_LEAST = 512 }; /* as link.ld has it */
  struct task* const task = task_pop();
  if (task == NULL) return false;
  const unsigned left = (unsigned)__builtin_frame_address(0) % STACK_BYTES;
  if (left < LEFT_AT_LEAST) fail("tasks fill the stack of core", core_index());
  struct task* const outer = current_task;
  current_task = task;
  depth += 1;
  task->body(task->argument);
  depth -= 1;
  current_task = outer;
  struct group* const group = task->group;
  if (task->accesses != NULL) task_release(task);
  task_end(task);
  group_add(group, -1);
  return true;
}

void task_wait(void) {
  while (task_has_children()) {
    if (!task_run()) pause_briefly();
  }
}

unsigned task_depth(void) { return depth; }

void group_open(struct group* group) {
  *group = (struct group){0, 0, current_task->group};
  current_task->group = group;
}

void group_wait(struct group* group) {
  while (read_word((uintptr_t)&group->pending) != 0) {
    if (!task_run()) pause_briefly();
  }
}

/* Whoever ended the last task has let go of the lock when it can be taken. */
void group_close(struct group* group) {
  group_wait(group);
  lock_take(&group->lock);
  current_task->group = group->outer;
}
