// SPDX-License-Identifier: Apache-2.0
//
// DataWire: what the data of a process needs of the way to others. Post has MPI's; tests have one
// on which whatever MPI allows happens when chance wants.
//
// MPI promises this, and no more: what one process asks of another arrives in order; the first
// transfer that one process gives another goes where that one has asked for its first, and so on.
// It is open when bytes leave, when they are there, and when either side is told.
#pragma once

#include <span>

#include "proto/frames.hpp"
#include "transport/mpi/plugin.h"

namespace myr::cluster::mpi {

class DataWire {
 public:
  using Range = myr_mpi_range;
  using Request = myr_mpi_request;

  DataWire() = default;
  DataWire(const DataWire&) = delete;
  DataWire& operator=(const DataWire&) = delete;

  virtual void ask(proto::AgentId worker, proto::Fetch wanted) = 0;
  // Bytes are on their way here, or to somebody. The memory is not touched until is_over().
  [[nodiscard]] virtual Request fetch(std::span<const Range> here, proto::AgentId from) = 0;
  [[nodiscard]] virtual Request give(std::span<const Range> ranges, proto::AgentId to) = 0;
  // True once: the request is gone then.
  [[nodiscard]] virtual bool is_over(Request request) = 0;
  // With what nobody has written there.
  virtual void overwrite(const Range& range) = 0;

 protected:
  ~DataWire() = default;
};

}  // namespace myr::cluster::mpi
