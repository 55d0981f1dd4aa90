// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/faults.hpp"

#include <signal.h>

#include <array>
#include <cstdio>

#include "base/misuse.hpp"
#include "cluster/mpi/watched.hpp"
#include "cluster/node_context.hpp"
#include "engine/worker.hpp"
#include "plat/fault.hpp"

namespace myr::cluster::mpi {

namespace {

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};

// Where the task was spawned that the calling thread runs; main was spawned nowhere.
const myr_site* site_here() {
  auto* const context = dynamic_cast<NodeContext*>(base::ThreadContext::current());
  const graph::Task* const task = context == nullptr ? nullptr : context->worker().task();
  return task == nullptr ? nullptr : task->site;
}

// False: it was not about a variable that is watched, nor about what lies beside one.
bool handles_watched(const siginfo_t& info, const myr_site* site, void* machine_state) {
  if (info.si_signo != SIGSEGV || info.si_code != SEGV_ACCERR) return false;
  const char* name = nullptr;
  const auto address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  if (!Watched::instance().handles_access(address, site != nullptr, machine_state, name)) {
    return false;
  }
  if (name == nullptr) return true;
  Watched::instance().open_all();
  char text[320];
  std::snprintf(text, sizeof text,
                "the task spawned here uses the variable %.100s, which main has changed and this "
                "process has as it was; let all know by myr::publish() after the change, or "
                "declare it, or pass its value",
                name);
  base::misuse(site, text);
}

// Formats without memory of the heap, whose locks the task may hold.
void on_fault(int signal, siginfo_t* info, void* machine_state) {
  const myr_site* const site = site_here();
  if (handles_watched(*info, site, machine_state)) return;
  if (site == nullptr || info->si_code <= 0) return plat::leave_to_system(signal, *info);
  Watched::instance().open_all();
  char text[320];
  if (signal == SIGSEGV || signal == SIGBUS) {
    std::snprintf(text, sizeof text,
                  "the task spawned here uses address %p, where its process has no memory; what a "
                  "pointer leads to comes with a task only if the task declares it and has the "
                  "pointer as an argument, or declares the region that it lies in",
                  info->si_addr);
  } else {
    std::snprintf(text, sizeof text, "the task spawned here was ended by signal %d (SIG%s)", signal,
                  sigabbrev_np(signal));
  }
  base::misuse(site, text);
}

}  // namespace

sigset_t unhandled_faults() {
  sigset_t unhandled;
  sigemptyset(&unhandled);
  for (const int fault : kFaults) {
    if (plat::is_left_to_system(fault)) sigaddset(&unhandled, fault);
  }
  return unhandled;
}

bool reports_access() {
  struct sigaction present = {};
  return sigaction(SIGSEGV, nullptr, &present) == 0 && present.sa_sigaction == on_fault;
}

void report_faults(const sigset_t& faults) {
  struct sigaction ours = {};
  ours.sa_sigaction = on_fault;
  ours.sa_flags = SA_SIGINFO;
  sigemptyset(&ours.sa_mask);
  for (const int fault : kFaults) {
    if (sigismember(&faults, fault) == 1) sigaction(fault, &ours, nullptr);
  }
}

}  // namespace myr::cluster::mpi
