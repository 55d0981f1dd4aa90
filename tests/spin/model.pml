// SPDX-License-Identifier: Apache-2.0
//
// The boundary protocol of the tree machines as a Spin model: what deps::QueueTree and
// sched::TaskTable say to each other across schedulers when tasks are spawned (Adopt, Enter), when
// their accesses go down (Arrive) and are granted (Granted), and when they end (Done, EndedBelow,
// Completed). Spin tries all programs and placements of programs.pml, each in every order in which
// channels that keep messages in order can deliver them. The names are those of queue_tree.cpp and
// task_table.cpp; check.py runs it.
//
// What is left out changes no order: workers (a task runs, as its home sees it, from its last grant
// until its home takes notice of its end) and the search for the ways of accesses (spawns happen
// at any time, one after the other, as they do there).
//
// Properties
//   1. If two tasks conflict, and neither is the other's ancestor, the serially later one begins
//      after the other has ended. So they never overlap.
//   2. All tasks complete: nothing is left waiting.
//   3. In the end, all queues are empty and all counters zero.
//   4. Each message finds what it is about: the record of its task, the entry of its access.
//
// LEVELS  2: a scheduler above two others; 3: a chain of three.
// TASKS   2 or 3 besides main, numbered in the order of the serial program.
// Defects that the checker must find, to show that it would find others:
//   DEFECT_A  a spawn makes a detour over the scheduler above (published; a parent's end overtakes
//             its children);
//   DEFECT_B  a child goes down past its elder siblings on the parent's own region (published);
//   DEFECT_LATE_WRITERS  a node gives accesses back only when it is idle: then a task that reads a
//             region and a part of it waits for itself.

#define SCHEDULERS 3
#if LEVELS == 2
#define above(s) 0
#define hop_down(from, to) (to)
#define common(a, b) ((a) == (b) -> (a) : 0)
#define is_below(s, top) ((top) == 0 || (s) == (top))
#else
#define above(s) ((s) - 1)
#define hop_down(from, to) ((from) + 1)
#define common(a, b) ((a) < (b) -> (a) : (b))
#define is_below(s, top) ((s) >= (top))
#endif

// Node 0, the root, has region 1 inside, which has parts 2 and 3.
#define NODES 4
#define around(n) ((n) < 2 -> 0 : 1)
#define next_on_way(n, target) ((n) == 0 -> 1 : (target))
#define is_within(n, outer) ((n) == (outer) || (outer) == 0 || ((outer) == 1 && (n) > 1))

#define None 0
#define Read 1
#define Write 2

// ---- the program, chosen in the beginning

#define MAIN 0
byte parent[TASKS + 1];
byte modes[(TASKS + 1) * NODES];
#define mode(t, n) modes[(t) * NODES + (n)]
bool is_wait[TASKS + 1];  // its parent waits for these accesses; nothing runs
bool parts_first;         // order of the accesses of one task
byte owner[NODES];        // scheduler of each node

// ---- the state of the schedulers

typedef Entry {
  byte task;
  byte target;
  bool granted
};
#define QUEUE_MAX (2 * TASKS + 1)
typedef Node {
  Entry queue[QUEUE_MAX];
  byte length;
  byte below[3];  // by mode
  byte from_above[3]
};
Node node[NODES];

typedef Record {
  bool exists;
  byte missing;   // accesses not granted
  byte spawned;   // the last child
  byte children;  // spawned and not complete
  bool waits;     // in a wait
  bool has_begun;
  bool has_ended
};
Record record[TASKS + 1];
byte home[TASKS + 1];

// WritersEnded is EndedBelow of writers, with as many reads begun.
mtype = { Step, Adopt, Enter, Arrive, EndedBelow, WritersEnded, Granted, Done, Completed };
// Receiver, kind, task and target (of what has ended: reads and writes), node that has to act.
#define MESSAGE byte, mtype, byte, byte, byte
#define CHANNEL_MAX (3 * TASKS)  // all spawns at once; a send that had to wait would be an error
chan up[SCHEDULERS] = [CHANNEL_MAX] of { MESSAGE };
chan down[SCHEDULERS] = [CHANNEL_MAX] of { MESSAGE };
chan own = [CHANNEL_MAX + 1] of { MESSAGE };  // of the scheduler that acts; then handled at once

