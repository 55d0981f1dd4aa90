// SPDX-License-Identifier: Apache-2.0
#include "check/symbols.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "base/format.hpp"
#include "check/debug_info.hpp"
#include "check/modules.hpp"
#include "check/names.hpp"

namespace myr::check {

struct Symbols::Session {
  Dwfl_Callbacks calls = {.find_elf = dwfl_linux_proc_find_elf,
                          .find_debuginfo = dwfl_standard_find_debuginfo,
                          .section_address = nullptr,
                          .debuginfo_path = nullptr};
  Dwfl* dwfl = dwfl_begin(&calls);
  std::map<Dwfl_Module*, std::vector<Typed>> globals = {};
};

Symbols::Symbols() : session_(std::make_unique<Session>()) {
  if (session_->dwfl == nullptr) return;
  dwfl_report_begin(session_->dwfl);
  dwfl_linux_proc_report(session_->dwfl, getpid());
  dwfl_report_end(session_->dwfl, nullptr, nullptr);
}
Dwfl* Symbols::files() const noexcept { return session_->dwfl; }
Symbols::~Symbols() { dwfl_end(session_->dwfl); }

namespace {
// A path from the folder where the unit was compiled, if the file is there: then it is one of the
// program's, however its headers were found. A system's libraries were compiled elsewhere.
std::string path_of(Dwarf_Die* unit, const char* name) {
  Dwarf_Attribute attribute;
  const char* const folder = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &attribute));
  if (name[0] == '/' || folder == nullptr) return name;
  const auto path = (std::filesystem::path(folder) / name).lexically_normal();
  std::error_code error;
  return std::filesystem::exists(path, error) ? path.string() : name;
}
}  // namespace

// The line of the place, then those of the calls that the compiler has put it into.
std::vector<std::string> Symbols::lines_of(std::uint64_t place) const {
  std::vector<std::string> lines;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(session_->dwfl, place, bias);
  if (unit == nullptr) return lines;
  if (Dwarf_Line* const line = dwarf_getsrc_die(unit, place - bias)) {
    int number = 0;
    dwarf_lineno(line, &number);
    const char* const file = dwarf_linesrc(line, nullptr, nullptr);
    if (file != nullptr) lines.push_back(base::format("{}:{}", path_of(unit, file), number));
  }
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  if (dwarf_getsrcfiles(unit, &files, &file_count) != 0) return lines;
  for (Dwarf_Die& scope : Scopes(unit, place - bias)) {
    if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) continue;
    Dwarf_Attribute attribute;
    Dwarf_Word file = 0;
    Dwarf_Word number = 0;
    dwarf_formudata(dwarf_attr(&scope, DW_AT_call_file, &attribute), &file);
    dwarf_formudata(dwarf_attr(&scope, DW_AT_call_line, &attribute), &number);
    if (const char* const name = dwarf_filesrc(files, file, nullptr, nullptr)) {
      lines.push_back(base::format("{}:{}", path_of(unit, name), number));
    }
  }
  return lines;
}

// Paths of libraries that others have compiled begin in one of these ways.
bool is_of_system(std::string_view file) {
  return file.starts_with("/usr/") || file.starts_with("../") || file.starts_with("./");
}
bool is_of_headers(std::string_view file) {
  return file.starts_with("include/myr/") || file.find("/include/myr/") != file.npos ||
         file.find("<myrcc>") != file.npos;  // what it has written itself
}

bool Symbols::is_of_runtime(const std::vector<const void*>& return_addresses) const {
  for (const void* const address : return_addresses) {
    for (const std::string& line : lines_of(reinterpret_cast<std::uint64_t>(address) - 1)) {
      if (is_of_headers(line)) return true;  // by whatever path they were included
      if (!is_of_system(line)) return false;
    }
  }
  return false;
}

