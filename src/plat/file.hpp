// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace myr::plat {

// All that the file has, also if its size is not known before it is read, as in /proc. Empty: it
// cannot be read.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace myr::plat
