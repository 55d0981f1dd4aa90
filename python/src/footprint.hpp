// SPDX-License-Identifier: Apache-2.0
//
// Which memory the arguments of a task name: arrays as ranges and rows of tiles, lists of arrays,
// futures, tokens, regions.
//
// Thread: with the interpreter's lock.
#pragma once

#include <cstddef>
#include <vector>

#include "objects.hpp"
#include "python.hpp"

namespace myr::py {

// An argument, for messages. `parameter`: its name, or nullptr in a wait.
struct Where {
  PyObject* task;
  PyObject* parameter;
};
// Sets an exception that says where, what happened, and what to do.
void refuse(const Where& where, PyObject* type, const char* format, ...);

class Footprint {
 public:
  // Adds what `object` names. False: a Python exception is set.
  bool add(PyObject* object, Mode mode, const Where& where);
  // Adds an array. One that does not fit is refused.
  bool add_array(PyArrayObject* array, Mode mode, const Where& where);

  [[nodiscard]] std::size_t size() const { return few_count_ + more_.size(); }
  void copy_to(myr_access* accesses) const;

 private:
  static constexpr std::size_t kFew = 16;

  void push(const void* address, std::size_t bytes, unsigned flags);
  bool add_rows(PyArrayObject* array, Mode mode, const Where& where);
  bool add_each(PyObject* sequence, Mode mode, const Where& where);

  myr_access few_[kFew];
  std::size_t few_count_ = 0;
  std::vector<myr_access> more_;
};

}  // namespace myr::py