std::string Symbols::first_line_of(const std::vector<const void*>& return_addresses) const {
  const auto innermost = reinterpret_cast<std::uint64_t>(return_addresses.front()) - 1;
  const std::vector<std::string> lines = lines_of(innermost);
  return lines.empty() ? std::string() : lines.front();
}

std::string Symbols::function_of(const std::vector<const void*>& return_addresses) const {
  const auto place = reinterpret_cast<std::uint64_t>(return_addresses.front()) - 1;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(session_->dwfl, place, bias);
  if (unit == nullptr) return "";
  for (Dwarf_Die& scope : Scopes(unit, place - bias)) {
    const int tag = dwarf_tag(&scope);
    if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) continue;
    const char* const name = dwarf_diename(&scope);
    return name == nullptr ? "" : name;
  }
  return "";
}

std::string Symbols::line_of(const std::vector<const void*>& return_addresses) const {
  std::string first;
  for (const void* const address : return_addresses) {
    for (std::string& line : lines_of(reinterpret_cast<std::uint64_t>(address) - 1)) {
      if (!is_of_system(line) && !is_of_headers(line)) return std::move(line);
      if (first.empty()) first = std::move(line);
    }
  }
  if (!first.empty() || return_addresses.empty()) return first;
  const auto place = reinterpret_cast<Dwarf_Addr>(return_addresses.front()) - 1;
  Dwfl_Module* const module = dwfl_addrmodule(session_->dwfl, place);
  const char* const name = module == nullptr ? nullptr : dwfl_module_addrname(module, place);
  return name == nullptr ? base::format("{}", return_addresses.front()) : demangled(name);
}

Variable Symbols::variable_at(std::uint64_t address) const {
  Variable local = local_at(address);
  return local.name.empty() ? global_at(address) : local;
}

// As it is written where it is used: that of a function has the function's name before its own in
// C++, and by clang in C, where gcc puts a number behind it.
static std::string in_program(std::string name) {
  const std::size_t call = name.rfind(")::");
  if (call != name.npos) name.erase(0, call + 3);
  if (name.starts_with("main::")) name.erase(0, 6);
  const std::size_t dot = name.rfind('.');
  const bool has_number =
      dot != name.npos && name.find_first_not_of("0123456789", dot + 1) == name.npos;
  if (has_number) {
    name.erase(dot);
  } else if (dot != name.npos) {
    name.erase(0, dot + 1);
  }
  return name;
}

Variable Symbols::global_at(std::uint64_t address) const {
  // What libdw knows of are files in memory, and zeros behind them are in none.
  Dwfl_Module* const module = dwfl_addrmodule(session_->dwfl, begin_of_module(address));
  if (module == nullptr) return {};
  // Not dwfl_module_addrinfo(): where a section begins, it answers with that.
  Variable found;
  visit_symbols(module, [&](const char* name, const GElf_Sym& symbol, std::uint64_t begin) {
    const bool is_variable = GELF_ST_TYPE(symbol.st_info) == STT_OBJECT;
    if (!is_variable || address - begin >= symbol.st_size) return true;
    found = {in_program(demangled(name)), address - begin, symbol.st_size};
    const std::vector<Typed>& globals = globals_of(address);
    const auto typed = std::find_if(globals.begin(), globals.end(), [&](const Typed& variable) {
      return variable.address == begin;
    });
    found.access = typed == globals.end() ? found.name : access_to(found.name, typed->type);
    return false;
  });
  return found;
}

// ---- local variables ----------------------------------------------------------------------------

