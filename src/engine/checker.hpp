// SPDX-License-Identifier: Apache-2.0
//
// Checker: what `myr check` gets to see of a serial run, and what it asks. It is in a library of
// its own (src/check), which that command loads into the program.
//
// Threads: main's.
#pragma once

#include <cstddef>

#include "myr/myr.h"

namespace myr::engine {

class Checker {
 public:
  // What the engine answers.
  class Memory {
   public:
    // Is the address in an object that lies in the region, or in one below it?
    [[nodiscard]] virtual bool is_in(const void* address, myr_region region) const = 0;
    // Is the one region the other, or around it?
    [[nodiscard]] virtual bool encloses(myr_region outer, myr_region inner) const = 0;
    // Was the address in a region that has been freed, and is in none now?
    [[nodiscard]] virtual bool is_left(const void* address) const = 0;
    // Does the runtime keep tasks, with their closures, there?
    [[nodiscard]] virtual bool is_of_tasks(const void* address) const = 0;

   protected:
    ~Memory() = default;
  };

  Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  virtual void start(const Memory& memory) = 0;
  struct Task {
    const myr_site* site;
    const myr_access* accesses;
    std::size_t access_count;
    const void* closure;
    const void* stack;     // its frames are below
    bool is_first_of_two;  // the next child waits for it, in which what it has found is combined
    bool stays;            // its memory is main's on each machine
  };
  // The body of a child of the running task is called.
  virtual void begin(const Task& task) = 0;
  // It has returned.
  virtual void end() = 0;
  // The running task waits for children that conflict with these accesses; for all.
  virtual void wait(const myr_access* accesses, std::size_t count) = 0;
  virtual void wait_all() = 0;
  // Tasks that use a region are not run any more.
  virtual void cancelled(const myr_site* site) = 0;
  // The task asks whether it would have to wait: the answer may differ from run to run.
  virtual void asked(const myr_site* site) = 0;
  // The running task ends when an event is completed, too.
  virtual void made_event() = 0;
  // An object of a region has come about. `room`: what an access to all of it names.
  virtual void allocated(const void* first, std::size_t bytes, std::size_t room,
                         const myr_site* site) = 0;
  // It is about to go; nullptr: a region with all that is in it.
  virtual void freed(const void* first, const myr_site* site) = 0;

 protected:
  ~Checker() = default;
};

}  // namespace myr::engine

// Defined by the library of `myr check`, if it is loaded.
extern "C" myr::engine::Checker* myr_checker();
