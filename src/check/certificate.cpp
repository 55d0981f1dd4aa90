// SPDX-License-Identifier: Apache-2.0
#include "check/certificate.hpp"

#include <algorithm>

namespace myr::check {

namespace {
constexpr std::array<std::string_view, Certificate::kDoubts> kWhats{
    "locks",
    "atomic operations",
    "accesses in any order",
    "tasks that are cancelled",
    "clocks or random numbers",
    "threads of its own",
    "code that is not compiled for it",
};
}  // namespace

bool Certificate::is_given() const noexcept {
  return std::all_of(first_.begin(), first_.end(),
                     [](const std::string& where) { return where.empty(); });
}

std::string Certificate::text() const {
  if (is_given()) {
    return is_for_every_machine_ ? "; with this input every schedule on every machine gives this "
                                   "result"
                                 : "; with this input every schedule gives this result where tasks "
                                   "share memory";
  }
  std::string text = "; whether every schedule gives this result is not known, because of ";
  bool is_first = true;
  for (std::size_t i = 0; i < kDoubts; ++i) {
    if (first_[i].empty()) continue;
    if (!is_first) text += ", ";
    is_first = false;
    text += kWhats[i];
    text += " (" + first_[i] + ")";
  }
  return text;
}

}  // namespace myr::check
