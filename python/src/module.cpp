// SPDX-License-Identifier: Apache-2.0
//
// The module myrmidon._core: the types of this folder, and the calls of the Python half.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#define MYR_IMPORTS_NUMPY
#include <myr/sim.h>

#include "failure.hpp"
#include "library.hpp"
#include "machine.hpp"
#include "objects.hpp"
#include "python.hpp"
#include "remote.hpp"
#include "site.hpp"
#include "task.hpp"
#include "wait.hpp"

namespace nb = nanobind;

namespace {

void check(bool is_done) {
  if (!is_done) throw nb::python_error();
}

PyObject* wait(PyObject*, PyObject* const* arguments, Py_ssize_t count) {
  return count == 0 ? myr::py::wait_all() : myr::py::wait_for(arguments, count);
}
PyMethodDef wait_method{"wait", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(wait)),
                        METH_FASTCALL, nullptr};

void add_calls(nb::module_& module) {
  module.def("start", [](const std::optional<std::string>& machine, unsigned workers, bool pins,
                         unsigned stack_mib, unsigned long long chaos) {
    check(myr::py::start(machine ? machine->c_str() : nullptr, workers, pins, stack_mib, chaos));
  });
  module.def("finish", [] { check(myr::py::finish()); });
  module.def("has_machine", myr::py::has_machine);
  module.def("begin_end", myr::py::begin_end);
  module.def("forget_machine", myr::py::forget_machine);
  module.def("worker_count", [] {
    check(myr::py::ensure_started());
    return myr_worker_count();
  });
  module.def("worker_index", [] {
    check(myr::py::ensure_started());
    return myr_worker_index();
  });
  module.def("work", [](std::uint64_t cycles) { myr_work(cycles); });
  module.def("cycles", [] { return myr_cycles(); });
  module.def("is_cancelled", [] { return myr_cancelled() != 0; });
  module.def("free_regions", myr::py::free_regions);
  module.def("set_obstacle", [](nb::str text) { myr::py::set_obstacle(text.ptr()); });
  module.def("set_main_thread", myr::py::set_main_thread);
  module.def("set_package_folder",
             [](nb::str folder) { myr::py::set_package_folder(folder.ptr()); });
  module.def("set_remote", [](nb::object describe, nb::object load) {
    myr::py::set_remote(describe.ptr(), load.ptr());
  });
  module.def("set_value_check", [](nb::object call) { myr::py::set_value_check(call.ptr()); });
}

PyObject* new_error(nb::module_& module, const char* name, PyObject* base) {
  const std::string full = std::string("myrmidon.") + name;
  PyObject* const type = PyErr_NewException(full.c_str(), base, nullptr);
  if (type == nullptr || PyModule_AddObjectRef(module.ptr(), name, type) != 0) {
    throw nb::python_error();
  }
  return type;
}

}  // namespace

NB_MODULE(_core, module) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    throw nb::import_error(
        "myrmidon runs in Python's main interpreter only, and this is another one");
  }
  if (PyArray_ImportNumPyAPI() != 0) throw nb::python_error();
  namespace py = myr::py;
  py::errors.misuse = new_error(module, "Misuse", PyExc_RuntimeError);
  py::errors.start = new_error(module, "StartError", PyExc_RuntimeError);
  PyObject* const self = module.ptr();
  check(py::add_objects(self) && py::add_futures(self) && py::add_regions(self) &&
        py::add_tasks(self));
  PyObject* const call = PyCFunction_New(&wait_method, nullptr);
  if (call == nullptr || PyModule_AddObject(self, "wait", call) != 0) throw nb::python_error();
  add_calls(module);
}
