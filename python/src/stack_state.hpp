// SPDX-License-Identifier: Apache-2.0
//
// What the interpreter keeps of the C stack that runs. A task that waits keeps its stack, and its
// thread goes on with other tasks on another one (docs/adr/0015); so a thread has one PyThreadState
// and many stacks of Python frames, as with greenlets. A call of the library puts the state aside,
// and takes it back behind the call; a task's body begins with an empty one.
//
// Invariant: between Outside's constructor and its destructor the state is not in use, so a body
// that runs meanwhile on this thread may leave anything there.
#pragma once

#include "python.hpp"

namespace myr::py {

struct StackState {
  _PyCFrame* cframe;
  _PyErr_StackItem* exc_info;
  PyObject* context;  // owned by the state
  _PyStackChunk* chunk;
  PyObject** top;
  PyObject** limit;
  int recursion_remaining;
  int trash_delete_nesting;
  int tracing;
  bool is_task;  // a task's body runs

  static StackState of(const PyThreadState& thread);
  void install(PyThreadState& thread) const;
};

// Around a call of the library. With `Lock::Release` other threads run Python meanwhile.
// REQUIRES: the calling thread holds the interpreter's lock; no Python exception is set.
enum class Lock { Keep, Release };
class Outside {
 public:
  explicit Outside(Lock lock);
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
  ~Outside();

 private:
  PyThreadState* thread_;
  StackState state_;
  bool released_;
};

// How many threads that run no task are in a call of the library without the interpreter's lock.
int calls_of_threads();
void forget_calls();  // in the child of a fork

// In a task's body: takes the lock, and starts with an empty stack of frames.
class Inside {
 public:
  Inside();
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside();

 private:
  PyGILState_STATE lock_;
  PyThreadState* thread_;
  _PyCFrame root_;
  _PyErr_StackItem handled_{};
};

// Whether the caller is in a task's body.
bool is_in_task();

// Around native code in a body, which may have been called by a spawn that holds the lock.
class Unlocked {
 public:
  Unlocked();
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked();

 private:
  PyThreadState* thread_;
  bool was_task_;
};

}  // namespace myr::py
