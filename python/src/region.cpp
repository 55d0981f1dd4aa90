// SPDX-License-Identifier: Apache-2.0
//
// Regions as arenas of arrays. An array keeps its region: the memory goes when the region has been
// freed, or forgotten, and no array of it is alive.
#include <cstring>
#include <vector>

#include "footprint.hpp"
#include "library.hpp"
#include "objects.hpp"
#include "site.hpp"

namespace myr::py {

namespace {

constexpr const char* kHolder = "myrmidon.region";

Region* as_region(PyObject* object) { return reinterpret_cast<Region*>(object); }

// Regions without a parent that Python code has let go of; main frees them. Guarded by the lock.
std::vector<myr_region>& forgotten() {
  static auto* regions = new std::vector<myr_region>;
  return *regions;
}

bool is_usable(const Region& region) {
  if (!region.is_free) return true;
  PyErr_SetString(PyExc_ValueError, "the Region has been freed: make a new one");
  return false;
}

PyObject* region_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static const char* const names[] = {"parent", nullptr};
  PyObject* parent = Py_None;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "|O:Region", const_cast<char**>(names), &parent) ==
      0) {
    return nullptr;
  }
  if (parent != Py_None && Py_TYPE(parent) != types.region) {
    PyErr_Format(PyExc_TypeError,
                 "Region(parent): the parent is a %s, and must be a Region or None",
                 Py_TYPE(parent)->tp_name);
    return nullptr;
  }
  if (parent != Py_None && !is_usable(*as_region(parent))) return nullptr;
  if (!ensure_started()) return nullptr;
  const myr_region inside = parent == Py_None ? MYR_ROOT : as_region(parent)->id;
  myr_region id = MYR_NO_REGION;
  const myr_site* const site = current_site();
  if (!call_library(Lock::Release, [&] { id = myr_region_new_at(inside, 0, site); }))
    return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  as_region(self)->id = id;
  as_region(self)->parent = parent == Py_None ? nullptr : Py_NewRef(parent);
  return self;
}

