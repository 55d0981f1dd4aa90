// SPDX-License-Identifier: Apache-2.0
//
// What to call a place in the user's program: "grow (tasks.cpp:31)", short enough for a box on a
// screen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "myr/myr.h"

namespace myr::trace {

// The bare name in what a compiler says of a function, for example "grow" of
// "void {anonymous}::grow(myr::Region, int)"; of a lambda, the function around it.
[[nodiscard]] std::string_view bare_function(std::string_view signature);

struct SiteText {
  std::string function;  // empty if unknown
  std::string place;     // "tasks.cpp:31", or "unknown place"
  [[nodiscard]] std::string text() const;
};
[[nodiscard]] SiteText describe(const myr_site* site);

// Numbers sites from 0 in the order of the first calls of index_of(); sites of one name get one
// number.
class SiteNames {
 public:
  [[nodiscard]] std::size_t index_of(const myr_site* site);
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }

 private:
  std::unordered_map<const myr_site*, std::size_t> by_site_;
  std::unordered_map<std::string, std::size_t> by_name_;
  std::vector<std::string> names_;
};

}  // namespace myr::trace
