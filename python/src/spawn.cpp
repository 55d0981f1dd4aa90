// SPDX-License-Identifier: Apache-2.0
//
// A call of a task: its arguments become a footprint and a closure, and these a task of the
// library's.
#include <cstring>

#include "closure.hpp"
#include "footprint.hpp"
#include "library.hpp"
#include "machine.hpp"
#include "remote.hpp"
#include "site.hpp"

namespace myr::py {

namespace {

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
  const myr_body body = body_of(body_);
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
