// SPDX-License-Identifier: Apache-2.0
#include "trace/task_id.hpp"

#include <fmt/format.h>

namespace myr::trace {

std::string TaskId::text() const {
  if (*this == main()) return "main";
  return fmt::format("{}.{}", bits_ >> kCountBits, bits_ & ((std::uint64_t{1} << kCountBits) - 1));
}

}  // namespace myr::trace
