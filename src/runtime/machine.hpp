// SPDX-License-Identifier: Apache-2.0
//
// Machine: what runs the program. One is chosen at start, by its name; from then on the public
// calls go to contexts (base/thread_context.hpp) and the life cycle to this. A further machine is a
// further class, a function that starts it, and a line in machine_name.cpp.
//
// Threads: main's, except for what says otherwise.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "cluster/machine.hpp"
#include "engine/line_times.hpp"
#include "myr/process.h"
#include "runtime/report.hpp"
#include "trace/recording.hpp"

namespace myr::runtime {

struct Settings;

class Machine {
 public:
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  virtual ~Machine() = default;

  // Gives the calling thread, which is none of the machine's, a context. Returns why not; nullptr:
  // it has one. Any thread, but none while stop() runs.
  [[nodiscard]] virtual const char* admit() = 0;
  // Waits for the tasks of such threads, which have no context any more; with `for_ever` their
  // calls do not return.
  virtual void finish_guests(bool for_ever) = 0;
  // Ends all threads but the caller, which has no context any more.
  // REQUIRES: main has waited for all its children.
  virtual void stop() = 0;

  // Adds to what has been counted until now. False: it is not known before the machine has stopped.
  [[nodiscard]] virtual bool count(myr_statistics& /*sum*/) const { return false; }

  // ---- once it has stopped

  // The clock of the times in the report, and of what was recorded.
  [[nodiscard]] virtual trace::Clock clock() const = 0;
  [[nodiscard]] virtual Report report() const = 0;
  // Those of the workers in this process; none: nothing is known by lines.
  [[nodiscard]] virtual std::vector<const engine::LineTimes*> lines() const = 0;
};

// For a machine whose workers are nodes.
[[nodiscard]] cluster::Options node_options(const Settings& settings, trace::Recording* recording);

// Starts a machine on which the caller is main and has a context, if the settings say so.
// `recording`: what happens is written there; nullptr: nobody wants it.
using StartMachine = base::Result<std::unique_ptr<Machine>> (*)(const Settings& settings,
                                                                trace::Recording* recording);
[[nodiscard]] base::Result<std::unique_ptr<Machine>> start_engine(const Settings& settings,
                                                                  trace::Recording* recording);
[[nodiscard]] base::Result<std::unique_ptr<Machine>> start_tree(const Settings& settings,
                                                                trace::Recording* recording);
[[nodiscard]] base::Result<std::unique_ptr<Machine>> start_job(const Settings& settings,
                                                               trace::Recording* recording);
[[nodiscard]] base::Result<std::unique_ptr<Machine>> start_chip(const Settings& settings,
                                                                trace::Recording* recording);
[[nodiscard]] base::Result<std::unique_ptr<Machine>> start_master(const Settings& settings,
                                                                  trace::Recording* recording);
[[nodiscard]] base::Result<std::unique_ptr<Machine>> start_scc(const Settings& settings,
                                                               trace::Recording* recording);

}  // namespace myr::runtime
