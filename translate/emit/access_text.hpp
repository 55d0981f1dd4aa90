// SPDX-License-Identifier: Apache-2.0
//
// The accesses of a site as code.
#pragma once

#include <string>
#include <vector>

#include "translate/emit/render.hpp"
#include "translate/lex/language.hpp"

namespace myr::translate {

// An expression of type access_type() for the access. `loop`: whose task it is of, if any.
[[nodiscard]] std::string access_value(const Access& access, const std::optional<Loop>& loop,
                                       const Renderer& renderer, Language language);

// A declaration of the iterator with its first value.
[[nodiscard]] std::string first_of(const Iterator& iterator, const Renderer& renderer);

// "myr_access"; "myr_box" or "myr_list" if it takes several.
[[nodiscard]] std::string access_type(const Access& access);

}  // namespace myr::translate
