// SPDX-License-Identifier: Apache-2.0
//
// How the closure of a task goes to another process, and what is made of it there.
#include "closure.hpp"
#include "library.hpp"
#include "remote.hpp"
#include "site.hpp"

namespace myr::py {

namespace {

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

}  // namespace

constexpr myr_closure_kind kTravelling{sizeof(myr_closure_kind), save, load};

}  // namespace myr::py
