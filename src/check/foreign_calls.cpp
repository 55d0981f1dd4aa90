// SPDX-License-Identifier: Apache-2.0
#include "check/foreign_calls.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <utility>

#include "check/watch.hpp"

namespace myr::check {

#if defined(__x86_64__)

// Keeps what a call's arguments may be in, tells of the call, and goes on to the function. The
// place of its description is in r11, which no call needs.
extern "C" __attribute__((visibility("hidden"))) void myr_check_go_between();
extern "C" __attribute__((visibility("hidden"), used)) void myr_check_called(
    ForeignFunction* function, const void* place, const ForeignCalls::Arguments* arguments) {
  Watch::called(*function, *arguments, place);
}
asm(R"(
  .text
  .globl myr_check_go_between
  .hidden myr_check_go_between
  .type myr_check_go_between, @function
myr_check_go_between:
  .cfi_startproc
  push %r11
  push %r10
  push %rax
  push %r9
  push %r8
  push %rcx
  push %rdx
  push %rsi
  push %rdi
  sub $128, %rsp
  .cfi_adjust_cfa_offset 200
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  mov %r11, %rdi
  mov 200(%rsp), %rsi
  lea 128(%rsp), %rdx
  call myr_check_called
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  add $128, %rsp
  pop %rdi
  pop %rsi
  pop %rdx
  pop %rcx
  pop %r8
  pop %r9
  pop %rax
  pop %r10
  pop %r11
  .cfi_adjust_cfa_offset -200
  jmp *(%r11)
  .cfi_endproc
  .size myr_check_go_between, .-myr_check_go_between
)");

namespace {
constexpr std::size_t kCodeBytes = 24;
// Loads r11, and jumps to myr_check_go_between().
void write_code(std::uint8_t* to, const ForeignFunction* function) {
  constexpr std::uint8_t kLoad[] = {0x49, 0xBB};
  constexpr std::uint8_t kJump[] = {0xFF, 0x25, 0, 0, 0, 0};  // to the address behind it
  void (*const next)() = &myr_check_go_between;
  const auto put = [&](const auto& bytes) {
    std::memcpy(to, &bytes, sizeof bytes);
    to += sizeof bytes;
  };
  put(kLoad);
  put(function);
  put(kJump);
  put(next);
}
}  // namespace

bool ForeignCalls::is_possible() noexcept { return true; }

#else

namespace {
constexpr std::size_t kCodeBytes = 0;
void write_code(std::uint8_t*, const ForeignFunction*) {}
}  // namespace

bool ForeignCalls::is_possible() noexcept { return false; }

#endif

namespace {

// The dynamic linker has perhaps made it read-only when it was done.
bool set(const void** slot, const void* address) noexcept {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t begin = reinterpret_cast<std::uint64_t>(slot) & ~(page - 1);
  if (mprotect(reinterpret_cast<void*>(begin), page, PROT_READ | PROT_WRITE) != 0) return false;
  *slot = address;
  return true;
}

std::uint8_t* room_for_code(std::size_t bytes) {
  void* const room =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return room == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(room);
}

}  // namespace

void ForeignCalls::intercept(const Modules& modules) {
  if (!is_possible()) return;
  std::map<std::string, std::vector<const void**>> slots;
  for (const Slot& slot : modules.slots()) slots[slot.function].push_back(slot.address);
  const std::size_t room_bytes = slots.size() * kCodeBytes;
  std::uint8_t* const room = room_bytes == 0 ? nullptr : room_for_code(room_bytes);
  if (room == nullptr) return;
  std::uint8_t* code = room;
  std::vector<ForeignFunction*> added;
  for (auto& [name, places] : slots) {
    const void* const function = dlsym(RTLD_DEFAULT, name.c_str());
    Dl_info where{};
    if (function == nullptr || dladdr(function, &where) == 0) continue;
    if (modules.is_of_program(function)) continue;
    Knowledge knowledge = Modules::is_of_checker(function) ? knowledge_of_seen(name)
                                                           : knowledge_of(name, where.dli_fname);
    const bool has_none = !knowledge.may_depend_on_others && !knowledge.may_touch_others;
    if (has_none && knowledge.pointers.empty()) continue;
    added.push_back(&functions_.emplace_back(
        ForeignFunction{function, name, std::move(knowledge), std::move(places)}));
    write_code(code, added.back());
    code += kCodeBytes;
  }
  if (mprotect(room, room_bytes, PROT_READ | PROT_EXEC) != 0) return;
  code = room;
  for (const ForeignFunction* const function : added) {
    for (const void** const slot : function->slots) set(slot, code);
    code += kCodeBytes;
  }
}

void ForeignCalls::release(ForeignFunction& function) noexcept {
  for (const void** const slot : std::exchange(function.slots, {})) set(slot, function.code);
}

}  // namespace myr::check
