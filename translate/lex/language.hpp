// SPDX-License-Identifier: Apache-2.0
//
// The languages that myrcc translates.
#pragma once

namespace myr::translate {

enum class Language { C, Cxx };

}  // namespace myr::translate
