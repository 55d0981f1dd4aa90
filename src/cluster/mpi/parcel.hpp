// SPDX-License-Identifier: Apache-2.0
//
// A task as bytes, for another process of the same program: its code by module and offset, its
// accesses, and its closure. Words of the closure that are addresses of constants become such
// places. Memory outside of regions that the task declares is lent: it works on a copy, and words
// that are addresses in there become addresses in the copy. A word that is an address of other
// memory of this process, which means nothing elsewhere, keeps the task here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cluster/misuse.hpp"
#include "cluster/mpi/modules.hpp"
#include "cluster/user_task.hpp"

namespace myr::cluster::mpi {

using Bytes = std::vector<std::byte>;
using proto::AgentId;

// Memory outside of regions.
struct Loan {
  std::uint64_t address = 0;  // where the task was spawned
  std::uint64_t bytes = 0;
  std::uint64_t here = 0;  // where it runs
  bool is_read = true;
  bool is_written = false;
};

// Room for the copies of a task's loans, as far from each other as the originals if these are near
// each other, so that a pointer into one leads to the next. A variable of the program's is its own
// copy: every process has it.
class Room {
 public:
  // Sets where the loans are here. False: no memory.
  [[nodiscard]] bool take(std::vector<Loan>& loans, const Modules& modules,
                          std::span<const PlaceInModule> places);
  Room() = default;
  Room(Room&& other) noexcept : blocks_(std::exchange(other.blocks_, {})) {}
  Room& operator=(Room&& other) noexcept {
    std::swap(blocks_, other.blocks_);
    return *this;
  }
  ~Room();

 private:
  struct Block {
    std::uintptr_t first;
    std::size_t bytes;
  };
  std::vector<Block> blocks_;
};

// A task from a parcel.
struct Unpacked {
  UserTaskPtr task;
  AgentId spawner = proto::kNoAgent;
  std::vector<Loan> loans;  // by address; none where it was spawned
  Room room;
  bool lends_on = false;  // children use such memory, too
};

// None: only this process, that of `self`, can run it. Cost: a system call for each word of the
// closure that could be an address.
[[nodiscard]] std::optional<Bytes> pack(UserTask& task, const Modules& modules, AgentId self);
// For the worker `self`. REQUIRES: pack() has made the bytes, in a process with the same modules.
[[nodiscard]] Unpacked unpack(std::span<const std::byte> bytes, const Modules& modules,
                              UserTask& parent, AgentId self);

// What a message carries of a call, in place of its address: its kind, and its place in the
// program.
[[nodiscard]] std::uint64_t program_at(const myr_site* site, Call call, const Modules& modules);
[[nodiscard]] const myr_site* site_in(std::uint64_t program, const Modules& modules);

}  // namespace myr::cluster::mpi
