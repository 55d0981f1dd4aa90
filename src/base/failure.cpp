// SPDX-License-Identifier: Apache-2.0
#include "base/failure.hpp"

#include "base/format.hpp"
#include "base/misuse.hpp"
#include "myr/exception.hpp"

namespace myr::base {

Exception Exception::caught() { return Exception(detail::caught_exception()); }

std::string Exception::describe() const {
  char text[512];
  it_.kind->describe(it_.object, text, sizeof text);
  return text;
}

void report_lost(const Failure& failure) {
  misuse(failure.site,
         format("the task spawned here ended with an exception {} and no wait followed that could "
                "rethrow it; call myr::wait_all() before the program ends, for a future after that "
                "has gone, or get() of the future",
                failure.exception.describe()));
}

}  // namespace myr::base
