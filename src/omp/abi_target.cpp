// SPDX-License-Identifier: Apache-2.0
//
// Entry points of target regions and teams. There is no device: target regions run on the host,
// where the data already is, and teams run one after the other.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "omp/abi.hpp"
#include "omp/team.hpp"

using namespace myr::omp;

namespace {

constexpr unsigned kMapFirstprivate = 12;
constexpr unsigned kMapAlign = 8;
constexpr int kTeamsUsual = 3;  // if nobody says how many

// The arguments of a target region with private copies of those that are firstprivate, in one
// block.
class HostArguments {
 public:
  HostArguments(std::size_t count, void** addresses, const std::size_t* sizes,
                const unsigned short* kinds) {
    std::size_t bytes = 0;
    std::size_t align = 1;
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_private(kinds[i])) continue;
      const std::size_t own = align_of(kinds[i]);
      align = own > align ? own : align;
      bytes = round_up(bytes, own) + sizes[i];
    }
    if (bytes == 0) return;
    block_ = std::malloc(bytes + align);
    if (block_ == nullptr) fail("Out of memory allocating %zu bytes", bytes);
    auto at = round_up(reinterpret_cast<std::uintptr_t>(block_), align);
    for (std::size_t i = 0; i < count; ++i) {
      if (!is_private(kinds[i])) continue;
      at = round_up(at, align_of(kinds[i]));
      std::memcpy(reinterpret_cast<void*>(at), addresses[i], sizes[i]);
      addresses[i] = reinterpret_cast<void*>(at);
      at += sizes[i];
    }
  }
  HostArguments(const HostArguments&) = delete;
  HostArguments& operator=(const HostArguments&) = delete;
  ~HostArguments() { std::free(block_); }

 private:
  static bool is_private(unsigned short kind) { return (kind & 0xff) == kMapFirstprivate; }
  static std::size_t align_of(unsigned short kind) { return std::size_t{1} << (kind >> kMapAlign); }
  static std::uintptr_t round_up(std::uintptr_t value, std::size_t align) {
    return (value + align - 1) & ~(align - 1);
  }
  void* block_ = nullptr;
};

// What the compiler passes beside: pairs of a kind and a value, or both in one word.
struct TargetOptions {
  int thread_limit = 0;
};

TargetOptions read_options(void** words) {
  constexpr std::uintptr_t kInNextWord = 0x80;
  constexpr std::uintptr_t kKindMask = 0x1f00;  // which option
  constexpr std::uintptr_t kThreadLimit = 2U << 8;
  TargetOptions options;
  if (words == nullptr) return options;
  while (*words != nullptr) {
    const auto word = reinterpret_cast<std::uintptr_t>(*words++);
    std::intptr_t value = static_cast<std::intptr_t>(word) >> 16;
    if ((word & kInNextWord) != 0) value = reinterpret_cast<std::intptr_t>(*words++);
    if ((word & kKindMask) == kThreadLimit) options.thread_limit = static_cast<int>(value);
  }
  return options;
}

const Icv* with_limit(const Icv* icv, long limit) {
  if (limit <= 0) return icv;
  Icv values = *icv;
  values.thread_limit = static_cast<std::uint32_t>(limit);
  return shared_icv(values);
}

// If the program insists on a device: there is none but the host, which is number 0, or -2 where an
// `if` clause chose it; -1 is the one of the task's variables.
void check_mandatory(int device) {
  if (settings.target_offload != 1) return;
  if (device == -1) device = self().at.task->icv->device;
  if (device == -2 || device == 0) return;
  fail("OMP_TARGET_OFFLOAD is set to MANDATORY, but device cannot be used for offloading");
}

void run_on_host(int device, void (*body)(void*), void* data, int limit) {
  check_mandatory(device);
  Thread& self = myr::omp::self();
  const int team_number = self.team_number;
  const int team_count = self.team_count;
  self.team_number = 0;
  self.team_count = 1;
  const Place place = leave_teams(self, with_limit(shared_icv(settings.icv), limit));
  body(data);
  return_to(self, place);
  self.team_number = team_number;
  self.team_count = team_count;
}

void wait_if_any(void** depend) {
  if (depend != nullptr) wait_for_depend(self(), depend);
}

}  // namespace

MYR_OMP_API void GOMP_target_ext(int device, void (*body)(void*), std::size_t count,
                                 void** addresses, std::size_t* sizes, unsigned short* kinds,
                                 unsigned, void** depend, void** options) {
  wait_if_any(depend);
  const HostArguments arguments(count, addresses, sizes, kinds);
  run_on_host(device, body, addresses, read_options(options).thread_limit);
}
MYR_OMP_API void GOMP_target(int device, void (*body)(void*), const void*, std::size_t,
                             void** addresses, std::size_t*, unsigned char*) {
  run_on_host(device, body, addresses, 0);
}
MYR_OMP_API void GOMP_target_data_ext(int device, std::size_t, void**, std::size_t*,
                                      unsigned short*) {
  check_mandatory(device);
}
MYR_OMP_API void GOMP_target_data(int device, const void*, std::size_t, void**, std::size_t*,
                                  unsigned char*) {
  check_mandatory(device);
}
MYR_OMP_API void GOMP_target_end_data() {}
MYR_OMP_API void GOMP_target_update(int, const void*, std::size_t, void**, std::size_t*,
                                    unsigned char*) {}
