// SPDX-License-Identifier: Apache-2.0
#include "footprint.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace myr::py {

namespace {

// How many pieces of an array a task may name one by one; more cost too much to be meant.
constexpr npy_intp kPiecesMax = 65'536;

unsigned flags_of(Mode mode) {
  if (mode == Mode::In) return MYR_IN;
  return mode == Mode::Out ? MYR_OUT : MYR_INOUT;
}
const char* name_of(Mode mode) {
  if (mode == Mode::In) return "In";
  return mode == Mode::Out ? "Out" : "InOut";
}

// A direction of an array, from its lowest address up.
struct Direction {
  npy_intp count;
  npy_intp stride;  // > 0
};

// The array's elements as runs of bytes: `piece` bytes at each place of these directions.
struct Layout {
  char* first;
  npy_intp piece;
  Direction directions[NPY_MAXDIMS];
  int depth = 0;
};

Layout layout_of(PyArrayObject* array) {
  Layout layout;
  layout.first = PyArray_BYTES(array);
  layout.piece = PyArray_ITEMSIZE(array);
  for (int i = 0; i < PyArray_NDIM(array); ++i) {
    const npy_intp count = PyArray_DIM(array, i);
    npy_intp stride = PyArray_STRIDE(array, i);
    if (count == 1 || stride == 0) continue;  // stride 0: the same bytes again
    if (stride < 0) {
      layout.first += (count - 1) * stride;
      stride = -stride;
    }
    layout.directions[layout.depth++] = {count, stride};
  }
  std::sort(layout.directions, layout.directions + layout.depth,
            [](const Direction& a, const Direction& b) { return a.stride > b.stride; });
  // From the inside: a direction without gaps makes the piece longer. So do elements that overlap,
  // as those of sliding windows.
  while (layout.depth > 0) {
    const Direction& inner = layout.directions[layout.depth - 1];
    if (inner.stride > layout.piece) break;
    layout.piece += (inner.count - 1) * inner.stride;
    layout.depth -= 1;
  }
  // Two directions that are one.
  for (int i = layout.depth - 2; i >= 0; --i) {
    Direction& outer = layout.directions[i];
    const Direction& inner = layout.directions[i + 1];
    if (outer.stride != inner.stride * inner.count) continue;
    outer = {outer.count * inner.count, inner.stride};
    std::copy(layout.directions + i + 2, layout.directions + layout.depth,
              layout.directions + i + 1);
    layout.depth -= 1;
  }
  return layout;
}

// A masked array's mask, say, is memory that nobody would declare.
bool has_more_than_elements(PyArrayObject* array) {
  if (PyArray_CheckExact(array)) return false;
  const Ref mask(PyObject_GetAttrString(reinterpret_cast<PyObject*>(array), "_mask"));
  if (!mask) PyErr_Clear();
  return static_cast<bool>(mask);
}

bool is_buffer(PyObject* object) { return PyObject_CheckBuffer(object) != 0; }

}  // namespace

void refuse(const Where& where, PyObject* type, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const Ref text(PyUnicode_FromFormatV(format, arguments));
  va_end(arguments);
  if (!text) return;
  if (where.parameter == nullptr) {
    PyErr_Format(type, "wait(): %U", text.get());
  } else {
    PyErr_Format(type, "%U(): the argument '%U' %U", where.task, where.parameter, text.get());
  }
}

void Footprint::push(const void* address, std::size_t bytes, unsigned flags) {
  const myr_access access = myr_make_access(address, bytes, flags);
  if (few_count_ < kFew) {
    few_[few_count_++] = access;
  } else {
    more_.push_back(access);
  }
}

void Footprint::copy_to(myr_access* accesses) const {
  std::copy(few_, few_ + few_count_, accesses);
  std::copy(more_.begin(), more_.end(), accesses + few_count_);
}

