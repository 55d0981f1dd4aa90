// SPDX-License-Identifier: Apache-2.0
#include "base/contract.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/misuse.hpp"

namespace myr::base {

void contract_failed(const char* condition, const char* file, unsigned line) noexcept {
  std::fprintf(stderr, "myrmidon: internal error: %s:%u: expected %s\n", file, line, condition);
  std::abort();
}

const char* describe(const myr_site* site) noexcept {
  thread_local char text[512];
  if (site == nullptr || site->file == nullptr) return "an unknown place";
  std::snprintf(text, sizeof text, "%s:%u", site->file, site->line);
  return text;
}

void misuse(const myr_site* site, std::string_view message) noexcept {
  const int length = static_cast<int>(message.size());
  if (site != nullptr && site->file != nullptr) {
    std::fprintf(stderr, "myrmidon: error: %s:%u: %.*s\n", site->file, site->line, length,
                 message.data());
  } else {
    std::fprintf(stderr, "myrmidon: error: %.*s\n", length, message.data());
  }
  std::fflush(nullptr);
  _exit(MYR_EXIT_MISUSE);
}

}  // namespace myr::base
