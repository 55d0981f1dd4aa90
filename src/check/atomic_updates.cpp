// SPDX-License-Identifier: Apache-2.0
#include "check/atomic_updates.hpp"

#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace myr::check {

#ifdef __x86_64__

namespace {

constexpr std::size_t kExchangeReach = 96;  // how far the exchange may be from the load
constexpr char kLockCode = '\xf0';
constexpr char kCallCode = '\xe8';

// Is it a cmpxchg, behind its lock? Prefixes for 16 bits and for more registers may stand before
// it.
bool is_exchange(std::string_view code) {
  if (code.starts_with('\x66')) code.remove_prefix(1);
  if (!code.empty() && (code.front() & 0xf0) == 0x40) code.remove_prefix(1);
  return code.starts_with("\x0f\xb0") || code.starts_with("\x0f\xb1");
}

bool has_exchange(std::string_view code) {
  code = code.substr(0, code.find(kCallCode));
  for (std::size_t at = code.find(kLockCode); at != code.npos; at = code.find(kLockCode, at + 1)) {
    if (is_exchange(code.substr(at + 1))) return true;
  }
  return false;
}

}  // namespace

bool begins_update(const void* behind_call, const Modules& modules) {
  static auto& known = *new std::unordered_map<const void*, bool>;
  const auto [found, is_new] = known.try_emplace(behind_call);
  if (is_new) {
    const auto* const code = static_cast<const char*>(behind_call);
    std::size_t bytes = 0;
    while (bytes != kExchangeReach && modules.is_of_program(code + bytes)) ++bytes;
    found->second = has_exchange({code, bytes});
  }
  return found->second;
}

#else

bool begins_update(const void*, const Modules&) { return false; }

#endif

}  // namespace myr::check
