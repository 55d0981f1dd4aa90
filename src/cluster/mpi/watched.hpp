// SPDX-License-Identifier: Apache-2.0
//
// Watched: for tests (MYR_POISON), the program's variables of which this process has an older value
// than main, so that a task that uses one ends the program. Their pages cannot be accessed; an
// access to something else on such a page passes: the page is opened for one instruction (on other
// processors than x86: for good). The system itself does not find variables there whose addresses
// it is given.
//
// Threads: any.
#pragma once

#include <signal.h>

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/contract.hpp"
#include "transport/mpi/rank.hpp"

namespace myr::cluster::mpi {

class Watched {
 public:
  // There is one in a process.
  [[nodiscard]] static Watched& instance();

  void watch(transport::mpi::Range variable, std::string name);
  // It is known here from now on.
  void forget(transport::mpi::Range memory);
  // A task has been lent it, and all that is on its pages; it has not any more.
  void open(transport::mpi::Range memory);
  void close(transport::mpi::Range memory);
  // The process is about to end with a message.
  void open_all();

  // In the handlers of SIGSEGV and SIGTRAP. `name`: set if the address is that of a variable.
  // False: it is not about such a page.
  [[nodiscard]] bool handles_access(std::uintptr_t address, bool is_task, void* machine_state,
                                    const char*& name);
  [[nodiscard]] bool handles_step(void* machine_state);

 private:
  struct Variable {
    std::uint64_t bytes;
    std::string name;
  };
  // A page is open for the instruction that the thread is about to run.
  struct Step {
    pid_t thread = 0;  // nobody
    std::uintptr_t page = 0;
  };
  Watched();
  [[nodiscard]] bool is_watched(std::uintptr_t page) const;
  [[nodiscard]] bool is_closed(std::uintptr_t page) const;
  [[nodiscard]] const Variable* variable_at(std::uintptr_t address) const;
  template <class Visit>
  void for_pages(transport::mpi::Range memory, Visit visit) const;
  void protect(std::uintptr_t page) const;
  void protect_watched(transport::mpi::Range memory) const;

  const std::uintptr_t page_bytes_;
  mutable std::mutex lock_;                       // its holder accesses no variable of the program
  std::map<std::uintptr_t, Variable> variables_;  // by address
  std::multimap<std::uintptr_t, std::uint64_t> open_;
  std::array<Step, 32> steps_;  // where there is no place for one, its page stays open
};

}  // namespace myr::cluster::mpi