// Values inside one step only.
hidden byte i, j, x, here, count, reads, writes, begun, child, start, whose, lowest, uses;
hidden byte flag, busy, goes_down;  // true or false: Spin hides no bits

inline send(receiver, what, one, two, n) {
  if
  :: receiver == me -> own!receiver, what, one, two, n
  :: receiver != me && is_below(receiver, me) ->
     down[hop_down(me, receiver)]!receiver, what, one, two, n
  :: else -> up[me]!receiver, what, one, two, n
  fi
}

#include "queue_tree.pml"
#include "task_table.pml"
#include "programs.pml"

// ---- sched::Scheduler

// The message that is being handled.
byte to, task, target, at;
mtype kind;
#define message to, kind, task, target, at

inline dispatch() {
  if
  :: kind == Step -> step(task)
  :: kind == Adopt -> record[task].exists = true
  :: kind == Enter || kind == Arrive ->
     if
#ifdef DEFECT_A
     :: kind == Enter && owner[at] != me ->  // back down
        send(owner[at], Enter, task, target, at);
        goes_down = false
#endif
     :: kind == Enter && owner[at] == me -> enter(at, task, target)
     :: kind == Arrive -> stop_at(at, task, target)
     fi;
     if
     :: goes_down -> go_down(at, task, target)
     :: else
     fi
  :: kind == EndedBelow || kind == WritersEnded || kind == Done ->
     if
     :: kind == Done ->
        find_granted(at, task);
        remove(at, count)
     :: kind == EndedBelow -> take_back(at, task, target, 0)
     :: kind == WritersEnded -> take_back(at, task, target, target)
     fi;
     wake(at)
  :: kind == Granted -> when_granted(task)
  :: kind == Completed -> when_completed(parent[task])
  fi
}

inline handle() {
  d_step {
    do
    :: to != me -> send(to, kind, task, target, at); break
    :: else ->
       dispatch();
       if
       :: nempty(own) -> own?message
       :: empty(own) -> break
       fi
    od;
    to = 0; kind = 0; task = 0; target = 0; at = 0
  }
}

#define can_step(t) (home[t] == me && record[t].has_begun && !record[t].has_ended && \
                     !record[t].waits)
#define choose_step(t) can_step(t) -> to = me; kind = Step; task = t

proctype Scheduler(byte me) {
end:
  do
  :: atomic {
       if
       :: me != 0 && nempty(down[me]) -> down[me]?message
       :: above(1) == me && nempty(up[1]) -> up[1]?message
       :: above(2) == me && nempty(up[2]) -> up[2]?message
       :: choose_step(0)
       :: choose_step(1)
       :: choose_step(2)
#if TASKS > 2
       :: choose_step(3)
#endif
       fi;
       handle()
     }
  od
}

inline check_end() {
  for (t : MAIN .. TASKS) {
    assert(record[t].has_ended && !record[t].exists && record[t].children == 0)
  }
  for (n : 0 .. NODES - 1) {
    assert(node[n].length == 0);
    for (m : Read .. Write) {
      assert(node[n].below[m] == 0 && node[n].from_above[m] == 0)
    }
  }
}

init {
  byte t, n, m;
  bool is_legal;
  atomic {
    mode(MAIN, 0) = Write;
    record[MAIN].exists = true;
    record[MAIN].has_begun = true;
    entry(0, 0).granted = true;
    node[0].length = 1;
    choose_owners();
    for (t : 1 .. TASKS) {
      choose_parent(t);
      choose_accesses(t);
      check_cover(t);
      if
      :: !is_legal -> goto end_no_program
      :: is_legal -> is_wait[t] = false
      :: is_legal -> is_wait[t] = true
      fi
    }
    n = 0;
    run Scheduler(0);
    run Scheduler(1);
    run Scheduler(2)
  }
  timeout;
  d_step { check_end() }
end_no_program: skip
}
