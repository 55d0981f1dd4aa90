// SPDX-License-Identifier: Apache-2.0
#include "task.hpp"

#include <structmember.h>

#include <cstring>
#include <memory>

namespace myr::py {

namespace {

constexpr std::size_t kParametersMax = 60;

Task* as_task(PyObject* object) { return reinterpret_cast<Task*>(object); }

PyObject* task_call(PyObject* self, PyObject* const* arguments, std::size_t flags,
                    PyObject* names) {
  if (!spawn(*as_task(self), arguments, PyVectorcall_NARGS(flags), names, {})) return nullptr;
  Py_RETURN_NONE;
}

PyObject* task_submit(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                      PyObject* names) {
  Ref future(reinterpret_cast<PyObject*>(new_future()));
  if (!future) return nullptr;
  SpawnOptions options;
  options.future = reinterpret_cast<Future*>(future.get());
  if (!spawn(*as_task(self), arguments, static_cast<std::size_t>(count), names, options)) {
    options.future->is_asked = true;
    return nullptr;
  }
  return future.release();
}

// _spawn(uses, priority, wants_future, *arguments): what uses() and priority() of the Python half
// call.
PyObject* task_spawn(PyObject* self, PyObject* const* arguments, Py_ssize_t count,
                     PyObject* names) {
  if (count < 3 || !PyTuple_Check(arguments[0])) {
    PyErr_SetString(PyExc_TypeError, "_spawn(uses, priority, wants_future, *arguments)");
    return nullptr;
  }
  SpawnOptions options;
  options.uses = arguments[0];
  options.priority = static_cast<int>(PyLong_AsLong(arguments[1]));
  if (PyErr_Occurred() != nullptr) return nullptr;
  Ref future;
  if (PyObject_IsTrue(arguments[2]) != 0) {
    future = Ref(reinterpret_cast<PyObject*>(new_future()));
    if (!future) return nullptr;
    options.future = reinterpret_cast<Future*>(future.get());
  }
  if (!spawn(*as_task(self), arguments + 3, static_cast<std::size_t>(count - 3), names, options)) {
    if (options.future != nullptr) options.future->is_asked = true;
    return nullptr;
  }
  return future ? future.release() : Py_NewRef(Py_None);
}

// ---- making one ---------------------------------------------------------------------------------

// (kind, bytes, element_kind, element_bytes, takes_strides) of a native parameter.
bool read_slot(PyObject* tuple, TaskBody& body, NativeSlot& slot) {
  const char* kind = nullptr;
  const char* element_kind = nullptr;
  int bytes = 0;
  int element_bytes = 0;
  int takes_strides = 0;
  if (PyArg_ParseTuple(tuple, "sisip", &kind, &bytes, &element_kind, &element_bytes,
                       &takes_strides) == 0) {
    return false;
  }
  slot.kind = *kind;
  slot.bytes = static_cast<std::uint8_t>(bytes);
  slot.element_kind = *element_kind;
  slot.element_bytes = static_cast<std::uint16_t>(element_bytes);
  slot.takes_strides = takes_strides != 0;
  const bool is_float = slot.kind == 'f';
  std::size_t& count = is_float ? body.float_count : body.integer_count;
  if (count < (is_float ? kFloatRegisters : kIntegerRegisters)) {
    slot.place = is_float ? NativeSlot::Place::Float : NativeSlot::Place::Integer;
    slot.index = static_cast<std::uint8_t>(count++);
    return true;
  }
  if (body.stack_count == kStackWords) {
    PyErr_SetString(PyExc_ValueError,
                    "a native function with that many parameters cannot be "
                    "called: hand on what it needs in an array");
    return false;
  }
  slot.place = NativeSlot::Place::Stack;
  slot.index = static_cast<std::uint8_t>(body.stack_count++);
  return true;
}

// (name, mode, default or the marker, slot or None)
bool read_parameter(PyObject* tuple, PyObject* none, TaskBody& body) {
  PyObject* name = nullptr;
  int mode = 0;
  PyObject* fallback = nullptr;
  PyObject* slot = nullptr;
  if (PyArg_ParseTuple(tuple, "UiOO", &name, &mode, &fallback, &slot) == 0) return false;
  Parameter parameter{};
  if (slot != Py_None && !read_slot(slot, body, parameter.slot)) return false;
  parameter.mode = static_cast<Mode>(mode);
  parameter.name = Py_NewRef(name);
  parameter.fallback = fallback == none ? nullptr : Py_NewRef(fallback);
  body.parameters.push_back(parameter);
  return true;
}

void free_body(TaskBody* body) {
  if (body == nullptr) return;
  for (const Parameter& parameter : body->parameters) {
    Py_XDECREF(parameter.name);
    Py_XDECREF(parameter.fallback);
  }
  Py_XDECREF(body->function);
  Py_XDECREF(body->name);
  delete body;
}

NativeResult result_named(const char* kind) {
  switch (*kind) {
    case 'i':
      return NativeResult::Integer;
    case 'd':
      return NativeResult::Double;
    case 'f':
      return NativeResult::Single;
    default:
      return NativeResult::None;
  }
}

// Task(function, name, parameters, missing, protects, address, result)
PyObject* task_new(PyTypeObject* type, PyObject* args, PyObject*) {
  PyObject* function = nullptr;
  PyObject* name = nullptr;
  PyObject* parameters = nullptr;
  PyObject* missing = nullptr;
  int protects = 0;
  unsigned long long address = 0;
  const char* result = nullptr;
  if (PyArg_ParseTuple(args, "OUO!OpKs", &function, &name, &PyTuple_Type, &parameters, &missing,
                       &protects, &address, &result) == 0) {
    return nullptr;
  }
  if (static_cast<std::size_t>(PyTuple_GET_SIZE(parameters)) > kParametersMax) {
    PyErr_Format(PyExc_ValueError, "%U() has more than %zu parameters: hand on a list of arrays",
                 name, kParametersMax);
    return nullptr;
  }
  if (address != 0 && !kHasNativeCalls) {
    PyErr_SetString(PyExc_NotImplementedError,
                    "native functions can be tasks on x86-64 and AArch64 "
                    "Linux only");
    return nullptr;
  }
  std::unique_ptr<TaskBody, void (*)(TaskBody*)> body(new TaskBody, free_body);
  body->function = Py_NewRef(function);
  body->name = Py_NewRef(name);
  body->protects = protects != 0;
  static std::size_t made = 0;  // guarded by the interpreter's lock
  body->number = made++;
  body->code = reinterpret_cast<const void*>(address);
  body->result = result_named(result);
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(parameters); ++i) {
    if (!read_parameter(PyTuple_GET_ITEM(parameters, i), missing, *body)) return nullptr;
  }
  PyObject* const self = type->tp_alloc(type, 0);
  if (self == nullptr) return nullptr;
  as_task(self)->call = task_call;
  as_task(self)->body = body.release();
  return self;
}

int task_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  Py_VISIT(as_task(self)->dict);
  if (as_task(self)->body != nullptr) Py_VISIT(as_task(self)->body->function);
  return 0;
}