bool Footprint::add_array(PyArrayObject* array, Mode mode, const Where& where) {
  if (PyDataType_REFCHK(PyArray_DESCR(array))) {
    refuse(where, PyExc_TypeError,
           "has dtype %R, whose elements are Python objects: what these hold, no access can name. "
           "Use a dtype of numbers, or a Token",
           PyArray_DESCR(array));
    return false;
  }
  if (has_more_than_elements(array)) {
    refuse(
        where, PyExc_TypeError,
        "is a %s, whose mask is memory that the access would not name: pass x.data and x.mask as "
        "arguments of their own",
        Py_TYPE(array)->tp_name);
    return false;
  }
  if (mode != Mode::In && !PyArray_ISWRITEABLE(array)) {
    refuse(where, PyExc_ValueError,
           "is declared %s, but the array is read-only. Declare it In; or, if it is an argument of "
           "the task that runs, declare it InOut there; or pass an array that can be written",
           name_of(mode));
    return false;
  }
  if (PyArray_SIZE(array) == 0 || PyArray_ITEMSIZE(array) == 0) return true;
  if (PyArray_IS_C_CONTIGUOUS(array) || PyArray_IS_F_CONTIGUOUS(array)) {
    push(PyArray_DATA(array), static_cast<std::size_t>(PyArray_NBYTES(array)), flags_of(mode));
    return true;
  }
  return add_rows(array, mode, where);
}

bool Footprint::add_rows(PyArrayObject* array, Mode mode, const Where& where) {
  const Layout layout = layout_of(array);
  npy_intp pieces = 1;
  for (int i = 0; i < layout.depth; ++i) {
    if (__builtin_mul_overflow(pieces, layout.directions[i].count, &pieces))
      pieces = kPiecesMax + 1;
    if (pieces > kPiecesMax) break;
  }
  if (pieces > kPiecesMax) {
    refuse(where, PyExc_ValueError,
           "is a view of more than %zd separate pieces of %zd bytes, which would have to be named "
           "one by one. Use a layout in which it is contiguous, or name the array around it, "
           "f.uses(In(whole)), and pass the view as unchecked(view)",
           static_cast<Py_ssize_t>(kPiecesMax), static_cast<Py_ssize_t>(layout.piece));
    return false;
  }
  npy_intp index[NPY_MAXDIMS] = {};
  const char* place = layout.first;
  for (npy_intp i = 0; i < pieces; ++i) {
    push(place, static_cast<std::size_t>(layout.piece), flags_of(mode));
    for (int d = layout.depth - 1; d >= 0; --d) {
      place += layout.directions[d].stride;
      if (++index[d] < layout.directions[d].count) break;
      place -= layout.directions[d].stride * layout.directions[d].count;
      index[d] = 0;
    }
  }
  return true;
}

bool Footprint::add_each(PyObject* sequence, Mode mode, const Where& where) {
  if (Py_EnterRecursiveCall(" in a list of arrays") != 0) return false;
  PyObject* const* const items = PySequence_Fast_ITEMS(sequence);
  const Py_ssize_t count = PySequence_Fast_GET_SIZE(sequence);
  bool is_done = true;
  for (Py_ssize_t i = 0; is_done && i < count; ++i) is_done = add(items[i], mode, where);
  Py_LeaveRecursiveCall();
  return is_done;
}

bool Footprint::add(PyObject* object, Mode mode, const Where& where) {
  if (PyArray_Check(object))
    return add_array(reinterpret_cast<PyArrayObject*>(object), mode, where);
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) return add_each(object, mode, where);
  PyTypeObject* const type = Py_TYPE(object);
  if (type == types.token) {
    push(&reinterpret_cast<Token*>(object)->place, sizeof(Token::place), flags_of(mode));
    return true;
  }
  if (type == types.future) {
    if (mode != Mode::In) {
      refuse(where, PyExc_TypeError, "is a Future, which a task can only read: declare it In");
      return false;
    }
    push(&reinterpret_cast<Future*>(object)->place, sizeof(Future::place), MYR_IN);
    return true;
  }
  if (type == types.region) {
    const auto* const region = reinterpret_cast<Region*>(object);
    if (region->is_free) {
      refuse(where, PyExc_ValueError, "is a Region that has been freed");
      return false;
    }
    myr_access access = myr_region_access(region->id, flags_of(mode));
    push(nullptr, 0, 0);
    (more_.empty() ? few_[few_count_ - 1] : more_.back()) = access;
    return true;
  }
  if (PyArray_IsScalar(object, Generic)) {
    refuse(where, PyExc_TypeError,
           "is declared %s, but is of type %s, a copy of a number, which names no memory. Pass a "
           "slice, "
           "x[i:i+1], or declare it without %s",
           name_of(mode), type->tp_name, name_of(mode));
    return false;
  }
  refuse(where, PyExc_TypeError,
         "is declared %s, and is of type %s. What can be declared are NumPy arrays, lists and "
         "tuples of "
         "these, futures, tokens and regions%s",
         name_of(mode), type->tp_name,
         is_buffer(object) ? "; np.asarray(x) makes an array of its memory" : "");
  return false;
}

}  // namespace myr::py
