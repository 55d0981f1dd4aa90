// SPDX-License-Identifier: Apache-2.0
//
// The types that accesses can name besides arrays: futures, tokens and regions; and accesses
// themselves, which In(x), Out(x) and InOut(x) make.
#pragma once

#include <cstdint>

#include "python.hpp"

namespace myr::py {

enum class Mode : std::uint8_t { Value, In, Out, InOut };

// What In(x) makes; a subclass for each mode.
struct Access {
  PyObject_HEAD PyObject* object;
  Mode mode;
};

// A name for something that is no array, such as a file: tasks that name it are ordered.
struct Token {
  PyObject_HEAD std::uint64_t place;  // its address is what accesses name
};

struct Future {
  PyObject_HEAD std::uint64_t place;  // the same
  PyObject* result;                   // owned; nullptr until the task has ended
  PyObject* exception;                // owned; why there is no result
  bool is_asked;                      // somebody knows how the task ended
  bool is_dropped;                    // it has ended without having run
};

// A value that is handed on as it is, without looking at it.
struct Unchecked {
  PyObject_HEAD PyObject* object;
};

struct Region {
  PyObject_HEAD PyObject* parent;  // owned: a Region, or nullptr
  myr_region id;
  std::size_t arrays;  // that are alive in it
  bool is_free;
};

struct Types {
  PyTypeObject* in = nullptr;
  PyTypeObject* out = nullptr;
  PyTypeObject* inout = nullptr;
  PyTypeObject* access = nullptr;
  PyTypeObject* token = nullptr;
  PyTypeObject* future = nullptr;
  PyTypeObject* unchecked = nullptr;
  PyTypeObject* region = nullptr;
  PyTypeObject* task = nullptr;
};
extern Types types;

// Each adds its types to the module. False: a Python exception is set.
bool add_objects(PyObject* module);
bool add_futures(PyObject* module);
bool add_regions(PyObject* module);
bool add_tasks(PyObject* module);
PyTypeObject* add_type(PyObject* module, PyType_Spec& spec, PyTypeObject* base = nullptr);

Future* new_future();
// Thread: with the lock. Sets the result of a future, or why there is none; takes the reference.
void resolve(Future& future, PyObject* result, PyObject* exception);

// Frees regions that Python code has let go of. Thread: with the lock, in main.
void free_regions();

}  // namespace myr::py