void region_dealloc(PyObject* self) {
  Region& region = *as_region(self);
  if (!region.is_free && region.parent == nullptr) forgotten().push_back(region.id);
  Py_XDECREF(region.parent);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

void array_ends(PyObject* holder) {
  auto* const region = static_cast<Region*>(PyCapsule_GetContext(holder));
  for (Region* around = region; around != nullptr; around = as_region(around->parent)) {
    around->arrays -= 1;
  }
  Py_DECREF(reinterpret_cast<PyObject*>(region));
}

// An array of this memory, which keeps the region.
PyObject* array_at(Region& region, void* memory, PyArray_Descr* type, int depth,
                   npy_intp* extents) {
  PyObject* const array = PyArray_NewFromDescr(&PyArray_Type, type, depth, extents, nullptr, memory,
                                               NPY_ARRAY_CARRAY, nullptr);
  if (array == nullptr) return nullptr;
  PyObject* const holder = PyCapsule_New(memory, kHolder, array_ends);
  if (holder == nullptr) {
    Py_DECREF(array);
    return nullptr;
  }
  PyCapsule_SetContext(holder, Py_NewRef(reinterpret_cast<PyObject*>(&region)));
  for (Region* around = &region; around != nullptr; around = as_region(around->parent)) {
    around->arrays += 1;
  }
  if (PyArray_SetBaseObject(reinterpret_cast<PyArrayObject*>(array), holder) != 0) {
    Py_DECREF(array);
    return nullptr;
  }
  return array;
}

bool bytes_of(const PyArray_Descr* type, const PyArray_Dims& shape, std::size_t& bytes) {
  bytes = static_cast<std::size_t>(PyDataType_ELSIZE(type));
  for (int i = 0; i < shape.len; ++i) {
    const bool is_wrong =
        shape.ptr[i] < 0 ||
        __builtin_mul_overflow(bytes, static_cast<std::size_t>(shape.ptr[i]), &bytes);
    if (!is_wrong) continue;
    PyErr_SetString(PyExc_ValueError,
                    "the shape is negative somewhere, or too large for any memory");
    return false;
  }
  return true;
}

PyObject* make_array(Region& region, PyArray_Descr* type, const PyArray_Dims& shape, bool is_zero) {
  std::size_t bytes = 0;
  if (!bytes_of(type, shape, bytes)) return nullptr;
  void* memory = nullptr;
  const myr_site* const site = current_site();
  const bool is_done = call_library(Lock::Release, [&] {
    memory = myr_alloc_at(bytes == 0 ? 1 : bytes, region.id, site);
    if (is_zero && memory != nullptr) std::memset(memory, 0, bytes);
  });
  if (!is_done) return nullptr;
  Py_INCREF(type);  // for the array
  return array_at(region, memory, type, shape.len, shape.ptr);
}

PyObject* region_array(PyObject* self, PyObject* args, PyObject* kwargs, bool is_zero) {
  static const char* const names[] = {"shape", "dtype", nullptr};
  PyArray_Dims shape{nullptr, 0};
  PyArray_Descr* type = nullptr;
  if (PyArg_ParseTupleAndKeywords(args, kwargs, "O&|O&", const_cast<char**>(names),
                                  PyArray_IntpConverter, &shape, PyArray_DescrConverter,
                                  &type) == 0) {
    return nullptr;
  }
  if (type == nullptr) type = PyArray_DescrFromType(NPY_DOUBLE);
  PyObject* array = nullptr;
  if (PyDataType_REFCHK(type)) {
    PyErr_SetString(PyExc_TypeError,
                    "a region has no arrays of Python objects: use a dtype of numbers");
  } else if (is_usable(*as_region(self))) {
    array = make_array(*as_region(self), type, shape, is_zero);
  }
  Py_DECREF(type);
  PyDimMem_FREE(shape.ptr);
  return array;
}

PyObject* region_empty(PyObject* self, PyObject* args, PyObject* kwargs) {
  return region_array(self, args, kwargs, false);
}
PyObject* region_zeros(PyObject* self, PyObject* args, PyObject* kwargs) {
  return region_array(self, args, kwargs, true);
}

PyObject* region_free(PyObject* self, PyObject*) {
  Region& region = *as_region(self);
  if (region.is_free) Py_RETURN_NONE;
  if (region.arrays != 0) {
    PyErr_Format(PyExc_RuntimeError,
                 "%zu arrays of the Region are alive, in variables or in tasks: "
                 "wait for the tasks, let go of the arrays (del), then free it",
                 region.arrays);
    return nullptr;
  }
  const myr_site* const site = current_site();
  if (!call_library(Lock::Release, [&] { myr_region_free_at(region.id, site); })) return nullptr;
  region.is_free = true;
  Py_RETURN_NONE;
}

PyObject* region_cancel(PyObject* self, PyObject*) {
  Region& region = *as_region(self);
  if (!is_usable(region)) return nullptr;
  const myr_site* const site = current_site();
  if (!call_library(Lock::Release, [&] { myr_region_cancel_at(region.id, site); })) return nullptr;
  Py_RETURN_NONE;
}

PyCFunction with_names(PyObject* (*method)(PyObject*, PyObject*, PyObject*)) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(method));
}

PyMethodDef region_methods[] = {
    {"empty", with_names(region_empty), METH_VARARGS | METH_KEYWORDS,
     "empty(shape, dtype=float64): an array in the region, with any values in it."},
    {"zeros", with_names(region_zeros), METH_VARARGS | METH_KEYWORDS,
     "zeros(shape, dtype=float64): an array in the region, of zeros."},
    {"free", region_free, METH_NOARGS,
     "Frees all memory of the region. None of its arrays may be alive."},
    {"cancel", region_cancel, METH_NOARGS,
     "Tasks that use the region and have not begun do not run."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot region_slots[] = {{Py_tp_new, reinterpret_cast<void*>(region_new)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(region_dealloc)},
                              {Py_tp_methods, region_methods},
                              {0, nullptr}};
PyType_Spec region_spec{"myrmidon.Region", sizeof(Region), 0, Py_TPFLAGS_DEFAULT, region_slots};

}  // namespace

void free_regions() {
  if (forgotten().empty() || !is_main_thread() || is_in_task()) return;
  while (!forgotten().empty()) {
    const myr_region region = forgotten().back();
    forgotten().pop_back();
    const myr_site* const site = current_site();
    if (!call_library(Lock::Release, [&] { myr_region_free_at(region, site); })) {
      PyErr_WriteUnraisable(nullptr);
    }
  }
}

bool add_regions(PyObject* module) {
  types.region = add_type(module, region_spec);
  return types.region != nullptr;
}

}  // namespace myr::py
