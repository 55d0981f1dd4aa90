// SPDX-License-Identifier: Apache-2.0
//
// Modules: the program's file and its libraries, as they are in memory: whose code is where, and
// what each thread has of its own.
//
// Threads: one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace myr::check {

struct Bytes {
  std::uint64_t begin;
  std::uint64_t end;
};

// By their begins.
void sort(std::vector<Bytes>& some);
// REQUIRES: they are sorted, and apart.
[[nodiscard]] bool contain(const std::vector<Bytes>& some, std::uint64_t address) noexcept;

// Where the module that has the address begins; 0: none has it.
[[nodiscard]] std::uint64_t begin_of_module(std::uint64_t address);

// Variables of which each thread has one of its own, as errno: those of the calling thread. No two
// tasks use them at the same time.
[[nodiscard]] std::vector<Bytes> thread_locals();
// Does one of these variables point to one of the bytes?
[[nodiscard]] bool point_to(const std::vector<Bytes>& variables, const Bytes& bytes) noexcept;

// Where a module keeps the address of a function that is another one's.
struct Slot {
  const char* function;
  const void** address;
};

class Modules {
 public:
  // Looks for those that are compiled for being checked, and have not been found yet.
  void find_checked();
  // Looks for the C++ library, for the one that runs tasks, in which `in_runtime` is, and for what
  // else is not compiled for being checked.
  void find(std::uint64_t in_runtime);
  // Behind a call of a task's function.
  void note_body(const void* place) { bodies_.insert(place); }

  [[nodiscard]] bool has_checked() const noexcept { return !checked_.empty(); }
  // Has clang linked a module of the program?
  [[nodiscard]] bool is_by_clang() const noexcept { return is_by_clang_; }
  // Is it of a module that is compiled for being checked?
  [[nodiscard]] bool is_of_program(const void* place) const noexcept;
  // Is what the C library does for it the program's doing?
  [[nodiscard]] bool is_for_program(const void* place) const noexcept;
  [[nodiscard]] bool is_body(const void* place) const { return bodies_.contains(place); }
  [[nodiscard]] bool is_of_runtime(const void* place) const noexcept;
  [[nodiscard]] static bool is_of_checker(const void* place) noexcept;
  // Can nobody write what is there?
  [[nodiscard]] bool is_constant(std::uint64_t address) const noexcept {
    return contain(constants_, address);
  }
  // Is it a variable of a library that is not compiled for being checked? What keeps it in order is
  // not seen.
  [[nodiscard]] bool is_of_others(std::uint64_t address) const noexcept {
    return contain(others_, address);
  }
  // The slots of modules that are compiled for being checked.
  [[nodiscard]] std::vector<Slot> slots() const;

 private:
  std::vector<Bytes> checked_;
  std::vector<Bytes> cpp_library_;
  std::vector<Bytes> runtime_;
  std::vector<Bytes> others_;
  std::vector<Bytes> constants_;  // in their order
  std::set<const void*> bodies_;
  bool is_by_clang_ = false;
};

}  // namespace myr::check
