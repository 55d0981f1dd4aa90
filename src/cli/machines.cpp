// SPDX-License-Identifier: Apache-2.0
#include "cli/machines.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <memory>

#include "cli/mpi.hpp"
#include "plat/cpu_quota.hpp"

namespace myr::cli {
namespace {

using Topology = std::unique_ptr<hwloc_topology, decltype(&hwloc_topology_destroy)>;

unsigned count_of(const Topology& topology, hwloc_obj_type_t type) {
  const int count = hwloc_get_nbobjs_by_type(topology.get(), type);
  return count > 0 ? static_cast<unsigned>(count) : 0;
}

std::vector<Cache> caches_of(const Topology& topology) {
  std::vector<Cache> caches;
  for (const auto type : {HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE}) {
    const hwloc_obj_t first = hwloc_get_obj_by_type(topology.get(), type, 0);
    if (first == nullptr) continue;
    caches.push_back({.level = first->attr->cache.depth,
                      .size_bytes = first->attr->cache.size,
                      .count = count_of(topology, type)});
  }
  return caches;
}

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;
  if (bytes < kMebibyte) return fmt::format("{} KiB", bytes >> 10);
  return fmt::format("{:.4g} MiB", static_cast<double>(bytes) / kMebibyte);
}

std::string counted(unsigned count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string mpis_text() {
  std::string text;
  for (const Mpi& mpi : installed_mpis()) text += (text.empty() ? "" : ", ") + mpi.name;
  return text.empty() ? "no MPI is here" : "by " + text;
}

}  // namespace

base::Result<Computer> this_computer() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return base::Error{"hwloc cannot start"};
  const Topology topology(raw, &hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0)
    return base::Error{"hwloc cannot read this computer's topology"};
  return Computer{
      .core_count = count_of(topology, HWLOC_OBJ_CORE),
      .thread_count = count_of(topology, HWLOC_OBJ_PU),
      .package_count = count_of(topology, HWLOC_OBJ_PACKAGE),
      .numa_node_count = count_of(topology, HWLOC_OBJ_NUMANODE),
      .caches = caches_of(topology),
  };
}

std::vector<Machine> machines() {
  return {
      {"serial", "the program with its tasks elided: the reference for every other machine"},
      {"smp", "as many threads as this process may use processors"},
      {"smp:N", "N threads of this computer, each both scheduler and worker"},
      {"tree:S+W", "a tree of S scheduler threads and W worker threads that exchange messages"},
      {"tree:AxB", "such a tree by its fan-outs: A schedulers below the top, each with B workers"},
      {"master:1+W", "a master thread that orders tasks by blocks of memory, and W workers"},
      {"mpi:S+W", "a tree of processes, on one computer or many: " + mpis_text()},
      {"spmd:S+W", "the memory of such a tree for a program that each of the W workers runs"},
      {"sim:CHIP", "such a tree on a simulated chip, in virtual time: formic-520, formic-S+W"},
      {"sim:CHIP:S+W", "some cores of it; fan-outs as with tree"},
      {"sim:scc-48", "a master and its workers on a chip whose caches are not coherent"},
      {"sim:scc-48-tree", "a tree of schedulers on that chip; shapes as with other chips"},
  };
}

std::string default_machine() { return fmt::format("smp:{}", plat::usable_cpu_count()); }

std::string describe_machines(const Computer& computer) {
  std::string text = fmt::format(
      "This computer: {}, {}, {}, {}\n", counted(computer.core_count, "core"),
      counted(computer.thread_count, "hardware thread"), counted(computer.package_count, "package"),
      counted(computer.numa_node_count, "NUMA node"));
  for (const Cache& cache : computer.caches) {
    text += fmt::format("  L{} cache: {} x {}\n", cache.level, cache.count,
                        size_text(cache.size_bytes));
  }
  text += "\nMachines, for `myr run --on NAME` or MYR_ON=NAME:\n";
  for (const Machine& machine : machines()) {
    text += fmt::format("  {:<17}{}\n", machine.name, machine.description);
  }
  text += fmt::format("\nDefault: {}\n", default_machine());
  return text;
}

std::string describe_machines_as_json(const Computer& computer) {
  std::vector<std::string> caches;
  for (const Cache& cache : computer.caches) {
    caches.push_back(fmt::format(R"({{"level": {}, "bytes": {}, "count": {}}})", cache.level,
                                 cache.size_bytes, cache.count));
  }
  std::vector<std::string> names;
  for (const Machine& machine : machines()) {
    names.push_back(
        fmt::format(R"({{"name": "{}", "description": "{}"}})", machine.name, machine.description));
  }
  return fmt::format(
      R"({{"computer": {{"cores": {}, "threads": {}, "packages": {}, "numa_nodes": {},
              "caches": [{}]}},
 "machines": [{}],
 "default": "{}"}}
)",
      computer.core_count, computer.thread_count, computer.package_count, computer.numa_node_count,
      fmt::join(caches, ", "), fmt::join(names, ",\n              "), default_machine());
}

}  // namespace myr::cli
