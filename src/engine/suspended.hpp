// SPDX-License-Identifier: Apache-2.0
//
// Where a task that waits has left its stack. Lies on that stack.
#pragma once

#include "graph/interior.hpp"
#include "plat/fiber.hpp"

namespace myr::engine {
class Worker;
}

namespace myr::graph {

struct Suspended {
  engine::Worker* worker;  // which runs the task, before and after
  plat::Fiber* stack;
  Suspended* next = nullptr;  // among those whose wait is over
};

}  // namespace myr::graph
