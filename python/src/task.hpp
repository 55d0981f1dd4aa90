// SPDX-License-Identifier: Apache-2.0
//
// What @task makes: a callable that spawns. It is made once for a function, and knows how each
// parameter is used, so that a call only looks at its arguments.
#pragma once

#include <cstddef>
#include <vector>

#include "native_call.hpp"
#include "objects.hpp"
#include "python.hpp"

namespace myr::py {

// Where an argument of a native function goes, and what it has to be.
struct NativeSlot {
  enum class Place : char { Integer, Float, Stack } place;
  std::uint8_t index;
  char kind;           // 'p' pointer, 'i' signed, 'u' unsigned, '?' bool, 'f' floating-point
  std::uint8_t bytes;  // of a number
  char element_kind;   // of what a pointer points to, as NumPy has it; '*': anything
  std::uint16_t element_bytes;
  bool takes_strides;  // of any layout; else arrays are C-contiguous
};

struct Parameter {
  PyObject* name;      // owned
  PyObject* fallback;  // owned; nullptr: there is none
  Mode mode;
  NativeSlot slot;
};

struct TaskBody {
  PyObject* function = nullptr;  // owned; called unless there is native code
  PyObject* name = nullptr;      // owned
  std::vector<Parameter> parameters;
  std::size_t number = 0;      // of those that were made
  const void* code = nullptr;  // of a native function
  NativeResult result = NativeResult::None;
  std::size_t integer_count = 0;
  std::size_t float_count = 0;
  std::size_t stack_count = 0;
  bool protects = true;  // In arrays are read-only in the body
};

struct Task {
  PyObject_HEAD vectorcallfunc call;
  PyObject* dict;
  TaskBody* body;  // owned
};

// What a spawn is told besides the arguments.
struct SpawnOptions {
  PyObject* uses = nullptr;  // a tuple of accesses that only order
  Future* future = nullptr;  // that gets the result
  int priority = 0;
};

// False: a Python exception is set, and there is no task.
bool spawn(Task& task, PyObject* const* arguments, std::size_t count, PyObject* names,
           const SpawnOptions& options);

// The arguments of a task, from those of the call. `kept` gets what the task holds.
struct Kept;
class Footprint;
struct Where;

// What a plain value may be: nothing that others could change. Returns an owned object.
PyObject* checked_value(PyObject* value, const Where& where);
// A view of an array, for the body; of a list a list of views. Owned.
PyObject* body_view(PyObject* object, Mode mode, bool protects);
// Fills the word of a native argument. False: a Python exception is set.
bool fill_word(const Parameter& parameter, PyObject* object, Mode mode, const Where& where,
               Word& word);
// Told by the module's Python half: check(value) returns what the task gets, or raises.
void set_value_check(PyObject* check);

}  // namespace myr::py
