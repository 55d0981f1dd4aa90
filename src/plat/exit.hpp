// SPDX-License-Identifier: Apache-2.0
//
// The end of a thread, and of the process.
#pragma once

namespace myr::plat {

// Calls the handler when the calling thread ends, or calls exit(): then before exit handlers run
// and objects of static storage are destroyed. Not when the process's first thread leaves main by
// pthread_exit() while others run.
void at_thread_end(void (*handler)(void*), void* argument) noexcept;

// The thread that main began in, or that forked this process.
[[nodiscard]] bool is_first_thread() noexcept;
// Calls the handler if the process's first thread, which is the calling one, ends by
// pthread_exit(): the process goes on until its last thread ends. Only the last handler counts.
void at_first_thread_exit(void (*handler)()) noexcept;
// It has done so.
[[nodiscard]] bool first_thread_is_gone() noexcept;

// A signal handler has called exit(), and so the caller, and what it has interrupted in this thread
// is a call of this library, or of what that calls. Cost: microseconds for each frame of the stack.
[[nodiscard]] bool exit_interrupts_library() noexcept;

// Where the frames of the calling thread begin that exit() does not leave: those of what has called
// it. Frames of a main that has returned lie below. nullptr: the thread is not in exit(), or there
// is no telling, as in a program without shared libraries. Cost: as above.
[[nodiscard]] const void* frames_kept_by_exit() noexcept;

// The calling thread has nothing left to do while the process ends. Signals reach it.
[[noreturn]] void wait_for_exit() noexcept;

// For a handler of a thread's end, or an exit handler, in a thread that has called exit(): the
// process ends with the status that exit() was given, after no more than that C's streams are
// flushed. It waits a second at most for those that other threads hold.
void cut_exit_short() noexcept;

}  // namespace myr::plat
