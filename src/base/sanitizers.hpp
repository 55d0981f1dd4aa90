// SPDX-License-Identifier: Apache-2.0
//
// What the sanitizers are told that a program is compiled with, whatever this library is compiled
// with: ThreadSanitizer, who waits for whom; AddressSanitizer, what memory is there; both, on which
// stack a thread is. Their calls are looked up when the program starts, so where no sanitizer is, a
// call here is a test of a pointer.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
[[gnu::weak]] void __tsan_acquire(void* place);
[[gnu::weak]] void __tsan_release(void* place);
[[gnu::weak]] void __tsan_java_release_store(unsigned long place);
[[gnu::weak]] void __tsan_java_alloc(unsigned long first, unsigned long bytes);
[[gnu::weak]] void __tsan_java_free(unsigned long first, unsigned long bytes);
[[gnu::weak]] void* __tsan_get_current_fiber();
[[gnu::weak]] void* __tsan_create_fiber(unsigned flags);
[[gnu::weak]] void __tsan_destroy_fiber(void* fiber);
[[gnu::weak]] void __tsan_switch_to_fiber(void* fiber, unsigned flags);
[[gnu::weak]] void AnnotateIgnoreReadsBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreReadsEnd(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreWritesEnd(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreSyncBegin(const char* file, int line);
[[gnu::weak]] void AnnotateIgnoreSyncEnd(const char* file, int line);
[[gnu::weak]] void __asan_poison_memory_region(const volatile void* first, std::size_t bytes);
[[gnu::weak]] void __asan_unpoison_memory_region(const volatile void* first, std::size_t bytes);
[[gnu::weak]] void __sanitizer_start_switch_fiber(void** left, const void* low, std::size_t bytes);
[[gnu::weak]] void __sanitizer_finish_switch_fiber(void* entered, const void** low,
                                                   std::size_t* bytes);
[[gnu::weak]] void __lsan_register_root_region(const void* first, std::size_t bytes);
}

namespace myr::base {

// What is kept of a thread for them, as long as the process is there. Libraries that are loaded
// late share little room for thread-local variables: a pointer to it is all that there is of these.
struct WatchedThread {
  bool runs_library = false;     // and not the program's code
  std::byte on_stacks[8] = {};   // a place that orders what the thread does on its stacks
  void* running_task = nullptr;  // of the runtime; nullptr: the root
  void* root_task = nullptr;
  WatchedThread* next = nullptr;  // so that none counts as lost
};
inline constinit WatchedThread* watched_threads = nullptr;
inline constinit thread_local WatchedThread* watched_thread = nullptr;
// That of the calling thread.
[[nodiscard]] inline WatchedThread& this_watched_thread() {
  if (watched_thread == nullptr) {
    watched_thread = new WatchedThread;
    // Only a search for leaks follows the list, when the process ends.
    watched_thread->next = __atomic_exchange_n(&watched_threads, watched_thread, __ATOMIC_RELAXED);
  }
  return *watched_thread;
}

// ---- ThreadSanitizer ----------------------------------------------------------------------------

// Does it have to be told of order? Not if it sees what this library does itself; nor where another
// library has its place, as that of `myr check` does.
[[nodiscard]] inline bool is_watched_for_races() noexcept {
#if defined(__SANITIZE_THREAD__)
  return false;
#else
  return __tsan_java_alloc != nullptr;
#endif
}

// What the thread has done so far comes before what any thread does behind tell_acquire(). A place
// is any address of the library's own, and collects what is released there.
inline void tell_release(void* place) noexcept {
  if (__tsan_release != nullptr) __tsan_release(place);
}
inline void tell_acquire(void* place) noexcept {
  if (__tsan_acquire != nullptr) __tsan_acquire(place);
}
// tell_release() where nothing is to be left of what was released before.
inline void tell_first_release(void* place) noexcept {
  if (__tsan_java_release_store != nullptr) {
    __tsan_java_release_store(reinterpret_cast<unsigned long>(place));
  }
}

// Nobody has used the memory yet. The calls are those for the heap of a virtual machine.
inline void tell_new_memory(const void* first, std::size_t bytes) noexcept {
  if (__tsan_java_alloc == nullptr || bytes == 0) return;
  const auto begin = reinterpret_cast<unsigned long>(first);
  __tsan_java_free(begin, bytes);  // what it was before
  __tsan_java_alloc(begin, bytes);
}
// The next users need not wait for anybody.
inline void tell_old_memory(const void* first, std::size_t bytes) noexcept {
  if (__tsan_java_alloc == nullptr || bytes == 0) return;
  const auto begin = reinterpret_cast<unsigned long>(first);
  __tsan_java_alloc(begin, bytes);
  __tsan_java_free(begin, bytes);
}

// Whose code a thread runs. ThreadSanitizer sees some of what the library does, its calls of the C
// library: they order nothing in the program, and are no races, so it is told to look away.
class WhoseCode {
 public:
  WhoseCode(const WhoseCode&) = delete;
  WhoseCode& operator=(const WhoseCode&) = delete;

  // ThreadSanitizer takes another stack of a thread for another thread. A thread that comes to this
  // one, or leaves it, runs the library's code, until the stack is about to go.
  static void begin_stack(void* fiber) noexcept { on_stack(fiber, look_away); }
  static void end_stack(void* fiber) noexcept { on_stack(fiber, look_again); }
  // The process is about to end.
  static void end_process() noexcept { set(false); }

 protected:
  explicit WhoseCode(bool is_librarys) noexcept : was_librarys_(set(is_librarys)) {}
  ~WhoseCode() { set(was_librarys_); }

 private:
  static void look_away() noexcept {
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    AnnotateIgnoreSyncBegin(__FILE__, __LINE__);
  }
  static void look_again() noexcept {
    AnnotateIgnoreSyncEnd(__FILE__, __LINE__);
    AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  }
  static void on_stack(void* fiber, void (*look)() noexcept) noexcept {
    constexpr unsigned kWithoutOrder = 1;
    if (!is_watched_for_races()) return;
    void* const self = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(fiber, kWithoutOrder);
    look();
    __tsan_switch_to_fiber(self, kWithoutOrder);
  }
  static bool set(bool is_librarys) noexcept {
    if (!is_watched_for_races()) return false;
    bool& runs_library = this_watched_thread().runs_library;
    if (is_librarys == runs_library) return is_librarys;
    runs_library = is_librarys;
    if (is_librarys) {
      look_away();
    } else {
      look_again();
    }
    return !is_librarys;
  }

  const bool was_librarys_;
};
// While they live.
struct InLibrary final : WhoseCode {
  InLibrary() noexcept : WhoseCode(true) {}
};
struct InProgram final : WhoseCode {
  InProgram() noexcept : WhoseCode(false) {}
};

// ---- AddressSanitizer ---------------------------------------------------------------------------

// Has it to be told what memory is there? Not where the library, which looks into all memory, is
// compiled with it.
[[nodiscard]] inline bool is_watched_for_addresses() noexcept {
#if defined(__SANITIZE_ADDRESS__)
  return false;
#else
  return __asan_poison_memory_region != nullptr;
#endif
}

// To use it is a mistake, until tell_usable().
inline void tell_unusable(const void* first, std::size_t bytes) noexcept {
  if (__asan_poison_memory_region != nullptr) __asan_poison_memory_region(first, bytes);
}
inline void tell_usable(const void* first, std::size_t bytes) noexcept {
  if (__asan_unpoison_memory_region != nullptr) __asan_unpoison_memory_region(first, bytes);
}

// Copies what need not be usable.
inline void copy_untold(void* to, const void* from, std::size_t bytes) noexcept {
  tell_usable(to, bytes);
  tell_usable(from, bytes);
  std::memcpy(to, from, bytes);
}

// What pointers in it point to is no leak.
inline void tell_reachable(const void* first, std::size_t bytes) noexcept {
  if (__lsan_register_root_region != nullptr) __lsan_register_root_region(first, bytes);
}

}  // namespace myr::base
