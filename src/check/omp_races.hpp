// SPDX-License-Identifier: Apache-2.0
//
// Races: what the strands of an OpenMP program touch, and which two of them do so in conflict, in
// no order and under no common lock. A pure state machine, which is told who runs.
//
// Threads: one.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "base/byte_map.hpp"
#include "check/footprints.hpp"
#include "check/locks.hpp"
#include "check/omp_history.hpp"
#include "check/omp_order.hpp"

namespace myr::check {

// The part of the program that a strand belongs to: a thread's part of a region, or a task. Within
// a part, iterations of a loop that threads share out as they like are strands of their own.
struct Part {
  std::uint32_t thread = 0;  // of a team: parts that it executes follow each other
  std::uint32_t number = 0;  // the thread whose number it gets, which executes it in another run
  // Does what it touches depend on that?
  bool knows_thread = false;
};

// What a strand is in, for people.
struct Construct {
  const char* name = nullptr;   // "the task"
  const void* place = nullptr;  // in the program's code, behind its call
};

// What has come of an access.
struct Race {
  Touch touch = {};
  Construct construct = {};
  Touch earlier = {};
  Construct earlier_construct = {};
  std::uint64_t first = 0;        // byte of both
  bool is_of_one_thread = false;  // as far as this run is concerned
  explicit operator bool() const noexcept { return touch.place != nullptr; }
};

class Races {
 public:
  using Strand = Strands::Id;
  using PartId = std::uint32_t;

  // What runs.
  struct Runner {
    Strand strand = Strands::kFirst;
    PartId part = 0;
    std::uint32_t construct = 0;
    Locks::Set locks = Locks::kNone;
  };

  [[nodiscard]] Strands& strands() noexcept { return strands_; }
  [[nodiscard]] Locks& locks() noexcept { return locks_; }

  [[nodiscard]] PartId add_part(const Part& part);
  [[nodiscard]] Part& part(PartId id) { return parts_[id]; }
  [[nodiscard]] std::uint32_t add_construct(const Construct& construct);

  // The strands whose writes under a lock the running strand is about to read under the same lock,
  // and that are not before it: the value that it reads may tell it that they are over.
  [[nodiscard]] std::vector<Strand> senders(const Touch& touch, const Runner& runner);
  // The running strand touches bytes; `is_own`: in a frame that belongs to its part alone.
  [[nodiscard]] Race look(const Touch& touch, const Runner& runner, bool is_own);

  void allocated(std::uint64_t begin, std::uint64_t end, PartId part);
  void forget(std::uint64_t begin, std::uint64_t end) { history_.forget(begin, end); }

 private:
  struct Note {
    const void* place;
    std::uint64_t bytes;
    std::uint32_t construct;
    auto operator<=>(const Note&) const = default;
  };
  struct Noted {
    Note note = {};
    std::uint32_t id = 0;
  };

  [[nodiscard]] std::uint32_t note_of(const Note& note);
  [[nodiscard]] bool may_meet(const Access& earlier, const Access& access, std::uint64_t address,
                              bool is_own) const;
  [[nodiscard]] bool has_made(PartId part, std::uint64_t address) const;

  Strands strands_;
  Locks locks_;
  AccessHistory history_{strands_, locks_};
  std::vector<Part> parts_{1};
  std::vector<Construct> constructs_{1};
  std::vector<Note> notes_;
  std::map<Note, std::uint32_t> note_ids_;
  std::array<Noted, 1024> latest_notes_ = {};  // by place
  base::ByteMap<PartId> made_by_;              // of what has been allocated in parallel
};

}  // namespace myr::check
