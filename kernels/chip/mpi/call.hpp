// SPDX-License-Identifier: Apache-2.0
//
// What the MPI calls on a simulated chip have in common: the rank that calls, and the checks of
// what it hands over. A mistake stops the run of all ranks with a text that names call and rank.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "chip/mpi/exchange.hpp"
#include "chip/mpi/mpi.h"

namespace myr::ranks {

// The run that goes on in this process; nullptr: none. Set by myr_chip_run().
[[nodiscard]] Exchange*& current_exchange() noexcept;

class Call {
 public:
  // Ends the process with a message unless a rank calls. Stops the run: not MPI_COMM_WORLD.
  Call(const char* name, MPI_Comm comm);
  explicit Call(const char* name) : Call(name, MPI_COMM_WORLD) {}

  [[nodiscard]] Exchange& exchange() const noexcept { return exchange_; }
  [[nodiscard]] VirtualClock& virtual_clock() const noexcept { return exchange_.virtual_clock(); }
  [[nodiscard]] Rank rank() const { return virtual_clock().running(); }
  [[nodiscard]] Rank rank_count() const noexcept { return virtual_clock().rank_count(); }

  // Nothing on the stack of a rank that has failed is destroyed: it must own nothing.
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> what, Arguments&&... arguments) const {
    stop(fmt::format(what, std::forward<Arguments>(arguments)...));
    virtual_clock().leave_for_ever();
  }

  // The same, or fail().
  [[nodiscard]] std::size_t bytes_of(int count, MPI_Datatype type) const;
  [[nodiscard]] Rank root(int rank) const;
  [[nodiscard]] Order send_order(int target, int tag, std::size_t bytes) const;
  [[nodiscard]] Order receive_order(int source, int tag, std::size_t bytes) const;

  // Waits for a request and gives it back. `status` may be MPI_STATUS_IGNORE.
  void finish(Request& request, MPI_Status* status) const;

 private:
  void stop(const std::string& what) const;

  const char* name_;
  Exchange& exchange_;
};

// 0: no such type.
[[nodiscard]] std::size_t size_of(MPI_Datatype type) noexcept;

}  // namespace myr::ranks
