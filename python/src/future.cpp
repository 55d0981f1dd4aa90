// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"
#include "objects.hpp"
#include "wait.hpp"

namespace myr::py {

namespace {

Future* as_future(PyObject* object) { return reinterpret_cast<Future*>(object); }

bool is_over(const Future& future) {
  return future.result != nullptr || future.exception != nullptr || future.is_dropped;
}

// False: a Python exception is set.
bool await(Future& future) {
  if (!is_over(future) && !wait_for_place(&future.place)) return false;
  if (is_over(future)) return true;
  PyErr_SetString(PyExc_RuntimeError,
                  "only the task, or the thread, that made a Future may ask for its result: hand "
                  "the future to others as an argument");
  return false;
}

PyObject* future_result(PyObject* self, PyObject*) {
  Future& future = *as_future(self);
  if (!await(future)) return nullptr;
  future.is_asked = true;
  if (future.result != nullptr) return Py_NewRef(future.result);
  if (future.exception != nullptr) {
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(future.exception)), future.exception);
  } else {
    PyErr_SetString(PyExc_RuntimeError, "the task of this Future was cancelled: it has no result");
  }
  return nullptr;
}

PyObject* future_exception(PyObject* self, PyObject*) {
  Future& future = *as_future(self);
  if (!await(future)) return nullptr;
  future.is_asked = true;
  return Py_NewRef(future.exception == nullptr ? Py_None : future.exception);
}

PyObject* future_done(PyObject* self, PyObject*) {
  return PyBool_FromLong(is_over(*as_future(self)) ? 1 : 0);
}

int future_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_future(self)->result);
  Py_VISIT(as_future(self)->exception);
  return 0;
}

int future_clear(PyObject* self) {
  Future& future = *as_future(self);
  Py_CLEAR(future.result);
  if (future.exception != nullptr && !future.is_asked) {
    PyObject* const exception = future.exception;
    future.exception = nullptr;
    note_lost(exception);
  }
  Py_CLEAR(future.exception);
  return 0;
}

void future_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  future_clear(self);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* future_repr(PyObject* self) {
  const Future& future = *as_future(self);
  const char* state = "pending";
  if (future.exception != nullptr) state = "failed";
  if (future.result != nullptr) state = "done";
  if (future.is_dropped) state = "cancelled";
  return PyUnicode_FromFormat("<myrmidon.Future: %s>", state);
}

PyMethodDef future_methods[] = {
    {"result", future_result, METH_NOARGS,
     "Waits for the task alone, and returns what it has returned, or raises what it has raised."},
    {"exception", future_exception, METH_NOARGS,
     "Waits for the task alone, and returns what it has raised, or None."},
    {"done", future_done, METH_NOARGS, "Whether the task has ended. Does not wait."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot future_slots[] = {{Py_tp_traverse, reinterpret_cast<void*>(future_traverse)},
                              {Py_tp_clear, reinterpret_cast<void*>(future_clear)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(future_dealloc)},
                              {Py_tp_repr, reinterpret_cast<void*>(future_repr)},
                              {Py_tp_methods, future_methods},
                              {0, nullptr}};
PyType_Spec future_spec{"myrmidon.Future", sizeof(Future), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                        future_slots};

}  // namespace

Future* new_future() { return as_future(types.future->tp_alloc(types.future, 0)); }

void resolve(Future& future, PyObject* result, PyObject* exception) {
  future.result = result;
  future.exception = exception;
}

bool add_futures(PyObject* module) {
  types.future = add_type(module, future_spec);
  return types.future != nullptr;
}

}  // namespace myr::py
