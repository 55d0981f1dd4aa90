// SPDX-License-Identifier: Apache-2.0
//
// What a task's body gets for an argument of the call.
#include <climits>
#include <cstdint>

#include "footprint.hpp"
#include "task.hpp"

namespace myr::py {

namespace {

PyObject* value_check = nullptr;

bool is_plain(PyObject* value) {
  return value == Py_None || PyBool_Check(value) || PyLong_CheckExact(value) ||
         PyFloat_CheckExact(value) || PyUnicode_CheckExact(value) || PyBytes_CheckExact(value) ||
         PyComplex_CheckExact(value) || PyArray_IsScalar(value, Generic);
}

PyObject* views_of(PyObject* sequence, Mode mode, bool protects) {
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
  Ref list(PyList_New(count));
  for (Py_ssize_t i = 0; list && i < count; ++i) {
    PyObject* const view = body_view(PySequence_Fast_GET_ITEM(sequence, i), mode, protects);
    if (view == nullptr) return nullptr;
    PyList_SET_ITEM(list.get(), i, view);
  }
  return list.release();
}

bool is_element(PyArrayObject* array, const NativeSlot& slot) {
  if (slot.element_kind == '*') return true;
  const PyArray_Descr* const type = PyArray_DESCR(array);
  return type->kind == slot.element_kind && PyArray_ITEMSIZE(array) == slot.element_bytes &&
         PyArray_ISNOTSWAPPED(array);
}

bool fill_pointer(const NativeSlot& slot, PyObject* object, Mode mode, const Where& where,
                  Word& word) {
  if (mode == Mode::Value) {
    if (object == Py_None) {
      word.pointer = nullptr;
      return true;
    }
    if (Py_TYPE(object) == types.unchecked) {
      PyObject* const address = reinterpret_cast<Unchecked*>(object)->object;
      word.pointer = PyLong_AsVoidPtr(address);
      return PyErr_Occurred() == nullptr;
    }
    refuse(where, PyExc_TypeError,
           "is a pointer, and not declared: write In, Out or InOut; or pass None for a null "
           "pointer, or unchecked(address)");
    return false;
  }
  if (Py_TYPE(object) == types.token) {
    word.pointer = &reinterpret_cast<Token*>(object)->place;
    return true;
  }
  if (!PyArray_Check(object)) {
    refuse(where, PyExc_TypeError, "must be one NumPy array for a native function, and is a %s",
           Py_TYPE(object)->tp_name);
    return false;
  }
  auto* const array = reinterpret_cast<PyArrayObject*>(object);
  if (!is_element(array, slot)) {
    refuse(where, PyExc_TypeError,
           "has dtype %R, and the native function takes a pointer to elements of kind '%c' and %d "
           "bytes",
           PyArray_DESCR(array), slot.element_kind, static_cast<int>(slot.element_bytes));
    return false;
  }
  if (!slot.takes_strides && !PyArray_IS_C_CONTIGUOUS(array)) {
    refuse(where, PyExc_ValueError,
           "is not C-contiguous, and the native function would not know its strides. Pass a "
           "contiguous array; or declare the parameter with strided(%s), and pass the strides as "
           "arguments of their own",
           mode == Mode::In ? "In" : (mode == Mode::Out ? "Out" : "InOut"));
    return false;
  }
  if (!PyArray_ISALIGNED(array)) {
    refuse(where, PyExc_ValueError, "is not aligned for its dtype, as native code wants it");
    return false;
  }
  word.pointer = PyArray_DATA(array);
  return true;
}

bool fill_signed(const NativeSlot& slot, PyObject* object, const Where& where, Word& word) {
  const Ref index(PyNumber_Index(object));
  if (!index) return false;
  int overflow = 0;
  const long long value = PyLong_AsLongLongAndOverflow(index.get(), &overflow);
  const int unused = 64 - 8 * slot.bytes;
  const bool fits = overflow == 0 && (unused == 0 || (value >> (63 - unused)) == (value >> 63));
  if (!fits) {
    refuse(where, PyExc_OverflowError,
           "is %R, which does not fit into the %d bytes of the native "
           "function's integer",
           index.get(), static_cast<int>(slot.bytes));
    return false;
  }
  word.integer = value;
  return true;
}

bool fill_unsigned(const NativeSlot& slot, PyObject* object, const Where& where, Word& word) {
  const Ref index(PyNumber_Index(object));
  if (!index) return false;
  const unsigned long long value = PyLong_AsUnsignedLongLong(index.get());
  const bool failed = value == ULLONG_MAX && PyErr_Occurred() != nullptr;
  if (failed || (slot.bytes < 8 && value >> (8 * slot.bytes) != 0)) {
    PyErr_Clear();
    refuse(where, PyExc_OverflowError,
           "is %R, which does not fit into the %d bytes of the native "
           "function's unsigned integer",
           index.get(), static_cast<int>(slot.bytes));
    return false;
  }
  word.integer = static_cast<std::int64_t>(value);
  return true;
}

bool fill_number(const NativeSlot& slot, PyObject* object, const Where& where, Word& word) {
  switch (slot.kind) {
    case 'i':
      return fill_signed(slot, object, where, word);
    case 'u':
      return fill_unsigned(slot, object, where, word);
    case '?': {
      const int truth = PyObject_IsTrue(object);
      word.integer = truth;
      return truth >= 0;
    }
    default: {
      const double number = PyFloat_AsDouble(object);
      if (number == -1.0 && PyErr_Occurred() != nullptr) return false;
      if (slot.bytes == sizeof(float)) {
        word.integer = 0;
        word.single = static_cast<float>(number);
      } else {
        word.number = number;
      }
      return true;
    }
  }
}

}  // namespace

void set_value_check(PyObject* check) { value_check = Py_NewRef(check); }

PyObject* checked_value(PyObject* value, const Where& where) {
  if (is_plain(value) || Py_TYPE(value) == types.future) return Py_NewRef(value);
  if (Py_TYPE(value) == types.unchecked) {
    return Py_NewRef(reinterpret_cast<Unchecked*>(value)->object);
  }
  if (PyArray_Check(value)) {
    refuse(where, PyExc_TypeError,
           "is an array that the task does not declare: annotate the parameter, `%U: In` (or Out, "
           "InOut), or pass In(x), or x.copy() in unchecked(...)",
           where.parameter);
    return nullptr;
  }
  return PyObject_CallFunctionObjArgs(value_check, value, where.task, where.parameter, nullptr);
}

PyObject* body_view(PyObject* object, Mode mode, bool protects) {
  if (PyArray_Check(object)) {
    PyObject* const view = PyArray_View(reinterpret_cast<PyArrayObject*>(object), nullptr, nullptr);
    if (view != nullptr && mode == Mode::In && protects) {
      PyArray_CLEARFLAGS(reinterpret_cast<PyArrayObject*>(view), NPY_ARRAY_WRITEABLE);
    }
    return view;
  }
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
    return views_of(object, mode, protects);
  }
  return Py_NewRef(object);
}

bool fill_word(const Parameter& parameter, PyObject* object, Mode mode, const Where& where,
               Word& word) {
  const NativeSlot& slot = parameter.slot;
  if (slot.kind == 'p') return fill_pointer(slot, object, mode, where, word);
  if (mode != Mode::Value) {
    refuse(where, PyExc_TypeError,
           "is a number for the native function, and no memory: pass it "
           "without In, Out or InOut");
    return false;
  }
  if (Py_TYPE(object) == types.future) {
    refuse(where, PyExc_TypeError,
           "is a Future, and a native function cannot take it: pass "
           "x.result(), or let a Python function call the native one");
    return false;
  }
  if (fill_number(slot, object, where, word)) return true;
  if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) return false;
  PyErr_Clear();
  refuse(where, PyExc_TypeError, "is a %s, and the native function takes a number",
         Py_TYPE(object)->tp_name);
  return false;
}

}  // namespace myr::py