int task_clear(PyObject* self) {
  Py_CLEAR(as_task(self)->dict);
  return 0;
}

void task_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  task_clear(self);
  free_body(as_task(self)->body);
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyObject* task_repr(PyObject* self) {
  return PyUnicode_FromFormat("<myrmidon task %U>", as_task(self)->body->name);
}

PyObject* task_function(PyObject* self, void*) { return Py_NewRef(as_task(self)->body->function); }

// As a method, f(self, ...), a task would hand on an object without a declaration.
PyMethodDef task_methods[] = {
    {"submit", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(task_submit)),
     METH_FASTCALL | METH_KEYWORDS, "Spawns the task, and returns a Future of what it returns."},
    {"_spawn", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(task_spawn)),
     METH_FASTCALL | METH_KEYWORDS, "_spawn(uses, priority, wants_future, *arguments)"},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef task_properties[] = {
    {"function", task_function, nullptr, "The function: calling it calls it, here and now.",
     nullptr},
    {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyMemberDef task_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Task, call), READONLY, nullptr},
    {"__dictoffset__", T_PYSSIZET, offsetof(Task, dict), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};
PyType_Slot task_slots[] = {{Py_tp_new, reinterpret_cast<void*>(task_new)},
                            {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                            {Py_tp_traverse, reinterpret_cast<void*>(task_traverse)},
                            {Py_tp_clear, reinterpret_cast<void*>(task_clear)},
                            {Py_tp_dealloc, reinterpret_cast<void*>(task_dealloc)},
                            {Py_tp_repr, reinterpret_cast<void*>(task_repr)},
                            {Py_tp_methods, task_methods},
                            {Py_tp_getset, task_properties},
                            {Py_tp_members, task_members},
                            {0, nullptr}};
PyType_Spec task_spec{
    "myrmidon._core.Task", sizeof(Task), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_BASETYPE,
    task_slots};

}  // namespace

bool add_tasks(PyObject* module) {
  types.task = add_type(module, task_spec);
  return types.task != nullptr;
}

}  // namespace myr::py
