// SPDX-License-Identifier: Apache-2.0
//
// How large messages are: in memory, and in parts, as a simulated chip counts.
#pragma once

#include <cstdint>

#include "proto/messages.hpp"

namespace myr::proto {

// Bytes that change hands with a message: of itself and of all that it owns.
[[nodiscard]] std::uint64_t bytes_of(const Message& message);

// How many arguments or ranges a message carries; 1 if none.
[[nodiscard]] std::uint32_t parts_of(const Body& body);

}  // namespace myr::proto
