// SPDX-License-Identifier: Apache-2.0
//
// Who sends messages to whom: the schedulers and workers of a tree machine, by number.
#pragma once

#include <cstdint>

namespace myr::proto {

// Agents are numbered in the order in which one meets them walking the tree from the top, children
// from left to right; so the agents below one follow it immediately.
using AgentId = std::uint32_t;
inline constexpr AgentId kTop = 0;
inline constexpr AgentId kNoAgent = 0xffffffff;

}  // namespace myr::proto
