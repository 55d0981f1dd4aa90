// SPDX-License-Identifier: Apache-2.0
#include "check/report.hpp"

#include <cstdio>
#include <string>

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "check/symbols.hpp"

namespace myr::check {

namespace {

std::string task_at(const myr_site* site) {
  if (site == nullptr) return "main";
  return site == &kNowhere ? "a loop's part" : "the task spawned at " + base::describe(site);
}

// `freed`: where the object was.
std::string say(const Finding& finding, const std::string& where, const std::string& name,
                const myr_site* freed) {
  const char* const mode = finding.touch.writes ? "inout" : "in";
  const std::string who = task_at(finding.task);
  const std::string other = task_at(finding.other);
  const std::string what =
      base::format("{} {} byte{} {}", finding.touch.writes ? "writes" : "reads",
                   finding.touch.bytes, finding.touch.bytes == 1 ? "" : "s", where);
  switch (finding.mistake) {
    case Mistake::Undeclared:
      return base::format("{} {}, which it has not declared; declare {}({})", who, what, mode,
                          name);
    case Mistake::Outside:
      return base::format("{} {}, where no object is", who, what);
    case Mistake::Freed:
      return base::format("{} {}, which was freed {}", who, what,
                          freed == nullptr ? "with its region" : "at " + base::describe(freed));
    case Mistake::ReadOnly:
      return base::format("{} {}, which it has declared as in; declare inout({})", who, what, name);
    case Mistake::Unordered:
      return base::format(
          "{} {}, which it has not declared, and {} may {} it at the same time; "
          "declare {}({})",
          who, what, other, finding.other_writes ? "write" : "read", mode, name);
    case Mistake::ChildWrites:
      return base::format("{} {} while {} may still write it; wait(in({})) before", who, what,
                          other, name);
    case Mistake::ChildReads:
      return base::format("{} {} while {} may still read it; wait(inout({})) before", who, what,
                          other, name);
    case Mistake::Together:
      return base::format(
          "{} {}, which it has declared as concurrent, and {} may {} it at the same time; "
          "make that safe, by atomic operations or a lock, or declare commutative({})",
          who, what, other, finding.other_writes ? "write" : "read", name);
    case Mistake::Reduced:
      return base::format("{} {}, into which it reduces; use the copy that its function gets", who,
                          what);
    case Mistake::InUse:
      return base::format("{} frees memory {} while {} may still {} it; wait before", who, where,
                          other, finding.other_writes ? "write" : "read");
    case Mistake::Above:
      return base::format(
          "{} and {} may use the same memory at the same time, though both declare "
          "it: a task that has spawned one of them does not; declare it there, too",
          who, other);
    case Mistake::Dangling:
      return base::format(
          "{} uses a local variable of {}, or of a function that it has called, which may have "
          "returned by then; wait before it returns",
          who, other);
    case Mistake::Alone:
    case Mistake::None:
      break;
  }
  return {};
}

std::string where(const Finding& finding, const Circumstances& around, const Variable& variable,
                  const Symbols& symbols) {
  if (!variable.name.empty()) {
    if (variable.bytes <= finding.touch.bytes) return "of the variable " + variable.name;
    return base::format("at byte {} of the variable {}", variable.offset, variable.name);
  }
  if (around.is_on_stack) return "of a local variable of a function around it";
  const Footprints::Block& block = around.block;
  if (block.bytes == 0) return base::format("at {:#x}", finding.first_wrong);
  return base::format(
      "at byte {} of the {} bytes allocated at {}", finding.first_wrong - block.first, block.bytes,
      block.site != nullptr ? base::describe(block.site) : symbols.line_of(*block.places));
}

// Never destroyed: the last destructors of the program are watched, too.
const Symbols& symbols_of_program() {
  static const Symbols& symbols = *new Symbols;
  return symbols;
}

std::string count_of(std::size_t number, const char* what) {
  return base::format("{} {}{}", number == 0 ? "no" : std::to_string(number), what,
                      number == 1 ? "" : "s");
}

}  // namespace

void Reports::add(const Finding& finding, const Circumstances& circumstances) {
  if (!seen_.emplace(finding.touch.place, finding.mistake).second) return;
  const Symbols& symbols = symbols_of_program();
  std::string line = finding.touch.place == nullptr ? base::describe(finding.task)
                                                    : symbols.line_of(circumstances.places);
  const bool may_be_runtimes = finding.mistake == Mistake::Alone ||
                               finding.mistake == Mistake::InUse || finding.touch.is_atomic;
  if (may_be_runtimes && symbols.is_of_runtime(circumstances.places)) return;
  if (finding.mistake == Mistake::Alone) {
    alone_.insert(std::move(line));
    return;
  }
  const Variable variable = symbols.variable_at(finding.first_wrong);
  const Footprints::Block& block = circumstances.block;
  Report report{.finding = finding,
                .line = line,
                .where = where(finding, circumstances, variable, symbols),
                .name = variable.name.empty() ? "..." : variable.name,
                .key = base::format("{} {} {} {}", static_cast<int>(finding.mistake), line,
                                    variable.name, block.first),
                .freed = block.freed};
  const bool is_last = last_.key == report.key && finding.touch.writes;
  if (!is_last) {
    if (!keys_.insert(report.key).second) return;
    say_last();
    count_ += 1;
    lines_.insert(line);
  }
  last_ = std::move(report);
}

void Reports::say_last() {
  constexpr std::size_t kSaidMost = 50;
  if (last_.finding && count_ <= kSaidMost) {
    const std::string text = say(last_.finding, last_.where, last_.name, last_.freed);
    std::fputs(base::format("myr check: {}: {}\n", last_.line, text).c_str(), stderr);
  }
  last_ = {};
}

void Reports::sum_up(std::size_t task_count) {
  say_last();
  std::string text = base::format("myr check: {} in {}", count_of(count_, "mistake"),
                                  count_of(task_count, "task"));
  std::erase_if(alone_, [&](const std::string& line) { return lines_.contains(line); });
  if (!alone_.empty()) {
    text += base::format("; at {} tasks write what they have not declared, which is lost over MPI:",
                         count_of(alone_.size(), "place"));
    constexpr std::size_t kMost = 5;
    std::size_t i = 0;
    for (const std::string& line : alone_) {
      if (i++ == kMost) break;
      text += " " + line;
    }
    if (alone_.size() > kMost) text += " ...";
  }
  std::fputs((text + "\n").c_str(), stderr);
}

}  // namespace myr::check
