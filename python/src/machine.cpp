// SPDX-License-Identifier: Apache-2.0
//
// The machine, as Python starts and ends it.
#include "machine.hpp"

#include <myr/process.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "kept.hpp"
#include "library.hpp"
#include "objects.hpp"

namespace myr::py {

namespace {

// Guarded by the interpreter's lock.
bool is_started = false;
bool is_ended = false;  // by finish(), or at the end of the process
Lock spawn_lock = Lock::Keep;
unsigned long main_thread = 0;
PyObject* obstacle = nullptr;  // why no machine can start; owned
bool process_ends = false;     // threads that are left, daemons, make no more calls

bool never_waits(const char* machine) {
  return machine == nullptr || *machine == 0 || std::strncmp(machine, "smp", 3) == 0 ||
         std::strcmp(machine, "serial") == 0;
}

// The environment overrides what the program says.
void note_started(const char* wanted) {
  const char* const on = std::getenv("MYR_ON");
  spawn_lock = never_waits(on != nullptr && *on != 0 ? on : wanted) ? Lock::Keep : Lock::Release;
  is_started = true;
  is_ended = false;
  install_error_handler();
}

bool raise_obstacle() {
  if (obstacle != nullptr) PyErr_SetObject(errors.start, obstacle);
  return obstacle != nullptr;
}

// As calls of the library do not return to threads that are left when the process ends.
void never_return() {
  PyEval_SaveThread();
  while (true) pause();
}

// Until no other thread is in a call of the library.
void await_calls() {
  constexpr std::chrono::milliseconds kLook{1};
  while (calls_of_threads() != 0) {
    const Outside outside(Lock::Release);
    std::this_thread::sleep_for(kLook);
  }
}

bool raise_start_error(int code) {
  PyErr_Format(errors.start, "the machine cannot start: %s", myr_error_text(code));
  return false;
}

}  // namespace

bool is_main_thread() { return PyThread_get_thread_ident() == main_thread; }
void set_main_thread(unsigned long identifier) { main_thread = identifier; }

Lock lock_of_spawns() { return spawn_lock; }

void set_obstacle(PyObject* text) { obstacle = Py_NewRef(text); }

bool ensure_started() {
  if (process_ends && !is_main_thread() && !is_in_task()) never_return();
  if (is_started) return true;
  if (raise_obstacle()) return false;
  if (is_ended) {
    PyErr_SetString(errors.start,
                    "the machine has ended, by finish() or as the program ends: call "
                    "myrmidon.start() for another one");
    return false;
  }
  int code = 0;
  if (!call_library(Lock::Release, [&] { code = myr_init(); })) return false;
  if (code != 0) return raise_start_error(code);
  note_started(nullptr);
  return true;
}

bool start(const char* machine, unsigned workers, bool pins, unsigned stack_mib,
           unsigned long long chaos) {
  if (raise_obstacle()) return false;
  myr_config config{};
  config.size = sizeof config;
  config.machine = machine;
  config.workers = workers;
  config.pin = pins ? 1 : 0;
  config.stack_mib = stack_mib;
  config.chaos = chaos;
  int code = 0;
  if (!call_library(Lock::Release, [&] { code = myr_start(&config); })) return false;
  if (code != 0) return raise_start_error(code);
  note_started(machine);
  return true;
}

bool finish() {
  if (!is_started) {
    is_ended = true;
    return true;
  }
  await_calls();
  free_regions();
  let_go();
  is_started = false;
  is_ended = true;
  if (!call_library(Lock::Release, [] { myr_finish(); })) return false;
  let_go();
  return true;
}

void begin_end() { process_ends = true; }

void forget_machine() {
  forget_calls();
  is_started = false;
  is_ended = false;
  interrupted.store(0);
}

bool runs_in_job() {
  const char* const on = std::getenv("MYR_ON");
  return spawn_lock == Lock::Release && on != nullptr && std::strncmp(on, "mpi:", 4) == 0;
}

void note_member_of_job() {
  spawn_lock = Lock::Release;
  is_started = true;
}

void flush_output() {
  for (const char* const name : {"stdout", "stderr"}) {
    PyObject* const stream = PySys_GetObject(name);
    const Ref done(stream == nullptr ? nullptr : PyObject_CallMethod(stream, "flush", nullptr));
    if (!done) PyErr_Clear();
  }
}

bool has_machine() { return is_started; }

}  // namespace myr::py
