// SPDX-License-Identifier: Apache-2.0
#include "check/modules.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <iterator>
#include <string_view>

namespace myr::check {

bool contain(const std::vector<Bytes>& some, std::uint64_t address) noexcept {
  const auto next =
      std::upper_bound(some.begin(), some.end(), address,
                       [](std::uint64_t sought, const Bytes& one) { return sought < one.begin; });
  return next != some.begin() && address < std::prev(next)->end;
}

void sort(std::vector<Bytes>& some) {
  std::sort(some.begin(), some.end(),
            [](const Bytes& one, const Bytes& other) { return one.begin < other.begin; });
}

namespace {

bool contain(const std::vector<Bytes>& some, const void* place) noexcept {
  return contain(some, reinterpret_cast<std::uint64_t>(place));
}

template <class Visit>
void visit_modules(Visit visit) {
  const auto call = [](dl_phdr_info* module, std::size_t, void* data) {
    (*static_cast<Visit*>(data))(*module);
    return 0;
  };
  dl_iterate_phdr(call, &visit);
}

template <class Is>
std::vector<Bytes> segments_of(const dl_phdr_info& module, Is is_wanted) {
  std::vector<Bytes> found;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    const std::uint64_t begin = module.dlpi_addr + segment.p_vaddr;
    if (is_wanted(segment)) found.push_back({begin, begin + segment.p_memsz});
  }
  return found;
}
std::vector<Bytes> code_of(const dl_phdr_info& module) {
  return segments_of(module, [](const ElfW(Phdr) & one) { return one.p_type == PT_LOAD; });
}
std::vector<Bytes> constants_of(const dl_phdr_info& module) {
  return segments_of(module, [](const ElfW(Phdr) & one) {
    return (one.p_type == PT_LOAD && (one.p_flags & PF_W) == 0) || one.p_type == PT_GNU_RELRO;
  });
}
void append(std::vector<Bytes>& to, const std::vector<Bytes>& more) {
  to.insert(to.end(), more.begin(), more.end());
  sort(to);
}

// What the dynamic linker knows of a module, by the tags of <elf.h>. 0: nothing.
class Dynamic {
 public:
  explicit Dynamic(const dl_phdr_info& module) : base_(module.dlpi_addr) {
    for (int i = 0; i < module.dlpi_phnum; ++i) {
      const auto& segment = module.dlpi_phdr[i];
      if (segment.p_type != PT_DYNAMIC) continue;
      first_ = reinterpret_cast<const ElfW(Dyn)*>(module.dlpi_addr + segment.p_vaddr);
    }
  }
  [[nodiscard]] std::uint64_t value(ElfW(Sxword) tag) const {
    for (const auto* entry = first_; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == tag) return entry->d_un.d_val;
    }
    return 0;
  }
  // Does the module ask for a library with the text in its name?
  [[nodiscard]] bool needs(std::string_view text) const {
    const auto* const texts = table<char>(DT_STRTAB);
    for (const auto* entry = first_; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      const bool is_name = entry->d_tag == DT_NEEDED && texts != nullptr;
      if (is_name && std::string_view(texts + entry->d_un.d_val).find(text) != text.npos)
        return true;
    }
    return false;
  }
  template <class T>
  [[nodiscard]] const T* table(ElfW(Sxword) tag) const {
    const std::uint64_t at = value(tag);
    if (at == 0) return nullptr;
    return reinterpret_cast<const T*>(at < base_ ? base_ + at : at);  // the kernel's: not relocated
  }

 private:
  std::uint64_t base_;
  const ElfW(Dyn) * first_ = nullptr;
};

// All functions of other modules that a module has the addresses of.
template <class Visit>
void visit_slots(const dl_phdr_info& module, Visit visit) {
  const Dynamic dynamic(module);
  const auto* const symbols = dynamic.table<ElfW(Sym)>(DT_SYMTAB);
  const auto* const texts = dynamic.table<char>(DT_STRTAB);
  if (symbols == nullptr || texts == nullptr) return;
  const auto visit_table = [&](ElfW(Sxword) table, ElfW(Sxword) bytes) {
    const auto* const first = dynamic.table<ElfW(Rela)>(table);
    const std::size_t count = first == nullptr ? 0 : dynamic.value(bytes) / sizeof(ElfW(Rela));
    std::for_each(first, first + count, [&](const ElfW(Rela) & one) {
      const auto& symbol = symbols[ELF64_R_SYM(one.r_info)];
      const auto type = ELF64_ST_TYPE(symbol.st_info);
      const bool may_be_function = type == STT_FUNC || type == STT_NOTYPE;
      if (!may_be_function || symbol.st_shndx != SHN_UNDEF || one.r_addend != 0) return;
      visit(Slot{texts + symbol.st_name,
                 reinterpret_cast<const void**>(module.dlpi_addr + one.r_offset)});
    });
  };
  visit_table(DT_JMPREL, DT_PLTRELSZ);
  visit_table(DT_RELA, DT_RELASZ);
}

