// SPDX-License-Identifier: Apache-2.0
#include "check/certificate.hpp"

#include <algorithm>
#include <utility>

namespace myr::check {

namespace {
constexpr std::array<std::string_view, Certificate::kDoubts> kWhats{
    "locks",
    "atomic operations",
    "accesses in any order",
    "tasks that are cancelled",
    "questions whether memory is ready",
    "clocks or random numbers",
    "thread-local variables",
    "threads of its own",
    "the first use of static variables",
    "how a loop is cut",
    "files that are mapped to be written",
    "code that is not compiled for it, or has no debug information",
    "structures by value, of which gcc tells nothing",
};
}  // namespace

std::vector<std::string> Certificate::doubts() const {
  std::vector<std::string> doubts;
  for (std::size_t i = 0; i < kDoubts; ++i) {
    if (!first_[i].empty()) doubts.push_back(std::string(kWhats[i]) + " (" + first_[i] + ")");
  }
  std::string calls;
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < std::min(calls_.size(), kMost); ++i) {
    calls += (i == 0 ? "calls of " : " ") + calls_[i];
  }
  if (calls_.size() > kMost) calls += " ...";
  if (!calls.empty()) doubts.push_back(std::move(calls));
  return doubts;
}

void Certificate::note_call(const std::string& function, const std::string& where) {
  calls_.push_back(function + " (" + where + ")");
}

std::string Certificate::text() const {
  std::string reasons;
  for (const std::string& doubt : doubts()) reasons += (reasons.empty() ? "" : ", ") + doubt;
  if (!reasons.empty()) return "; the result may depend on the schedule, because of " + reasons;
  return std::string("; with this input every schedule on every machine ") +
         (is_for_all_workers_ ? "" : "with as many workers ") +
         (is_for_every_machine_ ? "" : "that shares memory ") + "gives this result";
}

}  // namespace myr::check
