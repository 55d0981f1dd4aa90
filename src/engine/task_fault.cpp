// SPDX-License-Identifier: Apache-2.0
#include "engine/task_fault.hpp"

#include <signal.h>

#include <cstdarg>
#include <cstdio>

#include "base/access_text.hpp"

namespace myr::engine {

namespace {

constexpr std::uint32_t kAccessesShown = 8;

// A line of limited length; what finds no room is left out.
class Line {
 public:
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) noexcept {
    std::va_list values;
    va_start(values, format);
    const int wanted = std::vsnprintf(text_ + used_, sizeof text_ - used_, format, values);
    va_end(values);
    if (wanted > 0) used_ += static_cast<std::size_t>(wanted);
    if (used_ >= sizeof text_) used_ = sizeof text_ - 1;
  }
  [[nodiscard]] const char* text() const noexcept { return text_; }

 private:
  char text_[2048] = "";
  std::size_t used_ = 0;
};

const char* name_of(int signal) noexcept {
  switch (signal) {
    case SIGSEGV:
      return "a segmentation fault (SIGSEGV)";
    case SIGBUS:
      return "a bus error (SIGBUS)";
    case SIGFPE:
      return "an arithmetic error (SIGFPE)";
    case SIGILL:
      return "an illegal instruction (SIGILL)";
    default:
      return "a call of abort() (SIGABRT)";
  }
}

void add(Line& line, const myr_access& access) noexcept {
  if ((access.flags & MYR_VALUE) != 0) {
    line.add("a value");
  } else if ((access.flags & MYR_REGION) != 0) {
    line.add("%s region %llu", base::mode_name(access),
             static_cast<unsigned long long>(access.region));
  } else if (access.bytes == 0) {
    line.add("%s the object at %p", base::mode_name(access), access.address);
  } else {
    line.add("%s %llu bytes at %p", base::mode_name(access),
             static_cast<unsigned long long>(access.bytes), access.address);
  }
}

}  // namespace

void tell_fault(graph::Task& task, const plat::Fault& fault) noexcept {
  Line line;
  line.add("\nmyrmidon: ");
  if (task.site != nullptr && task.site->file != nullptr) {
    line.add("%s:%u: ", task.site->file, task.site->line);
  }
  line.add("%s", name_of(fault.signal));
  if (fault.has_address) {
    line.add(" at address 0x%llx", static_cast<unsigned long long>(fault.address));
  }
  line.add(" in the task spawned %s", task.site == nullptr ? "somewhere" : "here");
  for (std::uint32_t i = 0; i < task.access_count && i < kAccessesShown; ++i) {
    line.add(i == 0 ? ", which declares " : ", ");
    add(line, task.accesses()[i]);
  }
  if (task.access_count > kAccessesShown) {
    line.add(" and %u more", task.access_count - kAccessesShown);
  }
  line.add("\n");
  plat::write_to_stderr(line.text());
}

}  // namespace myr::engine
