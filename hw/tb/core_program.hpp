// SPDX-License-Identifier: Apache-2.0
//
// What a core without a pipeline runs in a bench: a coroutine that awaits one access after the
// other, and may await another such program as a function that it calls. A failed check inside it
// ends the bench, as one outside does.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

namespace myr::hw {

class CoreProgram {
 public:
  struct promise_type {
    CoreProgram get_return_object() {
      return CoreProgram(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    // Back to the caller, if there is one.
    struct Return {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> ended) noexcept {
        const auto caller = ended.promise().caller;
        return caller ? caller : std::noop_coroutine();
      }
      void await_resume() noexcept {}
    };
    Return final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }
    std::exception_ptr failure;
    std::coroutine_handle<> caller;
  };
  explicit CoreProgram(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  CoreProgram(CoreProgram&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  CoreProgram(const CoreProgram&) = delete;
  ~CoreProgram() {
    if (handle_) handle_.destroy();
  }
  [[nodiscard]] bool done() const { return handle_.done(); }
  void resume() { resume_at(handle_); }
  // Goes on inside a program that this one awaits.
  void resume_at(std::coroutine_handle<> innermost) {
    innermost.resume();
    rethrow();
  }

  // co_await program: runs it to its end.
  [[nodiscard]] bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  void await_resume() { rethrow(); }

 private:
  void rethrow() {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }
  std::coroutine_handle<promise_type> handle_;
};

// The programs of a bench's cores. The bench says when each of them goes on.
class CorePrograms {
 public:
  void start(unsigned core, CoreProgram program) {
    programs_.emplace_back(core, std::move(program));
    programs_.back().second.resume();
  }
  [[nodiscard]] bool all_done() const {
    for (const auto& [core, program] : programs_) {
      if (!program.done()) return false;
    }
    return true;
  }

 protected:
  std::vector<std::pair<unsigned, CoreProgram>> programs_;
};

}  // namespace myr::hw
