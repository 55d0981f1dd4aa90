// SPDX-License-Identifier: Apache-2.0
#include "base/failure.hpp"

#include "myr/exception.hpp"

namespace myr::base {

Exception Exception::caught() { return Exception(detail::caught_exception()); }

std::string Exception::describe() const {
  char text[512];
  it_.kind->describe(it_.object, text, sizeof text);
  return text;
}

}  // namespace myr::base
