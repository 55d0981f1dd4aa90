// SPDX-License-Identifier: Apache-2.0
#include "site.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace myr::py {

namespace {

struct Place {
  PyCodeObject* code = nullptr;  // owned: so its address stands for it
  int instruction = 0;
  const myr_site* site = nullptr;  // nullptr: in this package
};

struct Key {
  PyCodeObject* code;
  int instruction;
  bool operator==(const Key&) const = default;
};
struct Hash {
  std::size_t operator()(const Key& key) const {
    return (reinterpret_cast<std::uintptr_t>(key.code) >> 4) * 31 +
           static_cast<std::size_t>(key.instruction);
  }
};

// All of it is guarded by the interpreter's lock.
std::unordered_map<Key, Place, Hash>& places() {
  static auto* map = new std::unordered_map<Key, Place, Hash>;
  return *map;
}
constexpr std::size_t kRecent = 64;
Place recent[kRecent];
PyObject* package_folder = nullptr;
constexpr myr_site kUnknown{"", "", 0, 0};

Place describe(PyCodeObject* code, int instruction) {
  Place place{code, instruction, nullptr};
  Py_INCREF(code);
  const bool is_own =
      package_folder != nullptr &&
      PyUnicode_Tailmatch(code->co_filename, package_folder, 0, PY_SSIZE_T_MAX, -1) == 1;
  if (is_own) return place;
  const char* file = PyUnicode_AsUTF8(code->co_filename);
  const char* function = PyUnicode_AsUTF8(code->co_qualname);
  if (file == nullptr || function == nullptr) PyErr_Clear();
  const int line = PyCode_Addr2Line(code, instruction);
  place.site = new myr_site{file == nullptr ? "?" : file, function == nullptr ? "?" : function,
                            static_cast<unsigned>(line < 0 ? 0 : line), 0};
  return place;
}

const Place& place_of(PyCodeObject* code, int instruction) {
  const Key key{code, instruction};
  Place& seen = recent[Hash()(key) % kRecent];
  if (seen.code == code && seen.instruction == instruction) return seen;
  auto found = places().find(key);
  if (found == places().end()) found = places().emplace(key, describe(code, instruction)).first;
  seen = found->second;
  return seen;
}

}  // namespace

void set_package_folder(PyObject* folder) { package_folder = Py_NewRef(folder); }

const myr_site* named_site(const char* file, unsigned line) {
  static auto* sites = new std::map<std::pair<std::string, unsigned>, myr_site>;
  const auto [place, is_new] = sites->try_emplace({file, line});
  if (is_new) place->second = {place->first.first.c_str(), "", line, 0};
  return &place->second;
}

const myr_site* current_site() {
  PyFrameObject* frame = PyThreadState_GetFrame(PyThreadState_Get());
  while (frame != nullptr) {
    PyCodeObject* const code = PyFrame_GetCode(frame);
    const Place& place = place_of(code, PyFrame_GetLasti(frame));
    Py_DECREF(code);
    PyFrameObject* const back = place.site == nullptr ? PyFrame_GetBack(frame) : nullptr;
    Py_DECREF(frame);
    if (place.site != nullptr) return place.site;
    frame = back;
  }
  return &kUnknown;
}

}  // namespace myr::py