MYR_OMP_API void GOMP_target_update_ext(int, std::size_t, void**, std::size_t*, unsigned short*,
                                        unsigned, void** depend) {
  wait_if_any(depend);
}
MYR_OMP_API void GOMP_target_enter_exit_data(int, std::size_t, void**, std::size_t*,
                                             unsigned short*, unsigned, void** depend) {
  wait_if_any(depend);
}

// A program for a device carries code for it, which is not needed here.
MYR_OMP_API void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
MYR_OMP_API void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}
MYR_OMP_API void GOMP_offload_register(const void*, int, const void*) {}
MYR_OMP_API void GOMP_offload_unregister(const void*, int, const void*) {}

// ---- Teams

MYR_OMP_API void GOMP_teams(unsigned, unsigned limit) {
  Thread& self = myr::omp::self();
  self.at.task->icv = with_limit(self.at.task->icv, limit);
}
// Called again and again, until it says false: once for each team.
MYR_OMP_API bool GOMP_teams4(unsigned, unsigned high, unsigned limit, bool first) {
  Thread& self = myr::omp::self();
  if (!first) {
    if (self.team_number + 1 >= self.team_count) return false;
    self.team_number += 1;
    return true;
  }
  self.at.task->icv = with_limit(self.at.task->icv, limit);
  self.team_count = high == 0 ? 1 : static_cast<int>(high);
  self.team_number = 0;
  return true;
}
MYR_OMP_API void GOMP_teams_reg(void (*body)(void*), void* data, unsigned count, unsigned limit,
                                unsigned) {
  Thread& self = myr::omp::self();
  if (count == 0) {
    count = settings.teams_max > 0 ? static_cast<unsigned>(settings.teams_max) : kTeamsUsual;
  }
  if (limit == 0) limit = static_cast<unsigned>(settings.teams_thread_limit);
  const Icv* outer = self.at.task->icv;
  self.at.task->icv = with_limit(outer, limit);
  const Icv* inner = self.at.task->icv;
  self.team_count = static_cast<int>(count);
  for (self.team_number = 0; self.team_number < self.team_count; ++self.team_number) {
    self.at.task->icv = inner;
    body(data);
  }
  self.team_count = 1;
  self.team_number = 0;
  self.at.task->icv = outer;
}

// ---- Calls about the memory of devices: the host's is the only one

MYR_OMP_API void* omp_target_alloc(std::size_t bytes, int) { return std::malloc(bytes); }
MYR_OMP_API void omp_target_free(void* block, int) { std::free(block); }
MYR_OMP_API int omp_target_is_present(const void*, int) { return 1; }
MYR_OMP_API int omp_target_memcpy(void* to, const void* from, std::size_t bytes, std::size_t to_at,
                                  std::size_t from_at, int, int) {
  std::memcpy(static_cast<std::byte*>(to) + to_at, static_cast<const std::byte*>(from) + from_at,
              bytes);
  return 0;
}

namespace {

struct Box {
  std::size_t element;
  const std::size_t* volume;
  const std::size_t* to_offsets;
  const std::size_t* from_offsets;
  const std::size_t* to_sizes;
  const std::size_t* from_sizes;
};

void copy_box(std::byte* to, const std::byte* from, int dimensions, const Box& box, int at) {
  std::size_t to_step = box.element;
  std::size_t from_step = box.element;
  for (int i = at + 1; i < dimensions; ++i) {
    to_step *= box.to_sizes[i];
    from_step *= box.from_sizes[i];
  }
  to += box.to_offsets[at] * to_step;
  from += box.from_offsets[at] * from_step;
  if (at + 1 == dimensions) {
    std::memcpy(to, from, box.volume[at] * box.element);
    return;
  }
  for (std::size_t i = 0; i < box.volume[at]; ++i) {
    copy_box(to + i * to_step, from + i * from_step, dimensions, box, at + 1);
  }
}

}  // namespace

MYR_OMP_API int omp_target_memcpy_rect(void* to, const void* from, std::size_t element,
                                       int dimensions, const std::size_t* volume,
                                       const std::size_t* to_offsets,
                                       const std::size_t* from_offsets, const std::size_t* to_sizes,
                                       const std::size_t* from_sizes, int, int) {
  if (to == nullptr && from == nullptr) return 0x7fffffff;  // any number is offered
  if (dimensions < 1) return 22;
  copy_box(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), dimensions,
           {element, volume, to_offsets, from_offsets, to_sizes, from_sizes}, 0);
  return 0;
}
MYR_OMP_API int omp_target_associate_ptr(const void*, const void*, std::size_t, std::size_t, int) {
  return 22;
}
MYR_OMP_API int omp_target_disassociate_ptr(const void*, int) { return 22; }

// ---- The error directive

MYR_OMP_API void GOMP_warning(const char* text, std::size_t length) {
  if (text == nullptr) {
    std::fputs("\nlibgomp: error directive encountered\n", stderr);
  } else if (length == static_cast<std::size_t>(-1)) {
    std::fprintf(stderr, "\nlibgomp: error directive encountered: %s\n", text);
  } else {
    std::fprintf(stderr, "\nlibgomp: error directive encountered: %.*s\n", static_cast<int>(length),
                 text);
  }
}
MYR_OMP_API void GOMP_error(const char* text, std::size_t length) {
  if (text == nullptr) fail("fatal error: error directive encountered");
  const int shown =
      static_cast<int>(length == static_cast<std::size_t>(-1) ? std::strlen(text) : length);
  fail("fatal error: error directive encountered: %.*s", shown, text);
}
