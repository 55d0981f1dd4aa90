// SPDX-License-Identifier: Apache-2.0
//
// Part of myr.hpp: the process around the tasks. Its machine, started by the program; mistakes and
// lack of memory as exceptions.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>

namespace myr::inline v0 {

// A call that must not be made like this: what() says why, and what to do; file() and line() where
// it is.
class Misuse : public std::logic_error {
 public:
  explicit Misuse(const myr_error& error)
      : std::logic_error(error.text),
        file_(error.file == nullptr ? "" : error.file),
        line_(error.line) {}
  [[nodiscard]] const std::string& file() const noexcept { return file_; }
  [[nodiscard]] unsigned line() const noexcept { return line_; }

 private:
  std::string file_;
  unsigned line_;
};

// How a machine is to be: the members of myr_config.
//   myr::start({.machine = "smp", .workers = 4});
struct Config {
  const char* machine = nullptr;
  unsigned workers = 0;
  bool pin = false;
  unsigned stack_mib = 0;
  std::uint64_t chaos = 0;
  myr_error_handler on_error = nullptr;
  const myr_observer* observer = nullptr;  // as long as the machine runs
};

// Returns 0, or a code for myr_error_text(); see myr_start().
[[nodiscard]] inline int try_start(const Config& config = {}) {
  myr_config all = {};
  all.size = sizeof all;
  all.machine = config.machine;
  all.workers = config.workers;
  all.pin = config.pin ? 1 : 0;
  all.stack_mib = config.stack_mib;
  all.chaos = config.chaos;
  all.on_error = config.on_error;
  all.observer = config.observer;
  return myr_start(&all);
}
// Waits for all tasks and stops the machine; see myr_finish().
inline void finish() { myr_finish(); }

// What the machine's workers have counted until now, see myr_statistics; nothing: no machine runs,
// or it is one of schedulers.
[[nodiscard]] inline std::optional<myr_statistics> statistics() {
  myr_statistics counted = {};
  counted.size = sizeof counted;
  if (myr_get_statistics(&counted) != 0) return std::nullopt;
  return counted;
}

#if defined(__cpp_exceptions)

// The machine cannot start, or one runs already.
class StartError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
inline void start(const Config& config = {}) {
  if (const int code = try_start(config); code != 0) throw StartError(myr_error_text(code));
}

// From now on, wrong calls throw Misuse, and std::bad_alloc if memory is out, in place of ending
// the program: in a task they are its failure. See myr_set_error_handler().
inline void throw_errors() {
  myr_set_error_handler([](const myr_error* error) -> int {
    if (error->is_final != 0) return MYR_END;
    if (error->kind == MYR_NO_MEMORY) throw std::bad_alloc();
    throw Misuse(*error);
  });
}

#endif

}  // namespace myr::inline v0
