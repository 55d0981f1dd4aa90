// SPDX-License-Identifier: Apache-2.0
//
// The processor on which the calling thread runs, and how it gets onto another one.
#pragma once

namespace myr::plat {

// By the kernel's number. It may have changed by the time of the return. Cost: nanoseconds.
[[nodiscard]] unsigned this_cpu() noexcept;

// Moves the calling thread to another one of the processors that it may use; does nothing if there
// is none. Afterwards it may use the same ones as before: if somebody else changes them at this
// moment, that change is lost. Cost: three system calls and the move, some 20 microseconds.
void leave_this_cpu() noexcept;

}  // namespace myr::plat
