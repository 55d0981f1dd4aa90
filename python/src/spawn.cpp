// SPDX-License-Identifier: Apache-2.0
//
// A call of a task: its arguments become a footprint and a closure, and these a task of the
// library's; and what runs in it.
#include <array>
#include <cstring>
#include <utility>

#include "footprint.hpp"
#include "kept.hpp"
#include "library.hpp"
#include "machine.hpp"
#include "remote.hpp"
#include "site.hpp"
#include "task.hpp"

namespace myr::py {

namespace {

// What a task of the library keeps. References are all in `kept`: the arguments of a Python
// function first, then whatever else must stay alive.
struct Closure {
  const TaskBody* body;
  const myr_site* site;
  Kept* kept;
  Future* future;         // nullptr: nobody wants the result
  PyObject* description;  // of a task that may travel: bytes, which are in `kept`
  std::uint32_t argument_count;
  std::uint32_t has_futures;  // among the arguments
  std::uint32_t word_count;
  std::uint32_t is_remote;  // it has come from another process
  // Of a native function: integers, floats, stack. Of a Python function that may travel: where its
  // arrays are.
  Word words[1];
};
constexpr std::size_t kClosureBytes = offsetof(Closure, words);

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

// What a plain task returns nobody gets, unless it is one of its arguments, as NumPy does with out.
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

// ---- to other processes -------------------------------------------------------------------------

int save(const void* memory, void* image_memory, void (*put)(void*, const void*, std::size_t),
         void* to) {
  const auto& closure = *static_cast<const Closure*>(memory);
  auto& image = *static_cast<Closure*>(image_memory);
  image.body = nullptr;
  image.site = nullptr;
  image.kept = nullptr;
  image.description = nullptr;
  put(to, PyBytes_AS_STRING(closure.description),
      static_cast<std::size_t>(PyBytes_GET_SIZE(closure.description)));
  return 0;
}

// Makes the task of its description. False: a Python exception is set.
bool load_parts(Closure& closure, const void* saved, std::size_t size) {
  const Ref addresses(PyTuple_New(closure.word_count));
  if (!addresses) return false;
  for (std::uint32_t i = 0; i < closure.word_count; ++i) {
    PyTuple_SET_ITEM(addresses.get(), i,
                     PyLong_FromVoidPtr(const_cast<void*>(closure.words[i].pointer)));
  }
  const Ref loaded(loaded_description(saved, size, addresses.get()));
  if (!loaded) return false;
  PyObject* task = nullptr;
  PyObject* arguments = nullptr;
  const char* file = nullptr;
  unsigned line = 0;
  if (PyArg_ParseTuple(loaded.get(), "O!O!sI", types.task, &task, &PyList_Type, &arguments, &file,
                       &line) == 0) {
    return false;
  }
  const Py_ssize_t count = PyList_GET_SIZE(arguments);
  Kept* const kept = new_kept(static_cast<std::size_t>(count) + 1);
  if (kept == nullptr) return false;
  for (Py_ssize_t i = 0; i < count; ++i) {
    kept->objects[kept->count++] = Py_NewRef(PyList_GET_ITEM(arguments, i));
  }
  kept->objects[kept->count++] = Py_NewRef(task);
  closure.kept = kept;
  closure.site = named_site(file, line);
  closure.body = reinterpret_cast<Task*>(task)->body;
  return true;
}

int load(void* memory, const void* saved, std::size_t size) {
  auto& closure = *static_cast<Closure*>(memory);
  if (!start_interpreter()) return -1;
  const Inside inside;
  closure.is_remote = 1;
  if (load_parts(closure, saved, size)) return 0;
  static constexpr myr_site kNowhere{"another process", "", 0, 0};
  const Ref name(PyUnicode_FromString("of another process"));
  PyObject* const exception = caught(name.get(), &kNowhere);
  closure.kept = new_kept(1);
  if (closure.kept == nullptr) return -1;
  closure.kept->objects[closure.kept->count++] = exception;
  return 0;
}

constexpr myr_closure_kind kTravelling{save, load};

// ---- the call -----------------------------------------------------------------------------------

constexpr std::size_t kBoundMax = 64;

// A task on its way: what is here goes to the library, or is freed.
class Call {
 public:
  Call(Task& task, const SpawnOptions& options)
      : body_(*task.body), task_(task), options_(options) {}
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call() {
    if (kept_ != nullptr) hand_back(kept_);
  }

  bool bind(PyObject* const* arguments, std::size_t count, PyObject* names);
  bool take_arguments();
  bool submit();

