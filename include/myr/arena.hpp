// SPDX-License-Identifier: Apache-2.0
//
// Beside myr.hpp: calls whose tasks only some of the workers run.
#pragma once

#include <myr/cxx20.hpp>

#include <myr/myr.h>

#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

namespace myr::inline v0 {

// Limits how many workers run the tasks of a call at the same time:
//   myr::Arena{.workers = 2}.run([&] { return sort_by_library(v); });
struct Arena {
  unsigned workers = 0;  // 0: all

  // Calls f() here and returns what it returns; see myr_run_in_arena(). Tasks for which it has not
  // waited may still run when this returns. Calls at the same time have a limit each.
  template <class F>
  auto run(F&& f) const -> std::invoke_result_t<F&&> {
    using Result = std::invoke_result_t<F&&>;
    if constexpr (std::is_void_v<Result>) {
      call([&] { std::forward<F>(f)(); });
    } else if constexpr (std::is_reference_v<Result>) {
      std::remove_reference_t<Result>* result = nullptr;
      call([&] { result = std::addressof(std::forward<F>(f)()); });
      return static_cast<Result>(*result);
    } else {
      std::optional<Result> result;
      call([&] { result.emplace(std::forward<F>(f)()); });
      return *std::move(result);
    }
  }

 private:
  template <class Call>
  void call(Call f) const {
    const auto enter = [](void* argument) { (*static_cast<Call*>(argument))(); };
    myr_run_in_arena(workers, enter, &f);
  }
};

}  // namespace myr::inline v0
