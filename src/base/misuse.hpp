// SPDX-License-Identifier: Apache-2.0
//
// The one way to report a mistake of the program that uses Myrmidon: one message on stderr that
// says what happened, where, and what to do; then the process ends with status MYR_EXIT_MISUSE. Any
// thread; the first of several mistakes at the same time is reported. It takes no lock that
// the program could hold, so a mistake never hangs: of what the program has written and not
// flushed, only standard output is flushed, and only if nobody holds it and its reader can take it.
#pragma once

#include <string>
#include <string_view>

#include "base/contract.hpp"
#include "myr/myr.h"

namespace myr::base {

// "file:line", or "an unknown place" for a null site.
[[nodiscard]] std::string describe(const myr_site* site);

// The process is one of several: messages begin with its rank. Before other threads begin.
void set_rank(unsigned rank) noexcept;
// misuse() is about to be called: this ends all processes of the job with its status, which some
// launchers do not tell of one that ends by itself.
void set_end_of_job(void (*end)(int status)) noexcept;
// One of the processes that have this byte in common, 0 at first, says what is wrong; the others
// end without a word. nullptr: no longer.
void share_last_words(unsigned char* spoken) noexcept;

// Is told of each misuse before the process ends.
void set_notice(void (*tell)(const myr_site* site, std::string_view message) noexcept) noexcept;

// Gives notice, prints "myrmidon: error: FILE:LINE: MESSAGE" and exits without
// running destructors or exit handlers.
[[noreturn]] MYR_COLD void misuse(const myr_site* site, std::string_view message) noexcept;
// The same without the notice.
[[noreturn]] MYR_COLD void end_process(const myr_site* site, std::string_view message) noexcept;

}  // namespace myr::base
