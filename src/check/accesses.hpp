// SPDX-License-Identifier: Apache-2.0
//
// Accesses: what to write in in(...) so that a task declares some memory, by the types that the
// debug information has of variables.
//
// Threads: one.
#pragma once

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>
#include <functional>
#include <string>

#include "check/modules.hpp"

namespace myr::check {

struct Typed {
  std::string name;  // as the program writes it
  Dwarf_Die type;    // without qualifiers
  std::uint64_t address;
};
// The memory to declare: an object of a region, or what has been allocated there.
struct Wanted {
  std::uint64_t begin;
  std::uint64_t end;
  bool is_object;
  // What is allocated around an address; no bytes: nothing is.
  std::function<Bytes(std::uint64_t)> block_around;
};

// The variable itself: "x", or "object(x)" where x stands for something else.
[[nodiscard]] std::string access_to(const std::string& name, Dwarf_Die type);
// The memory that the variable holds or points to: "v", "p, 10", "*p", "s.v", "v[3]"; empty: none
// of these.
[[nodiscard]] std::string access_through(const Typed& variable, const Wanted& wanted,
                                         unsigned depth = 0);

}  // namespace myr::check
