// SPDX-License-Identifier: Apache-2.0
#include "objects.hpp"

#include <structmember.h>

namespace myr::py {

Types types;

namespace {

template <class T>
T* as(PyObject* object) {
  return reinterpret_cast<T*>(object);
}

void free_object(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* one_argument(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  if (PyTuple_GET_SIZE(args) == 1 && (kwargs == nullptr || PyDict_GET_SIZE(kwargs) == 0)) {
    return PyTuple_GET_ITEM(args, 0);
  }
  PyErr_Format(PyExc_TypeError, "%s(x) takes one argument, what a task uses, and got %zd",
               type->tp_name,
               PyTuple_GET_SIZE(args) + (kwargs == nullptr ? 0 : PyDict_GET_SIZE(kwargs)));
  return nullptr;
}

Mode mode_of(PyTypeObject* type) {
  if (PyType_IsSubtype(type, types.in) != 0) return Mode::In;
  return PyType_IsSubtype(type, types.out) != 0 ? Mode::Out : Mode::InOut;
}

PyObject* access_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* const object = one_argument(type, args, kwargs);
  if (object == nullptr) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  as<Access>(self)->object = Py_NewRef(object);
  as<Access>(self)->mode = mode_of(type);
  return self;
}

void access_dealloc(PyObject* self) {
  Py_XDECREF(as<Access>(self)->object);
  free_object(self);
}

PyObject* access_repr(PyObject* self) {
  return PyUnicode_FromFormat("%s(%R)", Py_TYPE(self)->tp_name, as<Access>(self)->object);
}

// In[np.ndarray] in an annotation is In to us, and says more to readers.
PyObject* access_of_class(PyObject* type, PyObject*) { return Py_NewRef(type); }

PyMethodDef access_methods[] = {
    {"__class_getitem__", access_of_class, METH_O | METH_CLASS, "In[T] stands for In."},
    {nullptr, nullptr, 0, nullptr}};
PyMemberDef access_members[] = {
    {"object", T_OBJECT_EX, offsetof(Access, object), READONLY, "What it names."},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot access_slots[] = {{Py_tp_new, reinterpret_cast<void*>(access_new)},
                              {Py_tp_dealloc, reinterpret_cast<void*>(access_dealloc)},
                              {Py_tp_repr, reinterpret_cast<void*>(access_repr)},
                              {Py_tp_methods, access_methods},
                              {Py_tp_members, access_members},
                              {0, nullptr}};
PyType_Slot no_slots[] = {{0, nullptr}};
constexpr unsigned kFlags = Py_TPFLAGS_DEFAULT;
PyType_Spec access_spec{"myrmidon.Access", sizeof(Access), 0, kFlags | Py_TPFLAGS_BASETYPE,
                        access_slots};
PyType_Spec in_spec{"myrmidon.In", sizeof(Access), 0, kFlags, no_slots};
PyType_Spec out_spec{"myrmidon.Out", sizeof(Access), 0, kFlags, no_slots};
PyType_Spec inout_spec{"myrmidon.InOut", sizeof(Access), 0, kFlags, no_slots};

PyObject* token_new(PyTypeObject* type, PyObject*, PyObject*) { return type->tp_alloc(type, 0); }
PyType_Slot token_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(token_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(free_object)},
    {Py_tp_doc, const_cast<char*>("What is no array, such as a file or a list: tasks "
                                  "that name the same token are ordered by it.")},
    {0, nullptr}};
PyType_Spec token_spec{"myrmidon.Token", sizeof(Token), 0, kFlags, token_slots};

PyObject* unchecked_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* const object = one_argument(type, args, kwargs);
  if (object == nullptr) return nullptr;
  PyObject* const self = type->tp_alloc(type, 0);
  if (self != nullptr) as<Unchecked>(self)->object = Py_NewRef(object);
  return self;
}
void unchecked_dealloc(PyObject* self) {
  Py_XDECREF(as<Unchecked>(self)->object);
  free_object(self);
}
PyType_Slot unchecked_slots[] = {
    {Py_tp_new, reinterpret_cast<void*>(unchecked_new)},
    {Py_tp_dealloc, reinterpret_cast<void*>(unchecked_dealloc)},
    {Py_tp_doc, const_cast<char*>("A value that a task shares with others, and that something "
                                  "else orders: it is handed on as it is.")},
    {0, nullptr}};
PyType_Spec unchecked_spec{"myrmidon.unchecked", sizeof(Unchecked), 0, kFlags, unchecked_slots};

}  // namespace

PyTypeObject* add_type(PyObject* module, PyType_Spec& spec, PyTypeObject* base) {
  PyObject* const type = PyType_FromSpecWithBases(&spec, reinterpret_cast<PyObject*>(base));
  if (type == nullptr) return nullptr;
  auto* const made = as<PyTypeObject>(type);
  return PyModule_AddType(module, made) == 0 ? made : nullptr;
}

bool add_objects(PyObject* module) {
  types.access = add_type(module, access_spec);
  if (types.access == nullptr) return false;
  types.in = add_type(module, in_spec, types.access);
  types.out = add_type(module, out_spec, types.access);
  types.inout = add_type(module, inout_spec, types.access);
  types.token = add_type(module, token_spec);
  types.unchecked = add_type(module, unchecked_spec);
  return types.in != nullptr && types.out != nullptr && types.inout != nullptr &&
         types.token != nullptr && types.unchecked != nullptr;
}

}  // namespace myr::py
