// SPDX-License-Identifier: Apache-2.0
//
// Part of model.pml: chooses a program and a placement of the nodes. With three tasks, there are
// fewer kinds of accesses and placements, to be done in seconds.

// Tasks are numbered as they are met walking the tree of tasks, so a parent is the task before, or
// an ancestor of that.
inline choose_parent(t) {
  parent[t] = t - 1;
  do
  :: parent[t] != MAIN -> parent[t] = parent[parent[t]]
  :: !is_wait[parent[t]] -> break
  od
}

inline choose_mode(t, n) {
  if
  :: mode(t, n) = Read
  :: mode(t, n) = Write
  fi
}

// One node, or both parts, or the region and a part for reading: of other nested accesses, the
// outer one stands for both (TaskTable::merge).
inline choose_accesses(t) {
  if
  :: choose_mode(t, 1)
  :: choose_mode(t, 2)
  :: mode(t, 1) = Read; mode(t, 2) = Read
  :: mode(t, 2) = Write; mode(t, 3) = Write
#if TASKS == 2
  :: choose_mode(t, 0)
  :: choose_mode(t, 3)
  :: choose_mode(t, 2); choose_mode(t, 3)
#endif
  fi
}

// is_legal = the parent holds all that the task uses
inline check_cover(t) {
  is_legal = true;
  for (n : 0 .. NODES - 1) {
    m = 0;
    do
    :: m != n && mode(parent[t], m) == None -> m = next_on_way(m, n)
    :: else -> break
    od;
    is_legal = is_legal && mode(parent[t], m) >= mode(t, n)
  }
}

#define place(one, two, three) owner[1] = one; owner[2] = two; owner[3] = three
inline choose_owners() {
  if
#if LEVELS == 2
  :: place(1, 1, 1)
  :: place(0, 1, 1)
#else
  :: place(1, 2, 2)
#if TASKS == 2
  :: place(2, 2, 2)
  :: place(1, 1, 2)
#endif
#endif
  :: place(0, 1, 2)
  fi;
  parts_first = true;
#if TASKS == 2
  if
  :: parts_first = false
  :: skip
  fi
#endif
}

