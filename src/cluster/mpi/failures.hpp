// SPDX-License-Identifier: Apache-2.0
//
// Failures as messages: an exception that crosses processes is its type's name and what it says.
#pragma once

#include "cluster/mpi/modules.hpp"
#include "cluster/user_task.hpp"
#include "proto/messages.hpp"

namespace myr::cluster::mpi {

[[nodiscard]] proto::FailurePtr to_message(const Failure& failure, const Modules& modules);
[[nodiscard]] std::unique_ptr<Failure> from_message(const proto::Failure& failure,
                                                    const Modules& modules);

}  // namespace myr::cluster::mpi
