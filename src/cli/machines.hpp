// SPDX-License-Identifier: Apache-2.0
//
// `myr machines`: what a program can run on here, and the hardware of this computer as far as it
// matters for that choice.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace myr::cli {

struct Cache {
  unsigned level;
  std::uint64_t size_bytes;
  unsigned count;  // how many of this level the usable part of the computer has
};

// The part of this computer that the process may use.
struct Computer {
  unsigned core_count = 0;
  unsigned thread_count = 0;
  unsigned package_count = 0;
  unsigned numa_node_count = 0;
  std::vector<Cache> caches;  // data caches, by level
};

struct Machine {
  std::string name;
  std::string description;
};

[[nodiscard]] base::Result<Computer> this_computer();

// The machines of this version.
[[nodiscard]] std::vector<Machine> machines();
// The machine of a program that was given none, with its number of threads: "smp:2".
[[nodiscard]] std::string default_machine();

// Both as a text for people, or as one JSON object.
[[nodiscard]] std::string describe_machines(const Computer& computer);
[[nodiscard]] std::string describe_machines_as_json(const Computer& computer);

}  // namespace myr::cli
