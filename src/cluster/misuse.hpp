// SPDX-License-Identifier: Apache-2.0
//
// What schedulers find wrong, as a message to the user. The `program` of a task without a body is
// the place of the call that made it.
#pragma once

#include "graph/task.hpp"
#include "proto/messages.hpp"
#include "sched/environment.hpp"

namespace myr::cluster {

// What a task's `program` stands for.
enum class Call : std::uint8_t { Spawn, Wait, Free, FreeRegion };

[[nodiscard]] std::uint64_t program_of(graph::Task& task) noexcept;
[[nodiscard]] std::uint64_t program_of(const myr_site* site, Call call) noexcept;
[[nodiscard]] graph::Task& graph_task_of(std::uint64_t program) noexcept;

// For a call about memory, by its name.
[[noreturn]] void out_of_memory(const char* call, std::size_t bytes, std::size_t count,
                                const myr_site* site);
[[noreturn]] void no_live_object(const char* call, const void* object, const myr_site* site);
[[noreturn]] void root_is_not_freed(const myr_site* site);

[[nodiscard]] Call call_of(std::uint64_t program) noexcept;

// Ends the process. `site`: of the call, or where the task was spawned.
[[noreturn]] void report(sched::Misuse kind, Call call, const myr_site* site,
                         const proto::Access& access);
// The same where `program` is an address.
[[noreturn]] void report(sched::Misuse kind, std::uint64_t program, const proto::Access& access);

}  // namespace myr::cluster