// The compiler lets each function that it instruments call this.
constexpr std::string_view kCall = "__tsan_func_entry";

bool is_instrumented(const dl_phdr_info& module) {
  bool is_it = false;
  visit_slots(module, [&](const Slot& slot) { is_it = is_it || slot.function == kCall; });
  return is_it;
}

}  // namespace

std::uint64_t begin_of_module(std::uint64_t address) {
  std::uint64_t begin = 0;
  visit_modules([&](const dl_phdr_info& module) {
    const std::vector<Bytes> code = code_of(module);
    if (contain(code, address)) begin = code.front().begin;
  });
  return begin;
}

std::vector<Bytes> thread_locals() {
  std::vector<Bytes> found;
  visit_modules([&](const dl_phdr_info& module) {
    const auto begin = reinterpret_cast<std::uint64_t>(module.dlpi_tls_data);
    for (int i = 0; i < module.dlpi_phnum && begin != 0; ++i) {
      const auto& segment = module.dlpi_phdr[i];
      if (segment.p_type == PT_TLS) found.push_back({begin, begin + segment.p_memsz});
    }
  });
  sort(found);
  return found;
}

bool point_to(const std::vector<Bytes>& variables, const Bytes& bytes) noexcept {
  return std::any_of(variables.begin(), variables.end(), [&](const Bytes& some) {
    constexpr std::uint64_t kPointer = sizeof(std::uint64_t);
    for (std::uint64_t at = some.begin; at + kPointer <= some.end; at += kPointer) {
      const std::uint64_t value = *reinterpret_cast<const std::uint64_t*>(at);
      if (bytes.begin <= value && value < bytes.end) return true;
    }
    return false;
  });
}

void Modules::find_checked() {
  visit_modules([&](const dl_phdr_info& module) {
    const std::vector<Bytes> code = code_of(module);
    if (code.empty() || contain(checked_, code.front().begin)) return;
    if (!is_instrumented(module)) return;
    append(checked_, code);
    is_by_clang_ = is_by_clang_ || Dynamic(module).needs("libclang_rt.tsan");
  });
}

void Modules::find(std::uint64_t in_runtime) {
  visit_modules([&](const dl_phdr_info& module) {
    const std::vector<Bytes> code = code_of(module);
    if (contain(code, in_runtime)) runtime_ = code;
    append(constants_, constants_of(module));
    if (!code.empty() && !contain(checked_, code.front().begin)) append(others_, code);
    const std::string_view name = module.dlpi_name;
    const bool is_cpp_library = name.find("/libstdc++.so") != std::string_view::npos ||
                                name.find("/libc++.so") != std::string_view::npos;
    if (is_cpp_library) append(cpp_library_, code);
  });
}

bool Modules::is_of_program(const void* place) const noexcept { return contain(checked_, place); }
bool Modules::is_for_program(const void* place) const noexcept {
  return is_of_program(place) || contain(cpp_library_, place) || is_body(place);
}
bool Modules::is_of_runtime(const void* place) const noexcept { return contain(runtime_, place); }
bool Modules::is_of_checker(const void* place) noexcept {
  Dl_info its;
  Dl_info own;
  return dladdr(place, &its) != 0 &&
         dladdr(reinterpret_cast<const void*>(&begin_of_module), &own) != 0 &&
         its.dli_fbase == own.dli_fbase;
}

std::vector<Slot> Modules::slots() const {
  std::vector<Slot> slots;
  visit_modules([&](const dl_phdr_info& module) {
    const std::vector<Bytes> code = code_of(module);
    if (code.empty() || !contain(checked_, code.front().begin)) return;
    visit_slots(module, [&](const Slot& slot) { slots.push_back(slot); });
  });
  return slots;
}

}  // namespace myr::check
