// SPDX-License-Identifier: Apache-2.0
//
// Watch: tells the footprints of tasks what the program does: the rim of `myr check`. There is one
// for the process; the compiler's calls ask touch() about each access of main's thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "check/certificate.hpp"
#include "check/footprints.hpp"
#include "check/foreign_calls.hpp"
#include "check/lines.hpp"
#include "check/modules.hpp"
#include "check/outputs.hpp"
#include "check/report.hpp"
#include "engine/checker.hpp"

namespace myr::check {

class Watch final : public engine::Checker {
 public:
  static Watch& instance() noexcept;

  // ---- engine::Checker
  void start(const Memory& memory) override;
  void begin(const Task& task) override;
  void end() override;
  void wait(const myr_access* accesses, std::size_t count) override;
  void wait_all() override;
  void made_event() override;
  void cancelled(const myr_site* site) override;
  void asked(const myr_site* site) override;
  void allocated(const void* first, std::size_t bytes, std::size_t room,
                 const myr_site* site) override;
  void freed(const void* first, const myr_site* site) override;

  // ---- the calls of compilers and libraries

  // An access of the calling thread, by the code in front of `place`.
  [[gnu::always_inline]] static void touch(const void* address, std::size_t bytes, bool writes,
                                           const void* place) noexcept {
    if (MYR_LIKELY(!is_watching_)) return;
    const auto first = reinterpret_cast<std::uint64_t>(address);
    if (MYR_LIKELY(lines_.have(first, bytes, writes))) return;
    instance().look({first, bytes, writes, place});
  }
  [[nodiscard]] static bool is_watching() noexcept { return is_watching_; }
  // The same for an atomic operation, when it has been done.
  struct Atomic {
    const volatile void* address;
    std::size_t bytes;
    std::uint64_t before;  // nothing of what is only written
    std::uint64_t after;   // the same, if it is only read
    // Update: a load that begins one, of which the store is not told.
    enum class Kind : std::uint8_t { Load, Store, Swap, Add, Update } kind;
    int order;  // as __ATOMIC_SEQ_CST
  };
  static void touch_atomically(const Atomic& atomic, const void* place) noexcept {
    if (MYR_LIKELY(!is_watching_)) return;
    instance().look_at_atomic(atomic, place);
  }
  // The same for more bytes than an Atomic has room for: their values say nothing here.
  static void touch_atomically(const volatile void* address, std::size_t bytes, Atomic::Kind kind,
                               int order, const void* place) noexcept {
    touch_atomically({address, bytes, 0, 0, kind, order}, place);
  }
  // The thread has taken a lock, or is about to let it go.
  static void locked(const volatile void* lock, bool is_shared, const void* place) noexcept {
    if (is_main_ && !is_inside_) instance().lock(lock, is_shared, place);
  }
  static void unlocks(const volatile void* lock) noexcept {
    if (is_main_ && !is_inside_) instance().unlock(lock);
  }
  // It does something, for code in front of `place`, on which its result may depend.
  static void does(Doubt doubt, const void* place) noexcept {
    if (is_main_ && !is_inside_) instance().note_doubt(doubt, place);
  }
  // It does something that may depend on how a loop is cut into parts.
  static void sees_cut(const void* place) noexcept {
    if (is_main_ && !is_inside_) instance().note_cut(place);
  }
  // It is about to call a function of a library, behind `place`.
  static void called(ForeignFunction& function, const ForeignCalls::Arguments& arguments,
                     const void* place) noexcept {
    if (is_main_ && !is_inside_) instance().look_at_call(function, arguments, place);
  }
  static void got(const void* first, std::size_t bytes, const void* place) noexcept {
    if (is_main_ && !is_inside_ && first != nullptr) instance().note(first, bytes, place, nullptr);
  }
  static void gives_back(const void* first, std::size_t bytes, const void* place) noexcept {
    if (is_main_ && !is_inside_ && first != nullptr) instance().give_back(first, bytes, place);
  }
  // Accesses between these two calls are not looked at: they belong to a lock, or to the compiler.
  static void leave_alone() noexcept {
    if (!is_main_ || is_inside_) return;
    left_alone_ += 1;
    is_watching_ = false;
  }
  static void watch_again() noexcept {
    if (!is_main_ || is_inside_ || left_alone_ == 0) return;
    instance().come_back();
  }
  // The thread enters a function that is called in front of `place`, and leaves it. `frame`: an
  // address at the end of that function's frame.
  static void enter(const void* place, const void* frame) noexcept {
    if (!is_main_) return;
    if (MYR_UNLIKELY(begins_body_)) instance().note_body(place);
    calls_[call_count_ % kCallsMost] = {place, reinterpret_cast<std::uint64_t>(frame)};
    call_count_ += 1;
  }
  static void leave(const void* frame) noexcept {
    if (!is_main_ || call_count_ == 0) return;
    call_count_ -= 1;
    const bool is_used = call_count_ != 0 && lowest_frame_ < call(call_count_ - 1).frame;
    if (MYR_UNLIKELY(is_used)) instance().leave_frame(reinterpret_cast<std::uint64_t>(frame));
  }
  // The program ends, perhaps by a task: gives its memory back the values that it expects.
  static void gives_back_all() noexcept {
    if (is_main_ && !is_inside_) instance().outputs_.give_back_all();
  }
  // A module that is compiled for being checked has been loaded.
  void add_modules() noexcept;
  // Is what the C library does for this code the program's doing?
  [[nodiscard]] bool is_checked(const void* place) const noexcept {
    return modules_.is_for_program(place);
  }

  // ---- what the checks of OpenMP programs (omp_...) use

