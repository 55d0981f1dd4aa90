// SPDX-License-Identifier: Apache-2.0
#include "check/certificate.hpp"

namespace myr::check {

namespace {
constexpr std::array<std::string_view, Certificate::kDoubts> kWhats{
    "locks",
    "atomic operations",
    "accesses in any order",
    "tasks that are cancelled",
    "clocks or random numbers",
    "thread-local variables",
    "threads of its own",
    "code that is not compiled for it",
};
}  // namespace

std::vector<std::string> Certificate::doubts() const {
  std::vector<std::string> doubts;
  for (std::size_t i = 0; i < kDoubts; ++i) {
    if (!first_[i].empty()) doubts.push_back(std::string(kWhats[i]) + " (" + first_[i] + ")");
  }
  return doubts;
}

std::string Certificate::text() const {
  std::string reasons;
  for (const std::string& doubt : doubts()) reasons += (reasons.empty() ? "" : ", ") + doubt;
  if (!reasons.empty()) return "; the result may depend on the schedule, because of " + reasons;
  return std::string("; nothing that was seen makes the result depend on the schedule") +
         (is_for_every_machine_ ? ", or on the machine" : " where tasks share memory");
}

}  // namespace myr::check
