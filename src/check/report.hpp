// SPDX-License-Identifier: Apache-2.0
//
// Reports: what was found, as sentences on stderr, each once.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/footprints.hpp"

namespace myr::check {

// Where the program was, and what memory it touched.
struct Circumstances {
  Footprints::Places places;  // behind the calls that run, innermost first
  Footprints::Block block;    // around the first wrong byte
  bool is_on_stack;           // is that one of a function that has not returned?
};

class Reports {
 public:
  void add(const Finding& finding, const Circumstances& circumstances);
  // A line that reads and then writes is one mistake: so the last one may wait for the next.
  void say_last();
  // How many there were, and what else is to be known.
  void sum_up(std::size_t task_count);
  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  struct Report {
    Finding finding;
    std::string line;   // where it was
    std::string where;  // the memory is
    std::string name;   // of a variable
    std::string key;    // alike for all that is one mistake
    const myr_site* freed = nullptr;
  };

  std::set<std::pair<const void*, Mistake>> seen_;
  std::set<std::string> lines_;  // of mistakes
  std::set<std::string> keys_;
  std::set<std::string> alone_;  // of what is no mistake where tasks share memory
  Report last_;
  std::size_t count_ = 0;
};

}  // namespace myr::check
