// SPDX-License-Identifier: Apache-2.0
//
// Messages as bytes, for wires between processes of the same program: numbers as they lie in
// memory, each list behind its length, the times of the serial program as their counts. An address
// in a message (Task::program) means something only to the process that wrote it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "proto/messages.hpp"

namespace myr::proto {

using Bytes = std::vector<std::byte>;

// Puts the message's bytes behind those that are there. Cost: O(size + depth of its times).
void encode(const Message& message, Bytes& bytes);

// Takes one message from the front of the bytes, and those off. None: they are not what encode()
// made; what is left of them then is of no use.
[[nodiscard]] std::optional<Message> decode(std::span<const std::byte>& bytes);

}  // namespace myr::proto
