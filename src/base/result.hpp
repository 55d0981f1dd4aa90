// SPDX-License-Identifier: Apache-2.0
//
// Result<T>: a value, or the text of what the world refused (no memory, a bad setting). Never
// thrown.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/contract.hpp"

namespace myr::base {

struct Error {
  std::string text;  // a full sentence for the user: what happened, what was expected, what to do
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT: a value is a result
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: so is an error
  explicit operator bool() const noexcept { return value_.has_value(); }
  [[nodiscard]] T& operator*() noexcept {
    MYR_ASSERT(value_.has_value());
    return *value_;
  }
  [[nodiscard]] const T& operator*() const noexcept {
    MYR_ASSERT(value_.has_value());
    return *value_;
  }
  [[nodiscard]] T* operator->() noexcept { return &**this; }
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  std::optional<T> value_;
  Error error_;
};

}  // namespace myr::base
