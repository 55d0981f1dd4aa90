// SPDX-License-Identifier: Apache-2.0
//
// HeldTask: a task that events hold open. When its body has returned, it waits for them on no
// stack: the thread that completes the last one has a worker end it.
#pragma once

#include "sync/events.hpp"

namespace myr::graph {
struct Task;
}

namespace myr::engine {

class Engine;

class HeldTask final : public sync::EventHolder {
 public:
  HeldTask(Engine& engine, graph::Task& task) noexcept : engine_(engine), task_(task) {}

 private:
  void completed() override;

  Engine& engine_;
  graph::Task& task_;
};

}  // namespace myr::engine
