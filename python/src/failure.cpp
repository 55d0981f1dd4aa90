// SPDX-License-Identifier: Apache-2.0
#include "failure.hpp"

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "kept.hpp"
#include "site.hpp"

namespace myr::py {

Errors errors;
std::atomic<int> interrupted{0};

namespace {

// What the library hands on: an owned exception. This one stands for a task that was dropped.
PyObject* const kDropped = Py_None;

// The library may hold a lock here for which a thread waits that has the interpreter's.
void destroy(void* object) {
  if (object != kDropped) hand_back_one(static_cast<PyObject*>(object));
}

void describe(void* object, char* text, std::size_t bytes);

// For C++ code that waits in the same task as Python code: it gets what Python would.
void rethrow(void* object) {
  char text[256];
  describe(object, text, sizeof text);
  destroy(object);
  throw std::runtime_error(text);
}

void describe_with_lock(PyObject* exception, char* text, std::size_t bytes) {
  const Ref message(PyObject_Str(exception));
  const char* const utf8 = message ? PyUnicode_AsUTF8(message.get()) : nullptr;
  if (utf8 == nullptr) PyErr_Clear();
  std::snprintf(text, bytes, "%s: %s", Py_TYPE(exception)->tp_name, utf8 == nullptr ? "" : utf8);
}

void describe(void* object, char* text, std::size_t bytes) {
  if (object == kDropped) {
    std::snprintf(text, bytes, "KeyboardInterrupt: the task was dropped");
    return;
  }
  const PyGILState_STATE lock = PyGILState_Ensure();
  describe_with_lock(static_cast<PyObject*>(object), text, bytes);
  PyGILState_Release(lock);
}

void name(void* object, char* type, std::size_t type_bytes, char* what, std::size_t what_bytes) {
  std::snprintf(type, type_bytes, "PyObject");
  describe(object, what, what_bytes);
}

void* revive(const char*, const char* what) {
  const PyGILState_STATE lock = PyGILState_Ensure();
  PyObject* const exception = PyObject_CallFunction(PyExc_RuntimeError, "s", what);
  PyGILState_Release(lock);
  return exception;
}

constexpr myr_exception_kind kKind{
    sizeof(myr_exception_kind), destroy, rethrow, describe, name, revive};

std::vector<PyObject*>& lost() {  // guarded by the interpreter's lock
  static auto* exceptions = new std::vector<PyObject*>;
  return *exceptions;
}

struct MisuseError {
  std::string text;
  bool is_memory;
};

int on_error(const myr_error* error) {
  if (error->is_final != 0) return MYR_END;
  std::string text;
  if (error->file != nullptr) {
    text = std::string(error->file) + ":" + std::to_string(error->line) + ": ";
  }
  throw MisuseError{text + error->text, error->kind == MYR_NO_MEMORY};
}

void set_exception(PyObject* exception) {
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception)), exception);
}

}  // namespace

PyObject* caught(PyObject* task_name, const myr_site* site) {
  PyObject* type = nullptr;
  PyObject* value = nullptr;
  PyObject* traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (traceback != nullptr) PyException_SetTraceback(value, traceback);
  Py_XDECREF(type);
  Py_XDECREF(traceback);
  const Ref note(PyUnicode_FromFormat("in the task %U, which was spawned at %s:%d", task_name,
                                      site->file, static_cast<int>(site->line)));
  const Ref added(note ? PyObject_CallMethod(value, "add_note", "O", note.get()) : nullptr);
  if (!added) PyErr_Clear();
  return value;
}

void report(PyObject* exception) { myr_task_failed({exception, &kKind}); }
void report_dropped() { myr_task_failed({kDropped, &kKind}); }

void note_lost(PyObject* exception) { lost().push_back(exception); }

bool raise_failure() {
  const myr_exception failure = myr_take_failure();
  if (failure.object == nullptr) {
    if (lost().empty()) return true;
    const Ref exception(lost().front());
    lost().erase(lost().begin());
    set_exception(exception.get());
    return false;
  }
  if (failure.kind != &kKind) {  // of C++ code in the same process
    char text[512];
    failure.kind->describe(failure.object, text, sizeof text);
    failure.kind->destroy(failure.object);
    PyErr_Format(PyExc_RuntimeError, "a task of C++ code has thrown an exception: %s", text);
    return false;
  }
  if (failure.object == kDropped) {
    PyErr_SetString(PyExc_KeyboardInterrupt, "tasks that had not begun were dropped");
    return false;
  }
  const Ref exception(static_cast<PyObject*>(failure.object));
  set_exception(exception.get());
  return false;
}

void install_error_handler() { myr_set_error_handler(on_error); }

void raise_caught() {
  try {
    throw;
  } catch (const MisuseError& error) {
    PyErr_SetString(error.is_memory ? PyExc_MemoryError : errors.misuse, error.text.c_str());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}

}  // namespace myr::py