namespace {

bool is_variable(Dwarf_Die* entry) {
  const int tag = dwarf_tag(entry);
  return (tag == DW_TAG_variable || tag == DW_TAG_formal_parameter) &&
         dwarf_diename(entry) != nullptr;
}

// Calls visit(variable) for those of the function, and of the blocks in it that are around the
// place, until it returns false; what others have is perhaps another's now. Returns whether it has
// gone through all.
template <class Visit>
bool visit_locals(Dwarf_Die* scope, std::uint64_t place, const Frame& frame,
                  std::optional<std::uint64_t> base, Visit& visit) {
  return visit_children(scope, [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    const bool is_scope = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
    if (is_scope && dwarf_haspc(child, place) == 1 &&
        !visit_locals(child, place, frame, base, visit)) {
      return false;
    }
    if (!is_variable(child)) return true;
    const std::optional<std::uint64_t> address = address_in_frame(child, place, frame, base);
    Typed variable{name_of_variable(child), {}, 0};
    if (!address || !type_of(child, &variable.type)) return true;
    variable.address = *address;
    return static_cast<bool>(visit(variable));
  });
}

template <class Visit>
bool visit_locals(Dwfl* dwfl, const Frame& frame, Visit visit) {
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = frame.place == 0 ? nullptr : unit_at(dwfl, frame.place, bias);
  if (unit == nullptr) return true;
  for (Dwarf_Die& scope : Scopes(unit, frame.place - bias)) {
    if (dwarf_tag(&scope) != DW_TAG_subprogram) continue;
    const std::uint64_t place = frame.place - bias;
    return visit_locals(&scope, place, frame, frame_base(&scope, place, frame), visit);
  }
  return true;
}

// Also of namespaces, and static ones of functions.
void add_globals(Dwarf_Die* scope, Dwarf_Addr bias, std::vector<Typed>& found) {
  visit_children(scope, [&](Dwarf_Die* child) {
    Dwarf_Attribute attribute;
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    Typed variable{{}, {}, 0};
    if (!is_variable(child)) {
      const int tag = dwarf_tag(child);
      const bool is_scope =
          tag == DW_TAG_namespace || tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block;
      if (is_scope) add_globals(child, bias, found);
    } else if (dwarf_getlocation(dwarf_attr_integrate(child, DW_AT_location, &attribute),
                                 &operations, &count) == 0 &&
               count == 1 && operations[0].atom == DW_OP_addr && type_of(child, &variable.type)) {
      variable.name = name_of_variable(child);
      variable.address = operations[0].number + bias;
      found.push_back(std::move(variable));
    }
    return true;
  });
}

}  // namespace

const std::vector<Typed>& Symbols::globals_of(std::uint64_t address) const {
  Dwfl_Module* const module = dwfl_addrmodule(session_->dwfl, begin_of_module(address));
  const auto [known, is_new] = session_->globals.try_emplace(module);
  Dwarf_Addr bias = 0;
  Dwarf_Die* unit = nullptr;
  while (is_new && module != nullptr && (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr)
    add_globals(unit, bias, known->second);
  return known->second;
}

std::string Symbols::access_through_any(const Wanted& wanted, const void* place) const {
  std::string found;
  const auto look = [&](const Typed& variable) {
    found = access_through(variable, wanted);
    return found.empty();
  };
  std::vector<Frame> frames = frames_of_thread();
  std::reverse(frames.begin(), frames.end());
  for (const Frame& frame : frames) {
    if (!visit_locals(session_->dwfl, frame, look)) return found;
  }
  for (const Typed& variable : globals_of(reinterpret_cast<std::uint64_t>(place))) {
    if (!look(variable)) break;
  }
  return found;
}

Variable Symbols::local_at(std::uint64_t address) const {
  const std::vector<Frame> frames = frames_of_thread();
  const auto around = std::find_if(frames.begin(), frames.end(),
                                   [&](const Frame& frame) { return address < frame.stack_end; });
  if (around == frames.end()) return {};
  Variable found;
  visit_locals(session_->dwfl, *around, [&](Typed& variable) {
    Dwarf_Word bytes = 0;
    const bool has_it = variable.address <= address &&
                        dwarf_aggregate_size(&variable.type, &bytes) == 0 &&
                        address - variable.address < bytes;
    if (!has_it) return true;
    found = {variable.name, address - variable.address, bytes,
             access_to(variable.name, variable.type)};
    return false;
  });
  return found;
}

}  // namespace myr::check
