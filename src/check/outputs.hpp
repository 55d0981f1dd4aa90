// SPDX-License-Identifier: Apache-2.0
//
// Outputs: bytes that tasks have declared as out, and that nobody has written since they began. gcc
// does not report all writes, so such bytes hold a pattern, and bytes that no longer hold the
// pattern have been written. Before they are read or freed, and at the end of the task, they get
// back what was there before, so that the program goes on as it would without this. clang does not
// report all reads, so there the bytes stay as they are; bytes that have changed have been written,
// too. Outputs are disjoint.
//
// Threads: one. Cost: O(log outputs) a call, and a copy of the bytes for each task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include "check/modules.hpp"
#include "myr/myr.h"

namespace myr::check {

class Outputs {
 public:
  // How many bytes of each access are looked at.
  static constexpr std::uint64_t kMost = std::uint64_t{1} << 20;

  // The bytes that the task may write, and must not read before, by its accesses alone.
  [[nodiscard]] static std::vector<Bytes> only_written(const myr_access* accesses,
                                                       std::size_t count);

  // Must be called before all other functions if gcc has compiled the program.
  void use_pattern() noexcept { uses_pattern_ = true; }

  // A task begins below the running one; so many are running now.
  void begin(const myr_site* task);
  [[nodiscard]] std::size_t depth() const noexcept { return tasks_.size(); }
  // The innermost task's. REQUIRES: some task runs.
  [[nodiscard]] const myr_site* site() const { return tasks_.back().site; }
  // The innermost task has declared these bytes, which can be written, as out. Bytes that a task
  // above it has not written yet stay with that task.
  void add(const Bytes& bytes);
  // The innermost task has ended. Has it left bytes unwritten that are no padding?
  bool end();
  // Is some byte there looked at?
  [[nodiscard]] bool overlap(const Bytes& bytes) const;
  void write(const Bytes& bytes) {
    if (last_.begin <= bytes.begin && bytes.end <= last_.end) {  // most come one behind the other
      mark(last_written_ + (bytes.begin - last_.begin), bytes.end - bytes.begin);
    } else {
      find_and_write(bytes);
    }
  }
  // Have all bytes there been written that are looked at?
  [[nodiscard]] bool are_written(const Bytes& bytes) const;
  // They are about to be read. Has nobody written them? Then they are not looked at any more.
  struct Unwritten {
    std::uint64_t first;
    std::size_t depth;  // of the task that has declared them
    const myr_site* task;
  };
  [[nodiscard]] std::optional<Unwritten> read(const Bytes& bytes);
  // They are about to be freed.
  void give_back(const Bytes& bytes);
  void give_back_all();

 private:
  struct Output {
    std::uint64_t end;
    std::size_t depth;
    std::vector<std::uint8_t> before;
    std::vector<std::uint8_t> is_written;

    [[nodiscard]] bool is_all_written() const noexcept {
      return std::memchr(is_written.data(), 0, is_written.size()) == nullptr;
    }
  };
  // As written. Mostly a number is: a call for it would take longer.
  static void mark(std::uint8_t* first, std::uint64_t bytes) noexcept {
    constexpr std::uint64_t kOnes = 0x0101010101010101;
    switch (bytes) {
      case 4:
        __builtin_memcpy(first, &kOnes, 4);
        break;
      case 8:
        __builtin_memcpy(first, &kOnes, 8);
        break;
      default:
        std::memset(first, 1, bytes);
    }
  }
  using ByBegin = std::map<std::uint64_t, Output>;

  [[nodiscard]] static std::uint8_t pattern(std::uint64_t address) noexcept;
  [[nodiscard]] bool is_unwritten(const ByBegin::value_type& output, std::uint64_t address) const;
  [[nodiscard]] bool has_unwritten(const ByBegin::value_type& output, const Bytes& bytes,
                                   std::uint64_t block) const;
  // Gives back what is unwritten of the bytes.
  void restore(ByBegin::value_type& output, const Bytes& bytes) const;
  ByBegin::iterator give_back(ByBegin::iterator output);
  void add_free(const Bytes& bytes);
  void find_and_write(const Bytes& bytes);
  // The first that ends behind the address.
  [[nodiscard]] ByBegin::iterator first_behind(std::uint64_t address);
  [[nodiscard]] ByBegin::const_iterator first_behind(std::uint64_t address) const {
    return const_cast<Outputs*>(this)->first_behind(address);
  }

  struct Task {
    const myr_site* site;
    std::vector<std::uint64_t> outputs;  // their begins
  };

  ByBegin outputs_;
  std::vector<Task> tasks_;  // that run
  bool uses_pattern_ = false;
  Bytes last_ = {};  // the output that was written to last, if it is still there
  std::uint8_t* last_written_ = nullptr;
};

}  // namespace myr::check
