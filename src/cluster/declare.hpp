// SPDX-License-Identifier: Apache-2.0
//
// From the accesses that the user declares to those that schedulers know: regions, objects of the
// heap and parts of them, and memory outside of it. What can be seen to be wrong without asking a
// scheduler is reported here.
#pragma once

#include "cluster/user_task.hpp"
#include "proto/messages.hpp"
#include "sched/topology.hpp"

namespace myr::cluster {

// Who declares, and where.
struct Declaring {
  UserTask& holder;  // its footprint must cover what is declared
  const sched::Topology& topology;
  const char* call;  // "spawn" or "wait"
  const myr_site* site;
};

// Adds the access to the task; also fills in the length of a whole object.
void declare(const Declaring& declaring, myr_access& access, proto::Task& task);

// The region, if its number can be that of one; the root otherwise, and false.
[[nodiscard]] bool to_region(const sched::Topology& topology, myr_region id, proto::NodeId& region);

}  // namespace myr::cluster
