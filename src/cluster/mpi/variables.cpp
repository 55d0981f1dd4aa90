// SPDX-License-Identifier: Apache-2.0
#include "cluster/mpi/variables.hpp"

#include <cxxabi.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <string_view>

#include "plat/file.hpp"

namespace myr::cluster::mpi {

namespace {

// Each is compared at each spawn.
constexpr std::size_t kBytesMax = std::size_t{16} << 20;

using Symbol = ElfW(Sym);
using Section = ElfW(Shdr);

// A file of the format that has loaded the running program.
class SymbolTable {
 public:
  explicit SymbolTable(const char* path) : bytes_(plat::read_file(path)) {
    ElfW(Ehdr) head;
    if (!read(0, head)) return;
    for (unsigned i = 0; i < head.e_shnum; ++i) {
      Section section;
      if (!read(head.e_shoff + i * sizeof section, section)) return;
      sections_.push_back(section);
    }
  }

  template <class Visit>
  void visit(Visit visit) const {
    for (const Section& table : sections_) {
      if (table.sh_type != SHT_SYMTAB || table.sh_link >= sections_.size()) continue;
      for (std::size_t at = 0; at + sizeof(Symbol) <= table.sh_size; at += sizeof(Symbol)) {
        Symbol symbol;
        if (read(table.sh_offset + at, symbol)) visit(symbol, name_of(symbol, table));
      }
    }
  }

  // Does the program write to it, and has it room in memory?
  [[nodiscard]] bool is_variable(const Symbol& symbol) const {
    constexpr auto kFlags = SHF_WRITE | SHF_ALLOC;
    return ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_size != 0 &&
           symbol.st_shndx < sections_.size() &&
           (sections_[symbol.st_shndx].sh_flags & kFlags) == kFlags;
  }

 private:
  template <class Type>
  [[nodiscard]] bool read(std::size_t at, Type& value) const {
    if (at > bytes_.size() || bytes_.size() - at < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + at, sizeof value);
    return true;
  }
  [[nodiscard]] std::string_view name_of(const Symbol& symbol, const Section& table) const {
    const std::size_t at = sections_[table.sh_link].sh_offset + symbol.st_name;
    return at < bytes_.size() ? std::string_view(bytes_.data() + at) : std::string_view();
  }

  std::string bytes_;  // ends with a zero, as strings do
  std::vector<Section> sections_;
};

constexpr std::string_view kGuard = "_ZGV";

// What is not the program's own: what it has of other libraries ("stdout@GLIBC_2.2.5"), and what
// Myrmidon's headers keep in it.
bool is_of_others(std::string_view name) {
  return name.empty() || name.find('@') != std::string_view::npos ||
         name.find("N3myr") != std::string_view::npos || name.starts_with(kGuard);
}

}  // namespace

Variables::Variables(const Modules& modules) {
  if (modules.is_in_program(reinterpret_cast<const void*>(&name_in_source))) return;
  const SymbolTable table("/proc/self/exe");
  // Each process makes these for itself, when a task first comes to them.
  std::set<std::string> made_when_needed;
  table.visit([&](const Symbol&, std::string_view name) {
    if (name.starts_with(kGuard)) {
      made_when_needed.insert("_Z" + std::string(name.substr(kGuard.size())));
    }
  });
  table.visit([&](const Symbol& symbol, std::string_view name) {
    if (!table.is_variable(symbol) || symbol.st_size > kBytesMax || is_of_others(name)) return;
    std::string own_name(name);
    if (made_when_needed.contains(own_name)) return;
    const auto* const first = static_cast<const std::byte*>(modules.in_program(symbol.st_value));
    if (modules.is_constant(first)) return;
    variables_.push_back({.memory = {first, symbol.st_size},
                          .name = std::move(own_name),
                          .known = {first, first + symbol.st_size}});
  });
}

std::vector<const Variables::Variable*> Variables::find_changed() {
  std::vector<const Variable*> changed;
  for (Variable& one : variables_) {
    if (one.is_changed || std::equal(one.known.begin(), one.known.end(), one.memory.begin())) {
      continue;
    }
    one.is_changed = true;
    changed.push_back(&one);
  }
  return changed;
}

void Variables::shared(std::span<const std::byte> memory) {
  for (Variable& one : variables_) {
    const std::byte* const end = one.memory.data() + one.memory.size();
    if (memory.data() >= end || one.memory.data() >= memory.data() + memory.size()) continue;
    one.known.assign(one.memory.begin(), one.memory.end());
    one.is_changed = false;
  }
}

std::string name_in_source(const Variables::Variable& variable) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(variable.name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : variable.name;
}

}  // namespace myr::cluster::mpi
