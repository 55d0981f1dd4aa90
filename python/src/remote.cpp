// SPDX-License-Identifier: Apache-2.0
#include "remote.hpp"

#include <cstdlib>
#include <vector>

#include "kept.hpp"
#include "machine.hpp"
#include "site.hpp"

namespace myr::py {

namespace {

PyObject* describe_task = nullptr;
PyObject* load_task = nullptr;

std::vector<PyObject*>& kept_here() {  // guarded by the interpreter's lock
  static auto* objects = new std::vector<PyObject*>;
  return *objects;
}

bool initialize(const char* python) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  config.parse_argv = 0;
  PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, python);
  if (PyStatus_Exception(status) == 0) status = Py_InitializeFromConfig(&config);
  PyConfig_Clear(&config);
  return PyStatus_Exception(status) == 0;
}

}  // namespace

void set_remote(PyObject* describe, PyObject* load) {
  describe_task = Py_NewRef(describe);
  load_task = Py_NewRef(load);
}

bool start_interpreter() {
  if (Py_IsInitialized() != 0) return true;
  const char* const python = std::getenv("MYRMIDON_PYTHON");
  if (python == nullptr || !initialize(python)) return false;
  const Ref package(PyImport_ImportModule("myrmidon"));
  const bool is_there = static_cast<bool>(package);
  if (is_there) {
    note_member_of_job();
  } else {
    PyErr_Print();
  }
  PyEval_SaveThread();
  return is_there;
}

PyObject* remote_description(Task& task, const Kept& kept, std::size_t argument_count) {
  Ref arguments(PyTuple_New(static_cast<Py_ssize_t>(argument_count)));
  if (!arguments) return nullptr;
  for (std::size_t i = 0; i < argument_count; ++i) {
    PyTuple_SET_ITEM(arguments.get(), static_cast<Py_ssize_t>(i), Py_NewRef(kept.objects[i]));
  }
  const myr_site* const site = current_site();
  Ref description(PyObject_CallFunction(describe_task, "OOsI", reinterpret_cast<PyObject*>(&task),
                                        arguments.get(), site->file, site->line));
  if (!description) PyErr_Clear();
  return description.get() == Py_None ? nullptr : description.release();
}

PyObject* loaded_description(const void* bytes, std::size_t size, PyObject* addresses) {
  return PyObject_CallFunction(load_task, "y#O", static_cast<const char*>(bytes),
                               static_cast<Py_ssize_t>(size), addresses);
}

void keep_until_wait(const Kept& kept) {
  for (std::uint32_t i = 0; i < kept.count; ++i) kept_here().push_back(Py_NewRef(kept.objects[i]));
}

void end_of_wait() {
  std::vector<PyObject*> over;
  over.swap(kept_here());
  for (PyObject* const object : over) Py_DECREF(object);
}

}  // namespace myr::py
