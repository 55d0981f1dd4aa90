// SPDX-License-Identifier: Apache-2.0
#include "check/symbols.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdwfl.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "base/format.hpp"
#include "check/modules.hpp"

namespace myr::check {

namespace {

std::string demangled(const char* name) {
  if (std::string_view(name).substr(0, 2) != "_Z") return name;  // it could be that of a type
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  std::string found = status == 0 ? text.get() : name;
  constexpr std::string_view kNoName = "(anonymous namespace)::";
  for (std::size_t at = 0; (at = found.find(kNoName)) != std::string::npos;) {
    found.erase(at, kNoName.size());
  }
  return found;
}

// The scopes around a place in the code, innermost first, as the compiler has nested them.
class Scopes {
 public:
  Scopes(Dwarf_Die* unit, Dwarf_Addr place) {
    Dwarf_Die* innermost = nullptr;  // the others of these are nested as in the program's text
    if (dwarf_getscopes(unit, place, &innermost) > 0) {
      count_ = dwarf_getscopes_die(innermost, &scopes_);
    }
    std::free(innermost);
  }
  ~Scopes() { std::free(scopes_); }
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  [[nodiscard]] Dwarf_Die* begin() const noexcept { return scopes_; }
  [[nodiscard]] Dwarf_Die* end() const noexcept { return scopes_ + std::max(count_, 0); }

 private:
  Dwarf_Die* scopes_ = nullptr;
  int count_ = 0;
};

}  // namespace

struct Symbols::Session {
  Dwfl_Callbacks calls = {.find_elf = dwfl_linux_proc_find_elf,
                          .find_debuginfo = dwfl_standard_find_debuginfo,
                          .section_address = nullptr,
                          .debuginfo_path = nullptr};
  Dwfl* dwfl = dwfl_begin(&calls);
};

Symbols::Symbols() : session_(std::make_unique<Session>()) {
  if (session_->dwfl == nullptr) return;
  dwfl_report_begin(session_->dwfl);
  dwfl_linux_proc_report(session_->dwfl, getpid());
  dwfl_report_end(session_->dwfl, nullptr, nullptr);
}
Symbols::~Symbols() { dwfl_end(session_->dwfl); }

namespace {
// What has been compiled at once around a place. gcc lists where that is, clang does not.
Dwarf_Die* unit_at(Dwfl* dwfl, Dwarf_Addr place, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_addrdie(dwfl, place, &bias)) return unit;
  Dwfl_Module* const module = dwfl_addrmodule(dwfl, place);
  Dwarf_Die* unit = nullptr;
  while (module != nullptr && (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (dwarf_haspc(unit, place - bias) == 1) return unit;
  }
  return nullptr;
}
}  // namespace

// Of the place, then of the calls that the compiler has put it into.
std::vector<std::string> Symbols::lines_of(std::uint64_t place) const {
  std::vector<std::string> lines;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_at(session_->dwfl, place, bias);
  if (unit == nullptr) return lines;
  if (Dwarf_Line* const line = dwarf_getsrc_die(unit, place - bias)) {
    int number = 0;
    dwarf_lineno(line, &number);
    const char* const file = dwarf_linesrc(line, nullptr, nullptr);
    if (file != nullptr) lines.push_back(base::format("{}:{}", file, number));
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
      lines.push_back(base::format("{}:{}", name, number));
    }
  }
  return lines;
}

namespace {
// Paths of libraries that others have compiled begin in one of these ways.
bool is_of_system(const std::string& line) {
  return line.starts_with("/usr/") || line.starts_with("../") || line.starts_with("./");
}
bool is_of_headers(const std::string& line) {
  return line.find("/include/myr/") != std::string::npos;
}
}  // namespace

bool Symbols::is_of_runtime(const std::vector<const void*>& return_addresses) const {
  for (const void* const address : return_addresses) {
    for (const std::string& line : lines_of(reinterpret_cast<std::uint64_t>(address) - 1)) {
      if (!is_of_system(line)) return is_of_headers(line);
    }
  }
  return false;
}

