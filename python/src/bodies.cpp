// SPDX-License-Identifier: Apache-2.0
//
// What runs in a task: a Python function, with the interpreter's lock, or native code, without it.
#include <array>
#include <cstring>
#include <utility>

#include "closure.hpp"
#include "library.hpp"
#include "machine.hpp"

namespace myr::py {

namespace {

void drop(Closure& closure, bool is_interrupt) {
  if (is_interrupt) report_dropped();
  if (closure.future != nullptr) {
    const Inside inside;
    closure.future->is_dropped = true;
    hand_back(closure.kept);
    let_go();
  } else {
    hand_back(closure.kept);
  }
}

// False: the task is over without having run.
bool may_run(Closure& closure, const myr_access* accesses) {
  if (closure.body == nullptr) {  // it could not be loaded
    const Inside inside;
    report(Py_NewRef(closure.kept->objects[0]));
    hand_back(closure.kept);
    return false;
  }
  if (accesses == MYR_CANCELLED) {
    drop(closure, false);
    return false;
  }
  if (interrupted.load(std::memory_order_relaxed) == 0) return true;
  drop(closure, true);
  return false;
}

Word run_code(const Closure& closure) {
  const TaskBody& body = *closure.body;
  NativeArguments arguments;
  const Word* words = closure.words;
  std::memcpy(arguments.integers, words, body.integer_count * sizeof(Word));
  words += body.integer_count;
  std::memcpy(arguments.floats, words, body.float_count * sizeof(Word));
  words += body.float_count;
  std::memcpy(arguments.stack, words, body.stack_count * sizeof(Word));
  const Unlocked unlocked;
  return call_native(body.code, arguments, body.stack_count, body.result);
}

PyObject* result_of(Word word, NativeResult kind) {
  switch (kind) {
    case NativeResult::Integer:
      return PyLong_FromLongLong(word.integer);
    case NativeResult::Double:
      return PyFloat_FromDouble(word.number);
    case NativeResult::Single:
      return PyFloat_FromDouble(static_cast<double>(word.single));
    default:
      return Py_NewRef(Py_None);
  }
}

void run_native(void* memory, const myr_access* accesses) {
  auto& closure = *static_cast<Closure*>(memory);
  if (!may_run(closure, accesses)) return;
  const Word word = run_code(closure);
  if (closure.future == nullptr) {
    hand_back(closure.kept);
    return;
  }
  const Inside inside;
  resolve(*closure.future, result_of(word, closure.body->result), nullptr);
  hand_back(closure.kept);
  let_go();
}

// Puts results in the place of futures. False: one of these has failed, and so does the task, with
// the exception that is set.
bool take_results(Closure& closure) {
  for (std::uint32_t i = 0; i < closure.argument_count; ++i) {
    PyObject*& argument = closure.kept->objects[i];
    if (Py_TYPE(argument) != types.future) continue;
    auto* const future = reinterpret_cast<Future*>(argument);
    future->is_asked = true;
    if (future->exception != nullptr) {
      PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(future->exception)), future->exception);
      return false;
    }
    if (future->result == nullptr) {
      PyErr_SetString(PyExc_RuntimeError,
                      "a future that is an argument has no result: its task was "
                      "cancelled, or belongs to another thread");
      return false;
    }
    argument = Py_NewRef(future->result);
    Py_DECREF(future);
  }
  return true;
}

// The result of a plain task is lost, unless it is one of its arguments, as NumPy returns out.
bool is_lost(const Closure& closure, PyObject* result) {
  if (result == Py_None || closure.future != nullptr) return false;
  for (std::uint32_t i = 0; i < closure.argument_count; ++i) {
    if (closure.kept->objects[i] == result) return false;
  }
  return true;
}

PyObject* call_function(Closure& closure) {
  if (closure.has_futures != 0 && !take_results(closure)) return nullptr;
  PyObject* const result = PyObject_Vectorcall(closure.body->function, closure.kept->objects,
                                               closure.argument_count, nullptr);
  if (result == nullptr || !is_lost(closure, result)) return result;
  PyErr_Format(PyExc_TypeError,
               "the task returned an object of type %s, which nobody gets: write f.submit(...) for "
               "a Future of it, "
               "or let the function return None",
               Py_TYPE(result)->tp_name);
  Py_DECREF(result);
  return nullptr;
}

void fail(Closure& closure) {
  PyObject* const exception = caught(closure.body->name, closure.site);
  // An interrupt that came while a spawn of main ran this task: main is to know.
  const bool is_interrupt = PyErr_GivenExceptionMatches(exception, PyExc_KeyboardInterrupt) != 0;
  if (is_interrupt && is_main_thread()) PyErr_SetInterrupt();
  if (closure.future != nullptr) {
    resolve(*closure.future, nullptr, exception);
  } else {
    report(exception);
  }
}

void run_python(void* memory, const myr_access* accesses) {
  auto& closure = *static_cast<Closure*>(memory);
  if (!may_run(closure, accesses)) return;
  const Inside inside;
  PyObject* const result = call_function(closure);
  if (result == nullptr) {
    fail(closure);
  } else if (closure.future != nullptr) {
    resolve(*closure.future, result, nullptr);
  } else {
    Py_DECREF(result);
  }
  hand_back(closure.kept);
  let_go();
  if (closure.is_remote != 0) flush_output();
}

// The library remembers by the address of its body how long a task takes. So that one Python function
// is not taken for another, there are many copies of the bodies, and tasks are given one in turn.
template <std::size_t>
void run_native_copy(void* memory, const myr_access* accesses) {
  run_native(memory, accesses);
}
template <std::size_t>
void run_python_copy(void* memory, const myr_access* accesses) {
  run_python(memory, accesses);
}
constexpr std::size_t kCopies = 64;
template <std::size_t... I>
constexpr std::array<myr_body, kCopies> native_copies(std::index_sequence<I...>) {
  return {run_native_copy<I>...};
}
template <std::size_t... I>
constexpr std::array<myr_body, kCopies> python_copies(std::index_sequence<I...>) {
  return {run_python_copy<I>...};
}
constexpr auto kNativeBodies = native_copies(std::make_index_sequence<kCopies>());
constexpr auto kPythonBodies = python_copies(std::make_index_sequence<kCopies>());

}  // namespace

myr_body body_of(const TaskBody& body) {
  const std::size_t copy = body.number % kCopies;
  return body.code == nullptr ? kPythonBodies[copy] : kNativeBodies[copy];
}

}  // namespace myr::py
