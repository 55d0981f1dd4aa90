// SPDX-License-Identifier: Apache-2.0
//
// What handlers of faults have in common: they say something, and then the signal does what it does
// without them.
#pragma once

#include <signal.h>

namespace myr::plat {

// Nobody handles the signal.
[[nodiscard]] inline bool is_left_to_system(int signal) noexcept {
  struct sigaction present = {};
  return sigaction(signal, nullptr, &present) == 0 && (present.sa_flags & SA_SIGINFO) == 0 &&
         present.sa_handler == SIG_DFL;
}

// In its handler: the system ends the process by it.
inline void leave_to_system(int signal, const siginfo_t& info) noexcept {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  if (info.si_code <= 0) raise(signal);  // sent by somebody; a fault happens again by itself
}

}  // namespace myr::plat