std::string Symbols::first_line_of(const std::vector<const void*>& return_addresses) const {
  const auto innermost = reinterpret_cast<std::uint64_t>(return_addresses.front()) - 1;
  const std::vector<std::string> lines = lines_of(innermost);
  return lines.empty() ? std::string() : lines.front();
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
// C++, and a number behind it in C.
static std::string in_program(std::string name) {
  const std::size_t call = name.rfind(")::");
  if (call != name.npos) name.erase(0, call + 3);
  if (name.starts_with("main::")) name.erase(0, 6);
  const std::size_t dot = name.rfind('.');
  const bool has_number =
      dot != name.npos && name.find_first_not_of("0123456789", dot + 1) == name.npos;
  if (has_number) name.erase(dot);
  return name;
}

Variable Symbols::global_at(std::uint64_t address) const {
  // What libdw knows of are files in memory, and zeros behind them are in none.
  Dwfl_Module* const module = dwfl_addrmodule(session_->dwfl, begin_of_module(address));
  if (module == nullptr) return {};
  // Not dwfl_module_addrinfo(): where a section begins, it answers with that.
  const int count = dwfl_module_getsymtab(module);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr begin = 0;
    const char* const name =
        dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
    const bool is_variable = name != nullptr && GELF_ST_TYPE(symbol.st_info) == STT_OBJECT;
    if (!is_variable || address - begin >= symbol.st_size) continue;
    return {in_program(demangled(name)), address - begin, symbol.st_size};
  }
  return {};
}

// ---- local variables ----------------------------------------------------------------------------

namespace {

struct Frame {
  std::uint64_t place;      // in the function
  std::uint64_t stack_end;  // of its frame: the canonical frame address
};

// The frame of this thread that has the address; its place is 0 if there is none.
Frame frame_around(std::uint64_t address) {
  struct Search {
    std::uint64_t address;
    std::uint64_t inner_place;
    Frame found;
  } search{address, 0, {0, 0}};
  // What the unwinder calls a frame's CFA is where the next inner one ends.
  const auto look = [](_Unwind_Context* context, void* data) {
    Search& now = *static_cast<Search*>(data);
    const auto end_of_inner = static_cast<std::uint64_t>(_Unwind_GetCFA(context));
    if (now.address < end_of_inner) {
      now.found = {now.inner_place, end_of_inner};
      return _URC_END_OF_STACK;
    }
    now.inner_place = static_cast<std::uint64_t>(_Unwind_GetIP(context)) - 1;
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(look, &search);
  return search.found;
}

// Where the variable is in its function's frame, from the canonical frame address, if it is there.
std::optional<std::int64_t> offset_in_frame(Dwarf_Die* variable, std::uint64_t place) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, place, &operations, &count, 1) != 1) return std::nullopt;
  if (count != 1 || operations[0].atom != DW_OP_fbreg) return std::nullopt;
  return static_cast<std::int64_t>(operations[0].number);
}

// The variable of the function, or of a block in it, that has the byte at this offset.
Variable variable_of(Dwarf_Die* scope, std::uint64_t place, std::int64_t offset) {
  Dwarf_Die child;
  if (dwarf_child(scope, &child) != 0) return {};
  do {
    const int tag = dwarf_tag(&child);
    if (tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) {
      if (dwarf_haspc(&child, place) != 1) continue;  // what it has there may be another's now
      if (Variable inner = variable_of(&child, place, offset); !inner.name.empty()) return inner;
    }
    if (tag != DW_TAG_variable && tag != DW_TAG_formal_parameter) continue;
    const std::optional<std::int64_t> begin = offset_in_frame(&child, place);
    if (!begin || offset < *begin) continue;
    Dwarf_Attribute attribute;
    Dwarf_Die type;
    Dwarf_Word bytes = 0;
    if (dwarf_formref_die(dwarf_attr_integrate(&child, DW_AT_type, &attribute), &type) == nullptr ||
        dwarf_aggregate_size(&type, &bytes) != 0) {
      continue;
    }
    const char* const name = dwarf_diename(&child);
    const auto at = static_cast<std::uint64_t>(offset - *begin);
    if (name != nullptr && at < bytes) return {name, at, bytes};
  } while (dwarf_siblingof(&child, &child) == 0);
  return {};
}

}  // namespace

Variable Symbols::local_at(std::uint64_t address) const {
  const Frame frame = frame_around(address);
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = frame.place == 0 ? nullptr : unit_at(session_->dwfl, frame.place, bias);
  if (unit == nullptr) return {};
  for (Dwarf_Die& scope : Scopes(unit, frame.place - bias)) {
    if (dwarf_tag(&scope) != DW_TAG_subprogram) continue;
    return variable_of(&scope, frame.place - bias,
                       static_cast<std::int64_t>(address - frame.stack_end));
  }
  return {};
}

}  // namespace myr::check
