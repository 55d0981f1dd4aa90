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
#include "cluster/mpi/bytes.hpp"
#include "cluster/mpi/modules.hpp"
#include "proto/messages.hpp"

namespace myr::cluster::mpi {

using proto::AgentId;

// What a task is made of. Either a body or a function.
struct TaskParts {
  myr_body body = nullptr;
  myr_function function = nullptr;
  const myr_site* site = nullptr;
  const myr_closure_kind* kind = nullptr;  // the closure is more than its bytes
  std::span<std::byte> closure;
  std::span<myr_access> accesses;
};

// What the process that spawns a task says of it to the one that runs it.
struct Sender {
  AgentId spawner = proto::kNoAgent;
  std::uint32_t level = 0;         // how many tasks around it schedulers know
  std::uint32_t wants_sample = 0;  // 1: how long the task takes, for main
};

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

// A task from a parcel, to be made when it is to run.
struct Unpacked {
  Sender sender;
  TaskParts parts;          // sizes of the spans, not what is in them
  std::vector<Loan> loans;  // by address; none where it was spawned
  Room room;
};

// None: only this process can run it. Cost: a system call for each word of the closure that could
// be an address.
[[nodiscard]] std::optional<Bytes> pack(const TaskParts& task, const Modules& modules,
                                        const Sender& sender);
// For the worker `self`. REQUIRES: pack() has made the bytes, in a process with the same modules.
[[nodiscard]] Unpacked unpack(std::span<const std::byte> bytes, const Modules& modules,
                              AgentId self);
// Writes the closure and the accesses to where they are to be.
void fill(const Unpacked& unpacked, std::span<const std::byte> bytes, const Modules& modules,
          std::byte* closure, myr_access* accesses);

// What a message carries of a call, in place of its address: its kind, and its place in the
// program.
[[nodiscard]] std::uint64_t program_at(const myr_site* site, Call call, const Modules& modules);
[[nodiscard]] const myr_site* site_in(std::uint64_t program, const Modules& modules);

}  // namespace myr::cluster::mpi
