// SPDX-License-Identifier: Apache-2.0
#include "check/modules.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace myr::check {

bool contain(const std::vector<Bytes>& some, std::uint64_t address) noexcept {
  return std::any_of(some.begin(), some.end(), [address](const Bytes& one) {
    return one.begin <= address && address < one.end;
  });
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

std::vector<Bytes> code_of(const dl_phdr_info& module) {
  std::vector<Bytes> code;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    const std::uint64_t begin = module.dlpi_addr + segment.p_vaddr;
    if (segment.p_type == PT_LOAD) code.push_back({begin, begin + segment.p_memsz});
  }
  return code;
}
void append(std::vector<Bytes>& to, const std::vector<Bytes>& more) {
  to.insert(to.end(), more.begin(), more.end());
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

// The compiler lets each function that it instruments call this.
constexpr std::string_view kCall = "__tsan_func_entry";

bool is_instrumented(const dl_phdr_info& module) {
  const Dynamic dynamic(module);
  const auto* const symbols = dynamic.table<ElfW(Sym)>(DT_SYMTAB);
  const auto* const texts = dynamic.table<char>(DT_STRTAB);
  if (symbols == nullptr || texts == nullptr) return false;
  const auto asks_for_it = [&](ElfW(Sxword) table, ElfW(Sxword) bytes) {
    const auto* const first = dynamic.table<ElfW(Rela)>(table);
    if (first == nullptr) return false;
    const std::size_t count = dynamic.value(bytes) / sizeof(ElfW(Rela));
    return std::any_of(first, first + count, [&](const ElfW(Rela) & one) {
      return texts + symbols[ELF64_R_SYM(one.r_info)].st_name == kCall;
    });
  };
  return asks_for_it(DT_JMPREL, DT_PLTRELSZ) || asks_for_it(DT_RELA, DT_RELASZ);
}

// By the names in the program's file.
std::vector<std::string> needed_libraries() {
  std::vector<std::string> names;
  const auto* const map = static_cast<const link_map*>(dlopen(nullptr, RTLD_NOW));
  if (map == nullptr) return names;
  const char* texts = nullptr;
  for (const auto* entry = map->l_ld; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) texts = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (const auto* entry = map->l_ld; entry->d_tag != DT_NULL && texts != nullptr; ++entry) {
    if (entry->d_tag == DT_NEEDED) names.emplace_back(texts + entry->d_un.d_val);
  }
  return names;
}

bool is_known(std::string_view name) {
  constexpr std::array<std::string_view, 14> kKnown{
      "libc.so",      "libm.so",       "libstdc++.so", "libgcc_s.so", "libc++.so",
      "libc++abi.so", "libpthread.so", "libdl.so",     "librt.so",    "libatomic.so",
      "ld-linux",     "libmyrmidon",   "libtsan.so",   "libunwind.so"};
  return std::any_of(kKnown.begin(), kKnown.end(),
                     [&](std::string_view known) { return name.starts_with(known); });
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
    if (is_instrumented(module)) append(checked_, code);
  });
}

void Modules::find(std::uint64_t in_runtime) {
  visit_modules([&](const dl_phdr_info& module) {
    const std::vector<Bytes> code = code_of(module);
    if (contain(code, in_runtime)) runtime_ = code;
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

std::vector<std::string> Modules::strange() const {
  std::vector<std::string> names = needed_libraries();
  std::erase_if(names, [&](const std::string& name) {
    bool is_checked = false;
    visit_modules([&](const dl_phdr_info& module) {
      const std::vector<Bytes> code = code_of(module);
      const bool is_it = std::string_view(module.dlpi_name).ends_with("/" + name);
      if (is_it && !code.empty()) is_checked = contain(checked_, code.front().begin);
    });
    return is_checked || is_known(name);
  });
  return names;
}

}  // namespace myr::check
