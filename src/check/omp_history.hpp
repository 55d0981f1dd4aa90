// SPDX-License-Identifier: Apache-2.0
//
// AccessHistory: for each byte, the accesses of an OpenMP program to it that a later one can be in
// conflict with. It is a table of pages with a list of accesses for each word of 8 bytes. So it
// pays for single elements in any order, while the fragments of History suit what tasks declare.
//
// Threads: one. Cost: a few words an access that is kept.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "check/locks.hpp"
#include "check/omp_order.hpp"

namespace myr::check {

struct Access {
  Strands::Id strand = 0;
  std::uint32_t note = 0;  // about where it is in the program
  Locks::Set locks = 0;
  std::uint32_t part = 0;  // of the program, that the strand belongs to
  std::uint8_t bytes = 0;  // of the word, a bit each
  bool writes = false;
  bool is_atomic = false;
};

class AccessHistory {
 public:
  static constexpr std::uint64_t kWord = 8;

  AccessHistory(const Strands& strands, const Locks& locks) : strands_(strands), locks_(locks) {}

  // Enters an access of the strand that runs, and calls visit(earlier access) for those with which
  // it conflicts by their bytes and ways; locks and order are the caller's.
  template <class Visit>
  void enter(std::uint64_t word, const Access& access, Visit&& visit);
  template <class Visit>
  void visit_writes(std::uint64_t word, Visit&& visit) {
    for (std::uint32_t entry = word_at(word).writes; entry != kNone; entry = entries_[entry].next) {
      visit(entries_[entry].access);
    }
  }
  // What was there is gone: later accesses to these bytes are accesses to something else.
  void forget(std::uint64_t begin, std::uint64_t end);

 private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Entry {
    Access access;
    std::uint32_t next;
  };
  struct Word {
    std::uint32_t writes = kNone;
    std::uint32_t reads = kNone;
  };
  using Page = std::array<Word, kPage / kWord>;

  [[nodiscard]] Word& word_at(std::uint64_t address);
  // Does a conflict with the earlier one mean a conflict with the later one?
  [[nodiscard]] bool stands_for(const Access& later, const Access& earlier) const;
  void keep(std::uint32_t& list, const Access& access);
  void drop_covered(std::uint32_t& list, const Access& access);
  void drop(std::uint32_t& link);
  void forget_bytes(std::uint32_t& list, std::uint8_t bytes);

  const Strands& strands_;
  const Locks& locks_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
  std::uint64_t last_number_ = ~std::uint64_t{0};
  Page* last_ = nullptr;
  std::vector<Entry> entries_;
  std::uint32_t free_ = kNone;
};

template <class Visit>
void AccessHistory::enter(std::uint64_t word, const Access& access, Visit&& visit) {
  Word& at = word_at(word);
  const auto look = [&](std::uint32_t entry) {
    for (; entry != kNone; entry = entries_[entry].next) {
      const Access& earlier = entries_[entry].access;
      const bool is_same_kind = earlier.is_atomic && access.is_atomic;
      if ((earlier.bytes & access.bytes) != 0 && !is_same_kind) visit(earlier);
    }
  };
  look(at.writes);
  if (access.writes) {
    look(at.reads);
    drop_covered(at.reads, access);
    drop_covered(at.writes, access);
    keep(at.writes, access);
  } else {
    drop_covered(at.reads, access);
    keep(at.reads, access);
  }
}

}  // namespace myr::check
