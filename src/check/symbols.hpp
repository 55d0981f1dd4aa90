// SPDX-License-Identifier: Apache-2.0
//
// Symbols: the lines and the variables of the program, from its debug information.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "check/accesses.hpp"

struct Dwfl;

namespace myr::check {

// A name, and where the address that was asked for is in it; no name: none is known.
struct Variable {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string access = {};  // what to write to declare it
};

// Is it a file of others, as a line or by its path: a system's, or one of Myrmidon's headers?
[[nodiscard]] bool is_of_system(std::string_view file);
[[nodiscard]] bool is_of_headers(std::string_view file);

class Symbols {
 public:
  Symbols();
  ~Symbols();
  // "file:line" of the innermost place that is in no header of a library, or what else is known.
  // `return_addresses`: of calls inside each other, innermost first.
  [[nodiscard]] std::string line_of(const std::vector<const void*>& return_addresses) const;
  // The same for the innermost place, whatever it is in.
  [[nodiscard]] std::string first_line_of(const std::vector<const void*>& return_addresses) const;
  // The name of the function that it is written in, without what that is in.
  [[nodiscard]] std::string function_of(const std::vector<const void*>& return_addresses) const;
  // Is the code there of Myrmidon's headers, perhaps with the standard library's between?
  [[nodiscard]] bool is_of_runtime(const std::vector<const void*>& return_addresses) const;
  // The variable that the address is in, a local one of a function that the calling thread runs, or
  // one of a module.
  [[nodiscard]] Variable variable_at(std::uint64_t address) const;
  // What to write to declare the memory, by a variable of a function that the calling thread runs,
  // the outermost first, or of the module around a place; empty: no variable is known to have it.
  [[nodiscard]] std::string access_through_any(const Wanted& wanted, const void* place) const;

  // The program's, with their debug information.
  [[nodiscard]] Dwfl* files() const noexcept;

 private:
  struct Session;

  [[nodiscard]] std::vector<std::string> lines_of(std::uint64_t place) const;
  [[nodiscard]] Variable global_at(std::uint64_t address) const;
  [[nodiscard]] Variable local_at(std::uint64_t address) const;
  [[nodiscard]] const std::vector<Typed>& globals_of(std::uint64_t address) const;

  std::unique_ptr<Session> session_;
};

}  // namespace myr::check
