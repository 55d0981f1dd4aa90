// SPDX-License-Identifier: Apache-2.0
//
// A task as bytes, for another process of the same program: its code by module and offset, its
// accesses, and its closure. Words of the closure that are addresses of constants become such
// places; one that is an address of other memory of this process, which means nothing elsewhere,
// keeps the task here.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cluster/misuse.hpp"
#include "cluster/mpi/modules.hpp"
#include "cluster/user_task.hpp"

namespace myr::cluster::mpi {

using Bytes = std::vector<std::byte>;

// None: only this process can run it. Cost: a system call for each word of the closure that could
// be an address.
[[nodiscard]] std::optional<Bytes> pack(UserTask& task, const Modules& modules);
// REQUIRES: pack() has made the bytes, in a process with the same modules.
[[nodiscard]] UserTaskPtr unpack(std::span<const std::byte> bytes, const Modules& modules,
                                 UserTask& parent);

// What a message carries of a call, in place of its address: its kind, and its place in the
// program.
[[nodiscard]] std::uint64_t program_at(const myr_site* site, Call call, const Modules& modules);
[[nodiscard]] const myr_site* site_in(std::uint64_t program, const Modules& modules);

}  // namespace myr::cluster::mpi
