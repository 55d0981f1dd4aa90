// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/modules.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "base/bits.hpp"
#include "base/format.hpp"

namespace myr::cluster::mpi {

namespace {

constexpr unsigned kOffsetBits = 47;
constexpr std::uint64_t kProgram = 1;

// The build id, in hexadecimal; empty: the linker has given it none.
std::string build_id_in(const dl_phdr_info& module, const ElfW(Phdr) & notes) {
  const auto* next = reinterpret_cast<const std::byte*>(module.dlpi_addr + notes.p_vaddr);
  const std::byte* const end = next + notes.p_memsz;
  while (next + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) header;
    std::memcpy(&header, next, sizeof header);
    const std::byte* const name = next + sizeof header;
    const std::byte* const content = name + base::round_up(header.n_namesz, 4);
    if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
        std::memcmp(name, "GNU", 4) == 0) {
      std::string id;
      for (std::size_t i = 0; i < header.n_descsz; ++i) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        const auto byte = std::to_integer<unsigned>(content[i]);
        id += kDigits[byte >> 4];
        id += kDigits[byte & 15];
      }
      return id;
    }
    next = content + base::round_up(header.n_descsz, 4);
  }
  return {};
}

}  // namespace

Modules::Modules() : bases_(1) {
  const auto add = [](dl_phdr_info* module, std::size_t, void* argument) {
    auto& self = *static_cast<Modules*>(argument);
    const std::string_view path(module->dlpi_name);
    const bool is_program = self.bases_.size() == 1;
    if (!is_program && path.find('/') == std::string_view::npos) return 0;  // the kernel's
    std::string id;
    std::uint64_t bytes = 0;
    const std::uint64_t number = self.bases_.size();
    self.bases_.push_back(module->dlpi_addr);
    for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
      const ElfW(Phdr)& header = module->dlpi_phdr[i];
      if (header.p_type == PT_NOTE && id.empty()) id = build_id_in(*module, header);
      // The others are constants with addresses in them, written once, when the module is loaded.
      const bool is_loaded = header.p_type == PT_LOAD;
      if (!is_loaded && header.p_type != PT_GNU_RELRO) continue;
      const std::uintptr_t first = module->dlpi_addr + header.p_vaddr;
      self.segments_.push_back({.first = first,
                                .end = first + header.p_memsz,
                                .base = module->dlpi_addr,
                                .module = number,
                                .is_constant = !is_loaded || (header.p_flags & PF_W) == 0});
      if (is_loaded) bytes += header.p_filesz;
    }
    const std::string_view name = is_program ? "the program" : path.substr(path.rfind('/') + 1);
    self.identity_ += base::format("{} {} {}\n", name, id.empty() ? "without-build-id" : id, bytes);
    return 0;
  };
  dl_iterate_phdr(add, this);
  std::sort(segments_.begin(), segments_.end(), [](const Segment& a, const Segment& b) {
    return a.first != b.first ? a.first < b.first : a.is_constant < b.is_constant;
  });
}

// The last one that begins there or before: the constants of a module lie inside a segment of it.
const Modules::Segment* Modules::segment_of(const void* address) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  auto next = std::partition_point(segments_.begin(), segments_.end(),
                                   [at](const Segment& segment) { return segment.first <= at; });
  for (unsigned i = 0; i < 2 && next != segments_.begin(); ++i) {
    --next;
    if (at < next->end) return &*next;
  }
  return nullptr;
}

PlaceInModule Modules::place_of(const void* address) const noexcept {
  const Segment* const segment = segment_of(address);
  if (segment == nullptr) return 0;
  return segment->module << kOffsetBits |
         (reinterpret_cast<std::uintptr_t>(address) - segment->base);
}

const void* Modules::address_of(PlaceInModule place) const noexcept {
  const std::uint64_t number = place >> kOffsetBits;
  if (number == 0 || number >= bases_.size()) return nullptr;
  const std::uint64_t offset = place & ((std::uint64_t{1} << kOffsetBits) - 1);
  return reinterpret_cast<const void*>(bases_[number] + offset);
}

const void* Modules::in_program(std::uint64_t address) const noexcept {
  return address_of(kProgram << kOffsetBits | address);
}

bool Modules::is_in_program(const void* address) const noexcept {
  const Segment* const segment = segment_of(address);
  return segment != nullptr && segment->module == kProgram;
}

bool Modules::is_constant(const void* address) const noexcept {
  const Segment* const segment = segment_of(address);
  return segment != nullptr && segment->is_constant;
}

}  // namespace myr::cluster::mpi
