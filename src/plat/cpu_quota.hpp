// SPDX-License-Identifier: Apache-2.0
//
// How much processor time the system grants the process's group of processes: containers and batch
// systems limit that instead of binding threads to processors.
#pragma once

#include <string>

namespace myr::plat {

// Processors whose time the group and those around it may use, rounded up, at least 1; 0: no limit.
// `proc_cgroup`: a file as /proc/self/cgroup; `mount`: the folder with the groups' files, of
// version 2, or with version 1 the folder of the folders `cpu` or `cpu,cpuacct`. What cannot be
// read counts as no limit.
// Cost: a file or two for each group above the process.
[[nodiscard]] unsigned cpu_quota(const std::string& proc_cgroup, const std::string& mount);

// Number of processors that the calling thread may run on at a time: those of its affinity mask, as
// set by taskset or a batch system, but not more than the quota as it was at the first call. At
// least 1.
[[nodiscard]] unsigned usable_cpu_count();

}  // namespace myr::plat
