// SPDX-License-Identifier: Apache-2.0
//
// Wasted: declarations that keep tasks apart for nothing, by the places of their spawns: accesses
// that no task makes use of, that are only read, or of which each task uses another part. Each
// comes with the number of times that a task waited for another one because of it alone.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "check/history.hpp"
#include "myr/myr.h"

namespace myr::check {

class Wasted {
 public:
  // An access of the tasks that are spawned at one place. A container and its elements are one.
  struct Declared {
    const myr_site* site = nullptr;
    std::size_t number = 0;  // among the task's, from 0
    Use use = {};            // of the first task
    std::uint64_t task_count = 0;
    std::uint64_t wait_count = 0;  // for others, because of this one alone
    bool is_used = false;
    bool is_written = false;
    bool is_same_memory = true;  // in all tasks
    bool is_container = false;
    // The lines that the tasks have used, as long as no two tasks have used the same ones.
    std::map<std::uint64_t, std::uint64_t> parts = {};
    bool are_parts_apart = true;
  };

  // Which declaration the use with this index belongs to.
  [[nodiscard]] static std::size_t number_of(const std::vector<Use>& uses, std::size_t index);

  // A child of the running task begins, spawned at `site`. `waits`: for how many others it waits
  // because of each declaration alone.
  void begin(const myr_site* site, const std::vector<Use>& uses,
             const std::vector<std::uint32_t>& waits);
  // The running task, or a child, has used bytes of its use with this index.
  void touch(std::size_t index, std::uint64_t begin, std::uint64_t end, bool writes);
  void end();

  enum class Kind : std::uint8_t { Unused, OnlyRead, InParts };
  struct Found {
    Kind kind;
    Declared declared;
  };
  // Those that cost most first.
  [[nodiscard]] std::vector<Found> found() const;

 private:
  struct Touched {
    std::uint64_t begin = ~std::uint64_t{0};
    std::uint64_t end = 0;
  };
  struct Running {
    const myr_site* site = nullptr;
    std::vector<std::size_t> numbers = {};  // of declarations, by use
    std::vector<Touched> touched = {};      // by use
  };
  static void note_part(Declared& declared, const Touched& touched);

  std::map<std::pair<const myr_site*, std::size_t>, Declared> declared_;
  std::vector<Running> running_;
};

}  // namespace myr::check
