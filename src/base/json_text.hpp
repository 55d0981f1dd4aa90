// SPDX-License-Identifier: Apache-2.0
//
// Texts in JSON documents that are written piece by piece.
#pragma once

#include <string>
#include <string_view>

namespace myr::base {

// The text as a JSON string, with its quotation marks.
[[nodiscard]] std::string json_string(std::string_view text);

}  // namespace myr::base
