// SPDX-License-Identifier: Apache-2.0
#include "trace/task_id.hpp"

#include "base/format.hpp"

namespace myr::trace {

std::string TaskId::text() const {
  if (*this == main()) return "main";
  return base::format("{}.{}", bits_ >> kCountBits, bits_ & ((std::uint64_t{1} << kCountBits) - 1));
}

}  // namespace myr::trace
