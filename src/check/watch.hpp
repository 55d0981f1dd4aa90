// SPDX-License-Identifier: Apache-2.0
//
// Watch: what the program does, told to the footprints of its tasks: the rim of `myr check`. One
// for the process; the compiler's calls ask touch() about each access of main's thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "base/contract.hpp"
#include "check/footprints.hpp"
#include "check/lines.hpp"
#include "check/report.hpp"
#include "engine/checker.hpp"

namespace myr::check {

struct Bytes {
  std::uint64_t begin;
  std::uint64_t end;
};

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
  void allocated(const void* first, std::size_t bytes, std::size_t room,
                 const myr_site* site) override;
  void freed(const void* first, const myr_site* site) override;

  // ---- the calls of compilers and libraries

  // An access of the calling thread, by the code in front of `place`.
  static void touch(const void* address, std::size_t bytes, bool writes,
                    const void* place) noexcept {
    if (MYR_LIKELY(!is_watching_)) return;
    const auto first = reinterpret_cast<std::uint64_t>(address);
    if (MYR_LIKELY(lines_.have(first, bytes, writes))) return;
    instance().look({first, bytes, writes, place});
  }
  static void touch_atomically(const volatile void* address, std::size_t bytes, bool writes,
                               const void* place) noexcept {
    if (MYR_LIKELY(!is_watching_)) return;
    instance().look({reinterpret_cast<std::uint64_t>(address), bytes, writes, place, true});
  }
  static void got(const void* first, std::size_t bytes, const void* place) noexcept {
    if (is_main_ && !is_inside_ && first != nullptr) instance().note(first, bytes, place, nullptr);
  }
  static void gave_back(const void* first, std::size_t bytes) noexcept {
    if (is_main_ && !is_inside_ && first != nullptr) instance().forget(first, bytes);
  }
  // Between these two what the thread touches is another's business: a lock's, or the compiler's.
  static void leave_alone() noexcept {
    if (!is_main_ || is_inside_) return;
    left_alone_ += 1;
    is_watching_ = false;
  }
  static void watch_again() noexcept {
    if (!is_main_ || is_inside_ || left_alone_ == 0) return;
    instance().come_back();
  }
  // The thread enters a function that is called in front of `place`, and leaves it.
  static void enter(const void* place) noexcept {
    if (!is_main_) return;
    calls_[call_count_ % kCallsMost] = place;
    call_count_ += 1;
  }
  static void leave() noexcept {
    if (is_main_ && call_count_ != 0) call_count_ -= 1;
  }
  // A module of the program, compiled for being checked, that has this code.
  void add_module(const void* place) noexcept;
  [[nodiscard]] bool is_checked(const void* place) const noexcept;

  // At the end of the process: says what was found. Returns whether something was.
  bool sum_up();

 private:
  class Inside;

  Watch() = default;

  void look(const Touch& touch) noexcept;
  void note(const void* first, std::size_t bytes, const void* place, const myr_site* site) noexcept;
  void forget(const void* first, std::size_t bytes) noexcept;
  // Of the functions that run, innermost first.
  [[nodiscard]] Footprints::Places calls(const void* place, std::size_t most = kCallsMost) const;
  // Tells the footprints by a call, and says what that has shown.
  template <class Call>
  void change(Call call);
  [[nodiscard]] bool must_watch() const noexcept;
  void come_back() noexcept;
  void find_thread_locals();
  [[nodiscard]] bool is_of_thread(const Footprints::Block& block) const;
  void tell(const Finding& finding);

  // Is the calling thread main's, and may what it touches be wrong?
  static thread_local bool is_watching_ __attribute__((tls_model("initial-exec")));
  static thread_local bool is_main_ __attribute__((tls_model("initial-exec")));
  static thread_local bool is_inside_ __attribute__((tls_model("initial-exec")));
  static unsigned left_alone_;
  static Lines lines_;
  static constexpr std::size_t kCallsMost = 256;  // deeper down they are not known
  static const void* calls_[kCallsMost];
  static std::size_t call_count_;

  Footprints footprints_;
  std::uint64_t stack_end_ = 0;       // of main's thread
  std::vector<Bytes> thread_locals_;  // of main's thread
  bool has_tasks_ = false;
  std::set<Footprints::Places> allocations_;  // where there were some
  std::vector<Bytes> modules_;                // their code
  Reports reports_;
};

}  // namespace myr::check