 private:
  bool bind_names(PyObject* const* values, PyObject* names);
  bool take(const Parameter& parameter, PyObject* object);
  bool take_uses();
  void keep(PyObject* owned) { kept_->objects[kept_->count++] = owned; }
  void describe();
  void fill(const myr_draft& draft, const myr_site* site);
  Word& word_of(const NativeSlot& slot);

  const TaskBody& body_;
  Task& task_;
  const SpawnOptions& options_;
  PyObject* bound_[kBoundMax];  // borrowed
  Footprint footprint_;
  Kept* kept_ = nullptr;
  std::uint32_t has_futures_ = 0;
  PyObject* description_ = nullptr;  // borrowed: bytes, in kept_
  PyObject* addresses_ = nullptr;    // borrowed: a tuple, in kept_
  NativeArguments words_;
};

bool Call::bind_names(PyObject* const* values, PyObject* names) {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(names, i);
    std::size_t index = 0;
    while (index < body_.parameters.size() &&
           PyUnicode_Compare(body_.parameters[index].name, name) != 0) {
      ++index;
    }
    if (index == body_.parameters.size()) {
      PyErr_Format(PyExc_TypeError, "%U() has no parameter '%U'", body_.name, name);
      return false;
    }
    if (bound_[index] != nullptr) {
      PyErr_Format(PyExc_TypeError, "%U() got two values for '%U'", body_.name, name);
      return false;
    }
    bound_[index] = values[i];
  }
  return true;
}

bool Call::bind(PyObject* const* arguments, std::size_t count, PyObject* names) {
  const std::size_t all = body_.parameters.size();
  if (count > all) {
    PyErr_Format(PyExc_TypeError, "%U() takes %zu arguments, and got %zu", body_.name, all, count);
    return false;
  }
  for (std::size_t i = 0; i < all; ++i) bound_[i] = i < count ? arguments[i] : nullptr;
  if (names != nullptr && !bind_names(arguments + count, names)) return false;
  for (std::size_t i = 0; i < all; ++i) {
    if (bound_[i] != nullptr) continue;
    bound_[i] = body_.parameters[i].fallback;
    if (bound_[i] != nullptr) continue;
    PyErr_Format(PyExc_TypeError, "%U() is called without its argument '%U'", body_.name,
                 body_.parameters[i].name);
    return false;
  }
  return true;
}

Word& Call::word_of(const NativeSlot& slot) {
  if (slot.place == NativeSlot::Place::Integer) return words_.integers[slot.index];
  if (slot.place == NativeSlot::Place::Float) return words_.floats[slot.index];
  return words_.stack[slot.index];
}

bool Call::take(const Parameter& parameter, PyObject* object) {
  const Where where{body_.name, parameter.name};
  Mode mode = parameter.mode;
  if (PyType_IsSubtype(Py_TYPE(object), types.access) != 0) {
    const auto* const access = reinterpret_cast<Access*>(object);
    if (mode != Mode::Value && access->mode != mode) {
      refuse(where, PyExc_TypeError, "is passed as %s(...), and the task declares it differently",
             Py_TYPE(object)->tp_name);
      return false;
    }
    mode = access->mode;
    object = access->object;
  }
  const bool is_future = Py_TYPE(object) == types.future;
  if (is_future) has_futures_ = 1;
  if (body_.code != nullptr) {
    if (!fill_word(parameter, object, mode, where, word_of(parameter.slot))) return false;
    if (parameter.slot.kind != 'p' || mode == Mode::Value) return true;
    if (!footprint_.add(object, mode, where)) return false;
    keep(Py_NewRef(object));
    return true;
  }
  if (mode == Mode::Value && !is_future) {
    PyObject* const value = checked_value(object, where);
    if (value == nullptr) return false;
    keep(value);
    return true;
  }
  if (!footprint_.add(object, is_future ? Mode::In : mode, where)) return false;
  PyObject* const view = body_view(object, mode, body_.protects);
  if (view == nullptr) return false;
  keep(view);
  return true;
}

bool Call::take_uses() {
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(options_.uses); ++i) {
    PyObject* const item = PyTuple_GET_ITEM(options_.uses, i);
    if (PyType_IsSubtype(Py_TYPE(item), types.access) == 0) {
      PyErr_Format(PyExc_TypeError, "%U.uses() takes In(x), Out(x) and InOut(x), and got a %s",
                   body_.name, Py_TYPE(item)->tp_name);
      return false;
    }
    const auto* const access = reinterpret_cast<Access*>(item);
    const Ref name(PyUnicode_FromFormat("of uses(), number %zd,", i + 1));
    if (!name || !footprint_.add(access->object, access->mode, {body_.name, name.get()})) {
      return false;
    }
    keep(Py_NewRef(access->object));
  }
  return true;
}

