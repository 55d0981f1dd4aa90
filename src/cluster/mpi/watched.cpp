// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/watched.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/bits.hpp"
#include "plat/fault.hpp"

namespace myr::cluster::mpi {

using transport::mpi::Range;

namespace {

// Makes a trap follow the thread's next instruction, or no longer. False: not on this processor.
bool set_trap([[maybe_unused]] void* machine_state, [[maybe_unused]] bool is_on) {
#if defined(__x86_64__)
  constexpr greg_t kTrapFlag = 0x100;
  greg_t& flags = static_cast<ucontext_t*>(machine_state)->uc_mcontext.gregs[REG_EFL];
  flags = is_on ? flags | kTrapFlag : flags & ~kTrapFlag;
  return true;
#else
  return false;
#endif
}

void on_trap(int signal, siginfo_t* info, void* machine_state) {
  if (!Watched::instance().handles_step(machine_state)) plat::leave_to_system(signal, *info);
}

bool overlap(std::uintptr_t first, std::uint64_t bytes, std::uintptr_t other,
             std::uint64_t other_bytes) {
  return first < other + other_bytes && other < first + bytes;
}

}  // namespace

Watched& Watched::instance() {
  static Watched it;
  return it;
}

Watched::Watched() : page_bytes_(static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE))) {}

void Watched::watch(Range variable, std::string name) {
  const std::scoped_lock lock(lock_);
  if (variables_.empty() && plat::is_left_to_system(SIGTRAP)) {
    struct sigaction ours = {};
    ours.sa_sigaction = on_trap;
    ours.sa_flags = SA_SIGINFO;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGTRAP, &ours, nullptr);
  }
  variables_[variable.address] = {variable.bytes, std::move(name)};
  protect_watched(variable);
}

void Watched::forget(Range memory) {
  const std::scoped_lock lock(lock_);
  for (auto next = variables_.begin(); next != variables_.end();) {
    const Range variable{next->first, next->second.bytes};
    if (!overlap(variable.address, variable.bytes, memory.address, memory.bytes)) {
      ++next;
      continue;
    }
    next = variables_.erase(next);
    for_pages(variable, [this](std::uintptr_t page) { protect(page); });
  }
}

void Watched::open(Range memory) {
  const std::scoped_lock lock(lock_);
  open_.emplace(memory.address, memory.bytes);
  protect_watched(memory);
}

void Watched::close(Range memory) {
  const std::scoped_lock lock(lock_);
  const auto [begin, end] = open_.equal_range(memory.address);
  const auto found =
      std::find_if(begin, end, [&](const auto& one) { return one.second == memory.bytes; });
  if (found != end) open_.erase(found);
  protect_watched(memory);
}

void Watched::open_all() {
  const std::scoped_lock lock(lock_);
  open_.emplace(0, ~std::uint64_t{0});
  for (const auto& [first, variable] : variables_) protect_watched({first, variable.bytes});
}

bool Watched::is_watched(std::uintptr_t page) const {
  return std::any_of(variables_.begin(), variables_.end(), [&](const auto& one) {
    return overlap(one.first, one.second.bytes, page, page_bytes_);
  });
}

bool Watched::is_closed(std::uintptr_t page) const {
  return is_watched(page) && std::none_of(open_.begin(), open_.end(), [&](const auto& one) {
           return overlap(one.first, one.second, page, page_bytes_);
         });
}

const Watched::Variable* Watched::variable_at(std::uintptr_t address) const {
  const auto next = variables_.upper_bound(address);
  if (next == variables_.begin()) return nullptr;
  const auto& [first, variable] = *std::prev(next);
  return address - first < variable.bytes ? &variable : nullptr;
}

template <class Visit>
void Watched::for_pages(Range memory, Visit visit) const {
  std::uintptr_t page = base::round_down(memory.address, page_bytes_);
  for (; page < memory.address + memory.bytes; page += page_bytes_) visit(page);
}

void Watched::protect(std::uintptr_t page) const {
  const int access = is_closed(page) ? PROT_NONE : PROT_READ | PROT_WRITE;
  mprotect(reinterpret_cast<void*>(page), page_bytes_, access);
}

// Others may be constants.
void Watched::protect_watched(Range memory) const {
  for_pages(memory, [this](std::uintptr_t page) {
    if (is_watched(page)) protect(page);
  });
}

bool Watched::handles_access(std::uintptr_t address, bool is_task, void* machine_state,
                             const char*& name) {
  const std::scoped_lock lock(lock_);
  const std::uintptr_t page = base::round_down(address, page_bytes_);
  if (!is_watched(page)) return false;
  if (!is_closed(page)) return true;  // any more
  const Variable* const variable = is_task ? variable_at(address) : nullptr;
  if (variable != nullptr) {
    name = variable->name.c_str();
    return true;
  }
  mprotect(reinterpret_cast<void*>(page), page_bytes_, PROT_READ | PROT_WRITE);
  const auto place =
      std::find_if(steps_.begin(), steps_.end(), [](const Step& one) { return one.thread == 0; });
  if (place != steps_.end() && set_trap(machine_state, true)) *place = {gettid(), page};
  return true;
}

bool Watched::handles_step(void* machine_state) {
  const std::scoped_lock lock(lock_);
  bool is_ours = false;
  for (Step& one : steps_) {
    if (one.thread != gettid()) continue;
    protect(one.page);
    one = {};
    is_ours = true;
  }
  return is_ours && set_trap(machine_state, false);
}

}  // namespace myr::cluster::mpi
