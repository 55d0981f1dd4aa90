// SPDX-License-Identifier: Apache-2.0
//
// The accesses of a site as code: an argument for each at the place of the pragma, and a parameter
// for it in the function that makes the task.
#pragma once

#include <string>
#include <vector>

#include "translate/emit/render.hpp"
#include "translate/lex/language.hpp"

namespace myr::translate {

// An expression of type access_type() for the access. `loop`: whose task it is of, if any.
[[nodiscard]] std::string access_value(const Access& access, const std::optional<Loop>& loop,
                                       const Renderer& renderer, const Site* block,
                                       Language language);

// A declaration of the iterator with its first value.
[[nodiscard]] std::string first_of(const Iterator& iterator, const Renderer& renderer,
                                   const Site* block);

// "myr_access"; "myr_box" or "myr_list" if it takes several.
[[nodiscard]] std::string access_type(const Access& access);

// An expression for how many accesses the variables myrcc_m0, myrcc_m1, ... hold.
[[nodiscard]] std::string access_count(const std::vector<Access>& accesses);

// Statements that write them from `myrcc_next` on.
[[nodiscard]] std::string put_accesses(const std::vector<Access>& accesses);

}  // namespace myr::translate
