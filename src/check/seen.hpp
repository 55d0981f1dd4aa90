// SPDX-License-Identifier: Apache-2.0
//
// Seen: tells what a call of a library has touched for the code in front of `place`, if that code
// is compiled for being checked or is of the C++ library. And SEEN, which defines such a call in
// front of the library's own.
#pragma once

#include <cerrno>
#include <cstddef>
#include <type_traits>

#include "check/next_call.hpp"
#include "check/watch.hpp"

namespace myr::check {

class Seen {
 public:
  explicit Seen(const void* place) noexcept
      : place_(place),
        error_(errno),
        is_checked_(Watch::is_watching() && Watch::instance().is_checked(place)) {}
  ~Seen() { errno = error_; }
  Seen(const Seen&) = delete;
  Seen& operator=(const Seen&) = delete;

  void reads(const void* first, std::size_t bytes) const { touch(first, bytes, false); }
  void writes(const void* first, std::size_t bytes) const { touch(first, bytes, true); }
  // A variable, or nothing.
  template <class T>
  void reads(const T* variable) const {
    reads(variable, sizeof(T));
  }
  template <class T>
  void writes(T* variable) const {
    writes(variable, sizeof(T));
  }
  // Reads characters of any kind, with the zero behind them, or `most` of them.
  template <class T>
  void reads_text(const T* text, std::size_t most = ~std::size_t{0}) const {
    if (is_checked_ && text != nullptr) reads(text, length(text, most) * sizeof(T));
  }
  template <class T>
  void writes_text(T* text) const {
    if (is_checked_ && text != nullptr) writes(text, length(text, ~std::size_t{0}) * sizeof(T));
  }

 private:
  template <class T>
  static std::size_t length(const T* text, std::size_t most) {
    std::size_t length = 0;
    const volatile T* const at = text;  // or the compiler would call strlen(), which is seen
    while (length != most && at[length] != T{}) ++length;
    return length == most ? most : length + 1;
  }
  void touch(const void* first, std::size_t bytes, bool is_write) const {
    if (first != nullptr && bytes != 0 && is_checked_) Watch::touch(first, bytes, is_write, place_);
  }

  const void* place_;
  int error_;  // the program's
  bool is_checked_;
};

}  // namespace myr::check

// Under a name of its own, since headers declare some of these in more than one way.
#define SEEN_CALL(result_type, name, parameters)          \
  CALL result_type seen_##name parameters __asm__(#name); \
  CALL result_type seen_##name parameters

#define NEXT_SEEN(name)                                                                            \
  [] {                                                                                             \
    static auto* const next = reinterpret_cast<decltype(&seen_##name)>(::dlsym(RTLD_NEXT, #name)); \
    return next;                                                                                   \
  }()

// The rest says by `seen` what has been touched, when `result` is there.
#define SEEN(result_type, name, parameters, arguments, ...) \
  SEEN_CALL(result_type, name, parameters) {                \
    const auto result = NEXT_SEEN(name) arguments;          \
    const myr::check::Seen seen(PLACE);                     \
    __VA_ARGS__;                                            \
    return result;                                          \
  }
#define SEEN_VOID(name, parameters, arguments, ...) \
  SEEN_CALL(void, name, parameters) {               \
    NEXT_SEEN(name) arguments;                      \
    const myr::check::Seen seen(PLACE);             \
    __VA_ARGS__;                                    \
  }