bool Call::take_arguments() {
  const std::size_t uses = options_.uses == nullptr ? 0 : PyTuple_GET_SIZE(options_.uses);
  kept_ = new_kept(body_.parameters.size() + uses + 3);
  if (kept_ == nullptr) return false;
  for (std::size_t i = 0; i < body_.parameters.size(); ++i) {
    if (!take(body_.parameters[i], bound_[i])) return false;
  }
  if (options_.uses != nullptr && !take_uses()) return false;
  keep(Py_NewRef(reinterpret_cast<PyObject*>(&task_)));
  if (options_.future != nullptr) keep(Py_NewRef(reinterpret_cast<PyObject*>(options_.future)));
  if (runs_in_job() && !is_in_task()) describe();
  return true;
}

// For another process, if the task may go there.
void Call::describe() {
  if (options_.future != nullptr || has_futures_ != 0) return;
  const std::size_t count = body_.code == nullptr ? body_.parameters.size() : 0;
  PyObject* const description = remote_description(task_, *kept_, count);
  if (description == nullptr) return;
  keep(description);
  description_ = PyTuple_GET_ITEM(description, 0);
  addresses_ = PyTuple_GET_ITEM(description, 1);
  keep_until_wait(*kept_);
}

void Call::fill(const myr_draft& draft, const myr_site* site) {
  auto& closure = *static_cast<Closure*>(draft.closure);
  closure.body = &body_;
  closure.site = site;
  closure.kept = kept_;
  closure.future = options_.future;
  closure.argument_count = static_cast<std::uint32_t>(body_.parameters.size());
  closure.has_futures = has_futures_;
  closure.description = description_;
  closure.is_remote = 0;
  closure.word_count = 0;
  if (body_.code == nullptr && addresses_ != nullptr) {
    closure.word_count = static_cast<std::uint32_t>(PyTuple_GET_SIZE(addresses_));
    for (std::uint32_t i = 0; i < closure.word_count; ++i) {
      closure.words[i].pointer = PyLong_AsVoidPtr(PyTuple_GET_ITEM(addresses_, i));
    }
  }
  if (body_.code != nullptr) {
    Word* words = closure.words;
    std::memcpy(words, words_.integers, body_.integer_count * sizeof(Word));
    words += body_.integer_count;
    std::memcpy(words, words_.floats, body_.float_count * sizeof(Word));
    words += body_.float_count;
    std::memcpy(words, words_.stack, body_.stack_count * sizeof(Word));
  }
  std::size_t count = footprint_.size();
  footprint_.copy_to(draft.accesses);
  if (options_.future != nullptr) {
    draft.accesses[count++] = myr_out_range(&options_.future->place, sizeof(Future::place));
  }
}

bool Call::submit() {
  std::size_t words = body_.integer_count + body_.float_count + body_.stack_count;
  if (body_.code == nullptr && addresses_ != nullptr) {
    words = static_cast<std::size_t>(PyTuple_GET_SIZE(addresses_));
  }
  const std::size_t count = footprint_.size() + (options_.future == nullptr ? 0 : 1);
  const myr_site* const site = current_site();
  const std::size_t copy = body_.number % kCopies;
  const myr_body body = body_.code == nullptr ? kPythonBodies[copy] : kNativeBodies[copy];
  const Lock lock = lock_of_spawns();
  return call_library(lock, [&] {
    const myr_draft draft = myr_draft_new_at(kClosureBytes + words * sizeof(Word), count, site);
    fill(draft, site);
    if (options_.priority > 0) myr_draft_priority(draft, options_.priority);
    if (description_ != nullptr) {
      myr_draft_save(draft, &kTravelling);
    } else if (lock == Lock::Release) {  // where there may be other processes
      myr_draft_keep_here(draft);
    }
    kept_ = nullptr;  // the task's: a spawn that is refused calls the body to let go of it
    myr_submit_at(draft, body, site);
  });
}

}  // namespace

bool spawn(Task& task, PyObject* const* arguments, std::size_t count, PyObject* names,
           const SpawnOptions& options) {
  let_go();
  if (!ensure_started()) return false;
  Call call(task, options);
  return call.bind(arguments, count, names) && call.take_arguments() && call.submit();
}

}  // namespace myr::py
