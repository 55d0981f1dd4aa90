// SPDX-License-Identifier: Apache-2.0
//
// Code that says the name of the function around it, as __func__ does, also by macros such as
// assert(): where the translation gives that function another name, it must be kept from the code.
#pragma once

#include <optional>
#include <string>

#include "translate/parse/clang.hpp"
#include "translate/parse/model.hpp"

namespace myr::translate {

// What the compiler must say within `tree`, which is all or a part of the function `name`; nothing
// if the code does not ask for it. `both`: so does a function inside of it, which has another name.
[[nodiscard]] std::optional<Disguised> disguise_of(CXCursor tree, const std::string& name,
                                                   bool& both);

}  // namespace myr::translate
