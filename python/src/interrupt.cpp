// SPDX-License-Identifier: Apache-2.0
//
// What the user's interrupt does while main waits.
#include <csignal>

#include "library.hpp"

namespace myr::py {

namespace {

struct sigaction before;  // Python's own; set while `waits` is not 0
int waits = 0;            // of Python's main thread, which alone counts
PyObject* get_handler = nullptr;
PyObject* default_handler = nullptr;

void on_interrupt(int number) {
  if (interrupted.exchange(1) != 0) {  // the second time
    std::signal(number, SIG_DFL);
    std::raise(number);
    return;
  }
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) before.sa_handler(number);
}

// A program with a handler of its own decides by itself what an interrupt is.
bool python_has_its_handler() {
  if (get_handler == nullptr) {
    const Ref signal(PyImport_ImportModule("signal"));
    get_handler = signal ? PyObject_GetAttrString(signal.get(), "getsignal") : nullptr;
    default_handler =
        signal ? PyObject_GetAttrString(signal.get(), "default_int_handler") : nullptr;
  }
  if (get_handler == nullptr || default_handler == nullptr) {
    PyErr_Clear();
    return false;
  }
  const Ref now(PyObject_CallFunction(get_handler, "i", SIGINT));
  if (!now) PyErr_Clear();
  return now.get() == default_handler;
}

}  // namespace

Interruptible::Interruptible() : is_main_(is_main_thread()) {
  if (!is_main_) return;
  if (waits == 0 && !python_has_its_handler()) {
    is_main_ = false;
    return;
  }
  if (waits++ != 0) return;
  struct sigaction own{};
  own.sa_handler = on_interrupt;
  sigemptyset(&own.sa_mask);
  own.sa_flags = SA_NODEFER;
  sigaction(SIGINT, &own, &before);
}

Interruptible::~Interruptible() {
  if (!is_main_ || --waits != 0) return;
  sigaction(SIGINT, &before, nullptr);
  interrupted.store(0);
}

bool Interruptible::has_happened() const { return is_main_ && interrupted.load() != 0; }

}  // namespace myr::py
