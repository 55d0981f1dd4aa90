// SPDX-License-Identifier: Apache-2.0
//
// Reports: tells what was found, mistakes of tasks and races of OpenMP programs: as sentences on
// stderr, each once, and as a JSON document if MYR_CHECK_JSON names a file. A sentence that a line
// of MYR_CHECK_SUPPRESSIONS' file matches is only counted.
//
// Threads: one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "check/certificate.hpp"
#include "check/footprints.hpp"
#include "check/symbols.hpp"

namespace myr::check {

// Where the program was, and what memory it touched.
struct Circumstances {
  Footprints::Places places;  // behind the calls that run, innermost first
  Footprints::Block block;    // around the first wrong byte
  bool is_on_stack;           // is that one of a function that has not returned?
  std::function<Footprints::Block(std::uint64_t)> block_around;
};

[[nodiscard]] const Symbols& symbols_of_program();
// Where in a variable so many bytes are.
[[nodiscard]] std::string describe(const Variable& variable, std::uint64_t bytes);
// Where in what is allocated an address is.
[[nodiscard]] std::string describe(const Footprints::Block& block, std::uint64_t address);

// What is said of a mistake, or of a race, in one sentence.
struct Said {
  const char* kind;
  std::string place;
  std::string task;         // or construct of OpenMP
  std::string other;        // the other one's; nothing: there is none
  std::string other_place;  // of a race
  bool writes;
  std::uint64_t bytes;
  std::string memory;
  std::string clause;  // what would be right
  std::string text;
};

class Reports {
 public:
  // Once: reads what is to be suppressed; ends the program if that cannot be read.
  void start();
  void add_race(const Said& race) { say(race, races_); }
  void add(const Finding& finding, const Circumstances& circumstances);
  // A declaration that costs more than it gives: no mistake.
  void add(const Wasted::Found& found);
  // A line that reads and then writes is one mistake: so the last report is kept back until the
  // next one, or until this call.
  void say_last();
  // The code at `places` did something that makes the order of tasks matter.
  void doubt(Doubt doubt, const Footprints::Places& places);
  void doubt(Doubt doubt, const std::string& where) { certificate_.doubt(doubt, where); }
  [[nodiscard]] bool doubts_nothing() const { return count() == 0 && certificate_.has_none(); }
  void note_workers() noexcept { certificate_.note_workers(); }
  void doubt_call(const std::string& function, const Footprints::Places& places);
  // On a terminal, once a second. Tasks have begun so far.
  void show_progress(std::size_t task_count);
  // A task has left unwritten some of what it has declared as out.
  void note_unwritten(const myr_site* task);
  // A task may have read some of it before: clang does not report the read in x += 1.
  void note_unseen_reads() noexcept { certificate_.note_undeclared(); }
  // Says how many mistakes there were, and what else is to be known.
  void sum_up(std::size_t task_count);
  void sum_up_races();
  // As a document, where one is wanted.
  void write_json(std::size_t task_count);
  [[nodiscard]] bool has_mistakes() const noexcept { return mistakes_.told != 0; }
  [[nodiscard]] std::size_t count() const noexcept { return mistakes_.told + races_.told; }

 private:
  struct Report {
    Finding finding;
    std::string line;   // where it was
    std::string where;  // the memory is
    std::string name;   // of it, in an access
    std::string key;    // alike for all that is one mistake
    const myr_site* freed = nullptr;
  };

  struct Count {
    std::size_t told = 0;
    std::size_t suppressed = 0;
  };

  [[nodiscard]] bool is_suppressed(const std::string& sentence) const;
  // Returns whether the sentence is not suppressed.
  bool say(const Said& said, Count& count);
  [[nodiscard]] std::string summary(std::size_t task_count) const;
  void say_summary(const std::string& text);
  void print(const std::string& text);

  std::set<std::pair<const void*, Mistake>> seen_;
  std::set<std::pair<const void*, Doubt>> doubted_;
  std::set<std::string> lines_;  // of mistakes
  std::set<std::string> keys_;
  std::set<std::string> alone_;      // of what is no mistake where tasks share memory
  std::set<std::string> unwritten_;  // where tasks were spawned
  std::vector<std::string> suppressions_;
  std::vector<std::string> said_;  // as JSON objects
  std::vector<std::string> wasted_;
  Certificate certificate_;
  std::chrono::steady_clock::time_point shown_at_;
  bool has_started_ = false;
  bool is_terminal_ = false;
  bool shows_progress_ = false;
  Report last_;
  Count mistakes_;
  Count races_;
  std::string summary_;
};

}  // namespace myr::check
