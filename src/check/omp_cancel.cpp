// SPDX-License-Identifier: Apache-2.0
//
// Cancelling. Which threads learn of a cancel may differ in another execution: so only what comes
// behind the cancel in every execution is left out. All else is executed, since it may be.
#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "check/omp_team.hpp"
#include "check/omp_watch.hpp"

namespace myr::check::omp {

namespace {

std::vector<Strand>* cancels_of(Cancelled what) {
  Task& task = omp::task();
  switch (what) {
    case Cancelled::Region:
      return &task.team->region_cancels;
    case Cancelled::Work:
      return &task.team->work_cancels;
    case Cancelled::Group:
      break;
  }
  return task.group == nullptr ? nullptr : &task.group->cancels;
}

}  // namespace

bool can_cancel() {
  static const bool can = [] {
    const char* const text = std::getenv("OMP_CANCELLATION");
    return text != nullptr && (std::tolower(*text) == 't' || *text == '1');
  }();
  return can;
}

bool cancel(Cancelled what) {
  std::vector<Strand>* const cancels = cancels_of(what);
  if (!can_cancel() || cancels == nullptr) return false;
  Task& task = omp::task();
  cancels->push_back(task.runner.strand);
  go_on(task);
  if (what == Cancelled::Work) leave_work();
  return true;
}

bool is_cancelled(Cancelled what) {
  const std::vector<Strand>* const cancels = cancels_of(what);
  return cancels != nullptr && is_behind_one(*cancels, task().runner.strand);
}

bool is_behind_one(const std::vector<Strand>& cancels, Strand strand) {
  return std::any_of(cancels.begin(), cancels.end(),
                     [&](Strand cancel) { return races().strands().is_before(cancel, strand); });
}

}  // namespace myr::check::omp
