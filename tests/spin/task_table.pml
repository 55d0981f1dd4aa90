// SPDX-License-Identifier: Apache-2.0
//
// Part of model.pml: what sched::TaskTable does, and the check that tasks begin in the serial order.

// child = the next one that the task spawns, or more than TASKS
inline find_next_child(t) {
  child = record[t].spawned + 1;
  do
  :: child <= TASKS && parent[child] != t -> child++
  :: else -> break
  od
}

// start = the highest node on the way that the parent holds
inline find_start(t, target_of) {
  start = 0;
  do
  :: mode(parent[t], start) == None -> start = next_on_way(start, target_of)
  :: else -> break
  od
}

inline enter_one(t, target_of) {
  if
  :: mode(t, target_of) != None ->
     find_start(t, target_of);
#ifdef DEFECT_A
     if
     :: me != 0 -> send(above(me), Enter, t, target_of, start)
     :: else -> send(owner[start], Enter, t, target_of, start)
     fi
#else
     send(owner[start], Enter, t, target_of, start)
#endif
  :: else
  fi
}

// lowest = the lowest scheduler with all that the task uses in its subtree; uses = its accesses
inline choose_home(t) {
  lowest = SCHEDULERS;
  uses = 0;
  for (i : 0 .. NODES - 1) {
    if
    :: mode(t, i) != None ->
       lowest = (lowest == SCHEDULERS -> owner[i] : common(lowest, owner[i]));
       uses++
    :: else
    fi
  }
  lowest = (is_wait[t] -> me : lowest)
}

inline launch(t) {
  choose_home(t);
  home[t] = lowest;
  record[t].missing = uses;
  send(lowest, Adopt, t, 0, 0);
  for (i : 0 .. NODES - 1) {
    enter_one(t, (parts_first -> NODES - 1 - i : i))
  }
  record[parent[t]].spawned = t;
  record[parent[t]].children++;
  record[parent[t]].waits = is_wait[t]
}

// A body does what comes next: it spawns a child, or ends.
inline step(t) {
  find_next_child(t);
  if
  :: child <= TASKS -> launch(child)
  :: else -> end_body(t)
  fi
}

inline end_body(t) {
  record[t].has_ended = true;
  for (i : 0 .. NODES - 1) {
    if
    :: mode(t, i) != None -> send(owner[i], Done, t, i, i)
    :: else
    fi
  }
  complete_if_over(t)
}

inline complete_if_over(t) {
  if
  :: record[t].children == 0 && record[t].has_ended ->
     record[t].exists = false;
     if
     :: t != MAIN -> send(home[parent[t]], Completed, t, 0, 0)
     :: else
     fi
  :: else
  fi
}

// flag = t is below the elder one
inline is_descendant(t, elder) {
  here = t;
  do
  :: here > elder -> here = parent[here]
  :: else -> break
  od;
  flag = here == elder
}

// busy = the tasks use the same, and one of them writes
inline are_in_conflict(t, other) {
  busy = false;
  for (i : 0 .. NODES - 1) {
    for (x : 0 .. NODES - 1) {
      busy = busy || ((is_within(i, x) || is_within(x, i)) &&
                      mode(t, i) != None && mode(other, x) != None &&
                      (mode(t, i) == Write || mode(other, x) == Write))
    }
  }
}

inline check_order(t) {
  for (j : 1 .. TASKS) {
    is_descendant(t, j);
    are_in_conflict(t, j);
    if
    :: busy && !flag && j < t -> assert(record[j].has_ended)
    :: busy && j > t -> assert(!record[j].has_begun)
    :: else
    fi
  }
}

// All accesses are granted.
inline begin(t) {
  check_order(t);
  record[t].has_begun = true;
  if
  :: is_wait[t] ->
     record[parent[t]].waits = false;
     end_body(t)
  :: else
  fi
}

inline when_granted(t) {
  assert(record[t].exists);
  record[t].missing--;
  if
  :: record[t].missing == 0 -> begin(t)
  :: else
  fi
}

inline when_completed(t) {
  assert(record[t].exists);
  record[t].children--;
  complete_if_over(t)
}
