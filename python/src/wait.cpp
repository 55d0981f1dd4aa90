// SPDX-License-Identifier: Apache-2.0
#include "wait.hpp"

#include <vector>

#include "footprint.hpp"
#include "kept.hpp"
#include "library.hpp"
#include "remote.hpp"
#include "site.hpp"

namespace myr::py {

namespace {

// What main is told that has been interrupted: its tasks are over or dropped, and what they have
// thrown is of no interest.
bool raise_interrupt(const myr_site* site) {
  call_library(Lock::Release, [&] { myr_wait_all_at(site); });
  if (!raise_failure()) PyErr_Clear();
  if (PyErr_CheckSignals() == 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  return false;
}

// Calls wait(), without the lock. False: a Python exception is set.
template <class Wait>
bool wait_here(const myr_site* site, const Wait& wait) {
  bool is_done;
  {
    const Interruptible interruptible;
    is_done = call_library(Lock::Release, wait);
    if (interruptible.has_happened()) is_done = raise_interrupt(site);
  }
  if (!is_done) return false;
  let_go();
  return PyErr_CheckSignals() == 0;
}

}  // namespace

PyObject* wait_all() {
  if (!ensure_started()) return nullptr;
  const myr_site* const site = current_site();
  if (!wait_here(site, [&] { myr_wait_all_at(site); })) return nullptr;
  if (!is_in_task()) end_of_wait();
  free_regions();
  if (!raise_failure()) return nullptr;
  Py_RETURN_NONE;
}

PyObject* wait_for(PyObject* const* accesses, Py_ssize_t count) {
  Footprint footprint;
  for (Py_ssize_t i = 0; i < count; ++i) {
    if (PyType_IsSubtype(Py_TYPE(accesses[i]), types.access) == 0) {
      PyErr_Format(PyExc_TypeError,
                   "wait() takes In(x), Out(x) and InOut(x), what you are about to do with x, and "
                   "got a %s; without arguments it waits for all",
                   Py_TYPE(accesses[i])->tp_name);
      return nullptr;
    }
    const auto* const access = reinterpret_cast<Access*>(accesses[i]);
    if (!footprint.add(access->object, access->mode, {nullptr, nullptr})) return nullptr;
  }
  if (!ensure_started()) return nullptr;
  std::vector<myr_access> all(footprint.size());
  footprint.copy_to(all.data());
  const myr_site* const site = current_site();
  if (!wait_here(site, [&] { myr_wait_at(all.data(), all.size(), site); })) return nullptr;
  Py_RETURN_NONE;
}

bool wait_for_place(const std::uint64_t* place) {
  if (!ensure_started()) return false;
  const myr_access access = myr_in_range(place, sizeof *place);
  const myr_site* const site = current_site();
  return wait_here(site, [&] { myr_wait_at(&access, 1, site); });
}

}  // namespace myr::py
