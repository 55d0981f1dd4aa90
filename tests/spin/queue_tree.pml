// SPDX-License-Identifier: Apache-2.0
//
// Part of model.pml: what deps::QueueTree does, with its names. Inlines return values in the hidden
// variables that they mention.

#define entry(n, index) node[n].queue[index]
#define entry_mode(n, index) mode(entry(n, index).task, entry(n, index).target)
#define is_granted_read(n, index) (entry(n, index).granted && entry_mode(n, index) == Read)
#define is_free(n, m) \
  (node[n].below[Write] == 0 && (m == Read || node[n].below[Read] == 0))

inline grant(n, index) {
  entry(n, index).granted = true;
  whose = entry(n, index).task;
  send(home[whose], Granted, whose, n, n)
}

// flag = all entries before the end are granted reads
inline are_granted_reads(n, end) {
  flag = true;
  for (i : 1 .. end) {
    flag = flag && is_granted_read(n, i - 1)
  }
}

inline try_grant(n, index) {
  if
  :: index == 0 -> flag = is_free(n, entry_mode(n, index))
  :: else ->
     are_granted_reads(n, index);
     flag = flag && entry_mode(n, index) == Read
  fi;
  if
  :: flag -> grant(n, index)
  :: else
  fi
}

inline insert(n, index, t, target_of) {
  assert(node[n].length < QUEUE_MAX);
  j = node[n].length;
  do
  :: j > index ->
     entry(n, j).task = entry(n, j - 1).task;
     entry(n, j).target = entry(n, j - 1).target;
     entry(n, j).granted = entry(n, j - 1).granted;
     j--
  :: else -> break
  od;
  entry(n, index).task = t;
  entry(n, index).target = target_of;
  entry(n, index).granted = false;
  node[n].length++
}

inline remove(n, index) {
  node[n].length--;
  for (j : index + 1 .. node[n].length) {
    entry(n, j - 1).task = entry(n, j).task;
    entry(n, j - 1).target = entry(n, j).target;
    entry(n, j - 1).granted = entry(n, j).granted
  }
  entry(n, node[n].length).task = 0;
  entry(n, node[n].length).target = 0;
  entry(n, node[n].length).granted = false
}

// goes_down = the access passes the node
inline stop_at(n, t, target_of) {
  node[n].from_above[mode(t, target_of)]++;
  are_granted_reads(n, node[n].length);
  goes_down = (node[n].length == 0 || (flag && mode(t, target_of) == Read)) && n != target_of;
  if
  :: goes_down -> node[n].below[mode(t, target_of)]++
  :: else ->
     insert(n, node[n].length, t, target_of);
     if
     :: n == target_of -> try_grant(n, node[n].length - 1)
     :: else
     fi
  fi
}

// From the node, which has counted the access.
inline go_down(n, t, target_of) {
  x = n;
  do
  :: x = next_on_way(x, target_of);
     if
     :: owner[x] != me -> send(owner[x], Arrive, t, target_of, x); break
     :: else ->
        stop_at(x, t, target_of);
        if
        :: !goes_down -> break
        :: else
        fi
     fi
  od
}

// count = index of the granted entry
inline find_granted(n, t) {
  count = 0;
  do
  :: count < node[n].length && !(entry(n, count).task == t && entry(n, count).granted) -> count++
  :: else -> break
  od;
  assert(count < node[n].length)
}

inline enter(n, t, target_of) {
  find_granted(n, parent[t]);
  flag = true;
#ifndef DEFECT_B
  if
  :: mode(t, target_of) == Write -> flag = count == 0
  :: else -> are_granted_reads(n, count)
  fi;
#endif
  if
  :: n == target_of || !flag ->
     insert(n, count, t, target_of);
     goes_down = false;
     if
     :: n == target_of -> try_grant(n, count)
     :: else
     fi
  :: else ->
     node[n].below[mode(t, target_of)]++;
     goes_down = true
  fi
}

// An entry for a node further down goes on.
inline send_on(n, index) {
  child = entry(n, index).task;
  start = entry(n, index).target;
  remove(n, index);
  node[n].below[mode(child, start)]++;
  go_down(n, child, start)
}

inline grant_readers_behind(n) {
  count = 1;
  do
  :: count == node[n].length || entry(n, count).granted || entry_mode(n, count) == Write -> break
  :: else ->
     if
     :: entry(n, count).target == n -> grant(n, count); count++
     :: else -> send_on(n, count)
     fi
  od
}

// busy = the queue is not empty, or something is going on below
inline wake_first(n) {
  do
  :: node[n].length == 0 -> busy = node[n].below[Read] + node[n].below[Write] > 0; break
  :: node[n].length > 0 && entry(n, 0).granted -> busy = true; break
  :: node[n].length > 0 && !entry(n, 0).granted && entry(n, 0).target != n -> send_on(n, 0)
  :: else ->
     busy = true;
     if
     :: is_free(n, entry_mode(n, 0)) ->
        grant(n, 0);
        if
        :: entry_mode(n, 0) == Read -> grant_readers_behind(n)
        :: else
        fi
     :: else
     fi;
     break
  od
}

// flag = only readers are left, while writers that came from above are counted there
inline has_only_readers_left(n) {
  flag = node[n].from_above[Write] != 0 && node[n].below[Write] == 0;
  for (i : 1 .. node[n].length) {
    flag = flag && entry_mode(n, i - 1) == Read
  }
#ifdef DEFECT_LATE_WRITERS
  flag = false
#endif
}

inline take_back(n, r, w, b) {
  assert(node[n].below[Read] >= r && node[n].below[Write] >= w);
  node[n].below[Read] = node[n].below[Read] + b - r;
  node[n].below[Write] = node[n].below[Write] - w
}

// Sets reads, writes and begun.
inline give_back(n) {
  reads = node[n].from_above[Read];
  writes = node[n].from_above[Write];
  begun = 0;
  node[n].from_above[Read] = 0;
  node[n].from_above[Write] = 0;
  if
  :: busy ->
     begun = writes;
     node[n].from_above[Read] = reads + begun;
     reads = 0
  :: else
  fi
}

inline wake(n) {
  here = n;
  do
  :: wake_first(here);
     has_only_readers_left(here);
     if
     :: busy && !flag -> break
     :: else
     fi;
     give_back(here);
     if
     :: here == 0 || reads + writes == 0 -> break
     :: else
     fi;
     here = around(here);
     if
     :: owner[here] != me ->
        if
        :: begun == 0 -> send(owner[here], EndedBelow, reads, writes, here)
        :: else -> send(owner[here], WritersEnded, reads, writes, here)
        fi;
        break
     :: else -> take_back(here, reads, writes, begun)
     fi
  od
}
