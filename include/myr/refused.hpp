// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: overloads for wrong uses. Such a call is one error, in the user's line, with a
// text that says what to write.
#pragma once

#include <myr/cxx20.hpp>

#if __has_attribute(unavailable)
#define MYR_REFUSED(text) __attribute__((unavailable(text)))
#else  // GCC 11: a warning, and nothing to link with
#define MYR_REFUSED(text) __attribute__((deprecated(text)))
#endif
