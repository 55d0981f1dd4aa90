// SPDX-License-Identifier: Apache-2.0
//
// Sentences: what is said of a mistake.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <string>

#include "check/footprints.hpp"

namespace myr::check {

// "main", or the task that was spawned there.
[[nodiscard]] std::string task_at(const myr_site* site);
// A word for programs.
[[nodiscard]] const char* kind_of(Mistake mistake);
// What to write so that there is no mistake; nothing if that is not known. `name`: the memory's.
[[nodiscard]] std::string clause(const Finding& finding, const std::string& name);
// `where`: the memory is; `freed`: where the object was.
[[nodiscard]] std::string say(const Finding& finding, const std::string& where,
                              const std::string& name, const myr_site* freed);
// "3 tasks", "no task".
[[nodiscard]] std::string count_of(std::size_t number, const char* what);

}  // namespace myr::check
