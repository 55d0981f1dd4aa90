// SPDX-License-Identifier: Apache-2.0
//
// The end of a thread, and of the process.
#pragma once

namespace myr::plat {

// Calls the handler when the calling thread ends, or calls exit(): then before exit handlers run
// and objects of static storage are destroyed.
void at_thread_end(void (*handler)(void*), void* argument) noexcept;

// For such a handler: others may take the end of the thread for that of the process.
void begin_exit() noexcept;
// Waits for the end of the process, as that thread has called exit(), or main has returned. Returns
// if only the thread has ended.
void wait_for_exit() noexcept;

// For such a handler, or an exit handler, in a thread that has called exit(): the process ends with
// the status that exit() was given, after no more than that C's streams are flushed. It waits a
// second at most for those that other threads hold.
void cut_exit_short() noexcept;

}  // namespace myr::plat
