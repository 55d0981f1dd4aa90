// SPDX-License-Identifier: Apache-2.0
//
// References that a task without Python code holds: its arrays live as long as it does. It ends
// without the interpreter's lock, so it hands them on, and the thread that next has the lock lets
// go of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "python.hpp"

namespace myr::py {

struct Kept {
  Kept* next;
  std::uint32_t count;
  std::uint32_t room;
  PyObject* objects[1];  // owned; `room` of them
};

// Thread: with the lock. nullptr, with a Python exception, if memory is out.
Kept* new_kept(std::size_t room);
// Thread: any. What is in it is let go of later.
void hand_back(Kept* kept);
// The same for one reference; without memory it is lost.
void hand_back_one(PyObject* object);
// Thread: with the lock. Lets go of what was handed back; may run any Python code.
void let_go();

}  // namespace myr::py