  void start_openmp();
  void add_race(const Said& race) { reports_.add_race(race); }
  static void adopt_thread() noexcept { is_main_ = true; }
  static void forget_lines() noexcept {
    lines_.forget_all();
    output_lines_.forget_all();
  }
  // The thread goes into the checker, or back into the program. Returns whether it was inside.
  static bool set_inside(bool is_inside) noexcept {
    is_watching_ = !is_inside && instance().must_watch();
    return std::exchange(is_inside_, is_inside);
  }
  [[nodiscard]] std::string describe_allocated(std::uint64_t address) const;
  // What is allocated around an address, if a variable of the calling thread alone points to it.
  [[nodiscard]] Bytes block_of_thread(std::uint64_t address) const;

  // Is it the program that ends the process, and no child that it has forked?
  [[nodiscard]] static bool ends_here() noexcept;
  [[nodiscard]] bool is_of_runtime(const void* place) const;
  // At the end of the process: says what was found. Returns whether something was.
  bool sum_up();

 private:
  class Inside;

  Watch() = default;

  void look(const Touch& touch) noexcept;
  void note_lines(std::uint64_t line, bool writes, std::uint64_t stack);
  [[nodiscard]] bool allows_all(const Bytes& bytes, bool writes, std::uint64_t stack) const;
  [[nodiscard]] Atomic::Kind kind_in_openmp(const Atomic& atomic, const void* place) const;
  void look_at_atomic(const Atomic& atomic, const void* place) noexcept;
  void add_outputs(const Task& task);
  // What of it surely can be written.
  [[nodiscard]] Bytes writable(const Bytes& bytes) const;
  void look_at_output(const Touch& touch);
  void write_output(const Touch& touch) noexcept;
  void lock(const volatile void* lock, bool is_shared, const void* place) noexcept;
  void note_doubt(Doubt doubt, const void* place) noexcept;
  void note_doubt_at(Doubt doubt, const myr_site* site);
  void look_at_call(ForeignFunction& function, const ForeignCalls::Arguments& arguments,
                    const void* place) noexcept;
  void note_cut(const void* place) noexcept;
  void unlock(const volatile void* lock) noexcept;
  void note_body(const void* place) noexcept;
  void leave_frame(std::uint64_t frame) noexcept;
  // Pointers that are read and written under a lock may hand memory to other tasks.
  void hand_over(const Touch& touch);
  void leave_written();
  void doubt_atomic(const Touch& touch);
  void doubt_atomic_of_main(const Touch& touch);
  void doubt_code();
  void change_claim(const Atomic& atomic);
  void note(const void* first, std::size_t bytes, const void* place, const myr_site* site) noexcept;
  void forget(const void* first, std::size_t bytes) noexcept;
  void give_back(const void* first, std::size_t bytes, const void* place) noexcept;
  // The calls of the functions that run, innermost first.
  [[nodiscard]] Footprints::Places calls(const void* place, std::size_t most = kCallsMost) const;
  // Tells the footprints by a call, and says what that has shown.
  template <class Tell>
  void change(Tell tell_footprints);
  [[nodiscard]] bool must_watch() const noexcept;
  void come_back() noexcept;
  [[nodiscard]] bool is_in_callback() const;
  [[nodiscard]] const void* place_of_program(const void* place) const;
  void sum_up_tasks();
  void tell(const Finding& finding);

  // Is the calling thread main's, and may what it touches be wrong?
  static thread_local bool is_watching_ __attribute__((tls_model("initial-exec")));
  static thread_local bool is_main_ __attribute__((tls_model("initial-exec")));
  static thread_local bool is_inside_ __attribute__((tls_model("initial-exec")));
  static bool is_openmp_;
  static unsigned left_alone_;
  static Lines lines_;
  // Lines that may be written, but of which it must be known which bytes have been.
  static Lines output_lines_;
  // Lines that were noted one behind the other. A task that computes one array from some others
  // goes through as many runs of lines at a time.
  struct Run {
    std::uint64_t end = 0;
    std::uint64_t lines = 1;
    bool writes = false;
  };
  static constexpr std::uint64_t kLinesMost = 64;
  std::array<Run, 8> runs_ = {};
  std::size_t next_run_ = 0;                      // to be forgotten
  static constexpr std::size_t kCallsMost = 256;  // deeper down they are not known
  struct Call {
    const void* place;    // behind it
    std::uint64_t frame;  // the end of what the function called has at least
  };
  [[nodiscard]] static const Call& call(std::size_t number) noexcept {
    return calls_[number % kCallsMost];
  }
  static thread_local Call calls_[kCallsMost] __attribute__((tls_model("initial-exec")));
  static thread_local std::size_t call_count_ __attribute__((tls_model("initial-exec")));
  static std::uint64_t lowest_frame_;  // that a task may use which has not ended
  static bool begins_body_;            // the next function that is entered is a task's

  Footprints footprints_;
  Outputs outputs_;
  std::uint64_t stack_end_ = 0;       // of main's thread
  std::vector<Bytes> thread_locals_;  // of main's thread
  int process_ = 0;                   // of the program
  std::vector<Bytes> thread_blocks_;  // to which these lead
  std::set<std::uint64_t> others_;    // begins of blocks to which they do not, while a task runs
  bool has_tasks_ = false;
  std::set<Footprints::Places> allocations_;  // where there were some
  Modules modules_;
  ForeignCalls foreign_calls_;
  std::map<std::uint64_t, Footprints::Places> atomic_loads_;  // by address: the first
  std::set<std::uint64_t> atomic_writes_;
  Bytes written_ = {};  // under a lock just now
  Reports reports_;
};

}  // namespace myr::check
