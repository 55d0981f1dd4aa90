// SPDX-License-Identifier: Apache-2.0
#include "chip/mpi/call.hpp"

#include "base/misuse.hpp"

namespace myr::ranks {

namespace {

Exchange& exchange_for(const char* call) {
  if (Exchange* exchange = current_exchange(); exchange != nullptr) return *exchange;
  base::misuse(nullptr, fmt::format("{} was not called by a rank; see myr_chip_run()", call));
}

}  // namespace

Exchange*& current_exchange() noexcept {
  static Exchange* current = nullptr;
  return current;
}

std::size_t size_of(MPI_Datatype type) noexcept {
  switch (type) {
    case MPI_BYTE:
    case MPI_CHAR:
      return 1;
    case MPI_INT:
    case MPI_FLOAT:
      return 4;
    case MPI_INT64_T:
    case MPI_UINT64_T:
    case MPI_DOUBLE:
      return 8;
  }
  return 0;
}

Call::Call(const char* name, MPI_Comm comm) : name_(name), exchange_(exchange_for(name)) {
  if (comm != MPI_COMM_WORLD) fail("the communicator is not MPI_COMM_WORLD");
}

void Call::stop(const std::string& what) const {
  virtual_clock().stop(fmt::format("{} on rank {}: {}.", name_, rank(), what));
}

std::size_t Call::bytes_of(int count, MPI_Datatype type) const {
  if (count < 0) fail("the count is {}", count);
  if (size_of(type) == 0) fail("there is no type {}", static_cast<int>(type));
  return static_cast<std::size_t>(count) * size_of(type);
}

Rank Call::root(int rank) const {
  if (rank < 0 || static_cast<Rank>(rank) >= rank_count()) {
    fail("the root is rank {}, of {} ranks", rank, rank_count());
  }
  return static_cast<Rank>(rank);
}

Order Call::send_order(int target, int tag, std::size_t bytes) const {
  const bool is_rank = target >= 0 && static_cast<Rank>(target) < rank_count();
  if (!is_rank && target != MPI_PROC_NULL) {
    fail("the target is rank {}, of {} ranks", target, rank_count());
  }
  if (tag < 0) fail("the tag of a message is {}", tag);
  return {name_, is_rank ? target : kNoPeer, tag, Channel::Program, bytes};
}

Order Call::receive_order(int source, int tag, std::size_t bytes) const {
  const bool is_rank = source >= 0 && static_cast<Rank>(source) < rank_count();
  if (!is_rank && source != MPI_PROC_NULL && source != MPI_ANY_SOURCE) {
    fail("the source is rank {}, of {} ranks", source, rank_count());
  }
  if (tag < 0 && tag != MPI_ANY_TAG) fail("the tag of a message is {}", tag);
  static_assert(MPI_ANY_SOURCE == kAnyPeer && MPI_PROC_NULL == kNoPeer && MPI_ANY_TAG == kAnyTag);
  return {name_, source, tag, Channel::Program, bytes};
}

void Call::finish(Request& request, MPI_Status* status) const {
  exchange_.wait(request);
  if (status != MPI_STATUS_IGNORE) {
    *status = {.MPI_SOURCE = request.source(),
               .MPI_TAG = request.tag(),
               .MPI_ERROR = MPI_SUCCESS,
               .bytes = request.bytes()};
  }
  exchange_.release(request);
}

}  // namespace myr::ranks
