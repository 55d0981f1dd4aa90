// SPDX-License-Identifier: Apache-2.0
#include "base/refusal.hpp"

#include <cstdio>

#include "base/misuse.hpp"

namespace myr::base {

namespace {

myr_error_handler the_handler = nullptr;
thread_local bool is_in_handler = false;  // what is wrong in there is not its business again

myr_error_handler handler() noexcept {
  return is_in_handler ? nullptr : __atomic_load_n(&the_handler, __ATOMIC_ACQUIRE);
}

int ask(const myr_site* site, const char* text, myr_error_kind kind, bool is_final) {
  const struct Inside {
    Inside() noexcept { is_in_handler = true; }
    ~Inside() { is_in_handler = false; }
  } inside;
  const bool has_place = site != nullptr && site->file != nullptr;
  const myr_error error{.size = sizeof(myr_error),
                        .kind = kind,
                        .is_final = is_final ? 1 : 0,
                        .file = has_place ? site->file : nullptr,
                        .line = has_place ? site->line : 0,
                        .text = text};
  return __atomic_load_n(&the_handler, __ATOMIC_ACQUIRE)(&error);
}

// Tells of what ends the process in any case.
void tell_handler(const myr_site* site, std::string_view message) noexcept {
  if (handler() == nullptr) return;
  char text[1024];  // there may be no memory
  std::snprintf(text, sizeof text, "%.*s", static_cast<int>(message.size()), message.data());
  try {
    ask(site, text, MYR_MISUSE, true);
  } catch (...) {  // it cannot: the process ends
  }
}

}  // namespace

bool has_error_handler() noexcept { return handler() != nullptr; }

myr_error_handler set_error_handler(myr_error_handler fresh) noexcept {
  set_notice(tell_handler);
  return __atomic_exchange_n(&the_handler, fresh, __ATOMIC_ACQ_REL);
}

void refuse(const myr_site* site, std::string_view message) {
  if (!has_error_handler()) misuse(site, message);
  throw Refusal{site, std::string(message), MYR_MISUSE};
}

void refuse_memory(const myr_site* site, std::string_view message) {
  throw Refusal{site, std::string(message), MYR_NO_MEMORY};
}

void hand_over(const Refusal& refusal, bool can_go_on) {
  if (has_error_handler() &&
      ask(refusal.site, refusal.text.c_str(), refusal.kind, false) == MYR_GO_ON && can_go_on) {
    return;
  }
  end_process(refusal.site, refusal.text);
}

}  // namespace myr::base
