// SPDX-License-Identifier: Apache-2.0
#include "check/sentences.hpp"

#include "base/format.hpp"
#include "base/misuse.hpp"

namespace myr::check {

std::string task_at(const myr_site* site) {
  if (site == nullptr) return "main";
  return site == &kNowhere ? "a loop's part" : "the task spawned at " + base::describe(site);
}

std::string clause(const Finding& finding, const std::string& name) {
  const char* const mode = finding.touch.writes ? "inout" : "in";
  switch (finding.mistake) {
    case Mistake::Undeclared:
    case Mistake::Unordered:
    case Mistake::PassedOn:
      return base::format("{}({})", mode, name);
    case Mistake::ReadOnly:
    case Mistake::Unwritten:
    case Mistake::Named:
      return base::format("inout({})", name);
    case Mistake::ChildWrites:
    case Mistake::ChildReads:
      return finding.is_declared ? base::format("wait({}({}))", mode, name) : "wait_all()";
    case Mistake::Together:
      return base::format("commutative({})", name);
    default:
      return {};
  }
}

const char* kind_of(Mistake mistake) {
  switch (mistake) {
    case Mistake::Undeclared:
      return "undeclared";
    case Mistake::Outside:
      return "outside";
    case Mistake::Freed:
      return "freed";
    case Mistake::ReadOnly:
      return "read-only";
    case Mistake::PassedOn:
      return "passed-on";
    case Mistake::Unordered:
      return "unordered";
    case Mistake::ChildWrites:
    case Mistake::ChildReads:
      return "child";
    case Mistake::Together:
      return "concurrent";
    case Mistake::Reduced:
      return "reduced";
    case Mistake::InUse:
      return "in-use";
    case Mistake::Above:
      return "above";
    case Mistake::Dangling:
      return "dangling";
    case Mistake::Unwritten:
      return "unwritten";
    case Mistake::Named:
      return "named";
    default:
      return "none";
  }
}

std::string say(const Finding& finding, const std::string& where, const std::string& name,
                const myr_site* freed) {
  const std::string todo = clause(finding, name);
  const std::string who = task_at(finding.task);
  const std::string other = task_at(finding.other);
  const std::string what =
      base::format("{} {} byte{} {}", finding.touch.writes ? "writes" : "reads",
                   finding.touch.bytes, finding.touch.bytes == 1 ? "" : "s", where);
  switch (finding.mistake) {
    case Mistake::Undeclared:
      return base::format("{} {}, which it has not declared; declare {}", who, what, todo);
    case Mistake::Outside:
      return base::format("{} {}, where no object is", who, what);
    case Mistake::Freed:
      return base::format("{} {}, which was freed {}", who, what,
                          freed == nullptr ? "with its region" : "at " + base::describe(freed));
    case Mistake::ReadOnly:
      return base::format("{} {}, which it has declared as in; declare {}", who, what, todo);
    case Mistake::PassedOn:
      return base::format(
          "{} {}, which it has declared as {}, for what it spawns alone; declare {}", who, what,
          finding.is_weak ? "weak" : "notransfer", todo);
    case Mistake::Unordered:
      return base::format(
          "{} {}, which it has not declared, and {} may {} it at the same time; "
          "declare {}",
          who, what, other, finding.other_writes ? "write" : "read", todo);
    case Mistake::ChildWrites:
      return base::format("{} {} while {} may still write it; {} before", who, what, other, todo);
    case Mistake::ChildReads:
      return base::format("{} {} while {} may still read it; {} before", who, what, other, todo);
    case Mistake::Together:
      return base::format(
          "{} {}, which it has declared as concurrent, and {} may {} it at the same time; "
          "make that safe, by atomic operations or a lock, or declare {}",
          who, what, other, finding.other_writes ? "write" : "read", todo);
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
    case Mistake::Unwritten:
      return base::format(
          "{} {}, which {} has declared as out, before anybody has written it; "
          "declare {}{}",
          who, what, finding.is_declared ? "it" : other, todo, finding.is_declared ? "" : " there");
    case Mistake::Named:
      return base::format(
          "{} is spawned with a container {} while {} may still write it, which has not declared "
          "it; declare {} there",
          who, where, other, todo);
    case Mistake::Alone:
    case Mistake::ReadsAlone:
    case Mistake::None:
      break;
  }
  return {};
}

std::string count_of(std::size_t number, const char* what) {
  return base::format("{} {}{}", number == 0 ? "no" : std::to_string(number), what,
                      number == 1 ? "" : "s");
}

}  // namespace myr::check
