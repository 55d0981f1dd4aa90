// SPDX-License-Identifier: Apache-2.0
#include "check/program_code.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "check/debug_info.hpp"
#include "check/names.hpp"
#include "check/symbols.hpp"

namespace myr::check {

namespace {

std::string_view text_of(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute found;
  const char* const text = dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
  return text == nullptr ? std::string_view() : text;
}

// ---- structures by value ------------------------------------------------------------------------

bool is_of_library(std::string_view file) {
  return file.empty() || is_of_system(file) || is_of_headers(file);
}
std::string_view or_nothing(const char* text) {
  return text == nullptr ? std::string_view() : text;
}

// Objects that Myrmidon's headers hand on are made in the call, as lambdas are; but not those that
// programs keep.
bool is_made_in_call(Dwarf_Die* type) {
  const std::string_view name = or_nothing(dwarf_diename(type));
  const bool is_ours = is_of_headers(or_nothing(dwarf_decl_file(type)));
  constexpr std::array<std::string_view, 5> kKept{"Region", "Event", "Range", "IndexRange", "Box"};
  return name.starts_with("<lambda") ||
         (is_ours && std::none_of(kKept.begin(), kKept.end(),
                                  [&](std::string_view kept) { return name.starts_with(kept); }));
}

bool is_class(Dwarf_Die* type) {
  const int tag = dwarf_tag(type);
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

// Then it goes by reference.
bool goes_by_reference(Dwarf_Die* type) {
  return !visit_children(type, [](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    const bool is_destructor = tag == DW_TAG_subprogram &&
                               or_nothing(dwarf_diename(child)).starts_with("~") &&
                               dwarf_hasattr(child, DW_AT_defaulted) == 0;
    Dwarf_Die part;
    const bool is_part = tag == DW_TAG_inheritance || tag == DW_TAG_member;
    return !is_destructor &&
           !(is_part && type_of(child, &part) && is_class(&part) && goes_by_reference(&part));
  });
}

// Does gcc copy such a value without telling of it? An empty one has no bytes.
bool goes_by_value(Dwarf_Die* variable) {
  Dwarf_Die type;
  Dwarf_Word bytes = 0;
  return type_of(variable, &type) && is_class(&type) && dwarf_aggregate_size(&type, &bytes) == 0 &&
         bytes > 1 && !is_made_in_call(&type) && !goes_by_reference(&type);
}

bool gets_or_returns_by_value(Dwarf_Die* function) {
  return goes_by_value(function) || !visit_children(function, [](Dwarf_Die* child) {
           return dwarf_tag(child) != DW_TAG_formal_parameter || !goes_by_value(child);
         });
}

// Values that a library's functions return to each other stay in their variables; values that they
// return to the program, or that the program's functions return, may go anywhere.
class ValueSearch {
 public:
  explicit ValueSearch(Dwarf_Die* unit) : unit_(unit) {
    search(unit);
    // Without optimization the debug information does not say which function calls which.
    if (found_.empty() && !knows_calls_) found_ = std::move(of_library_);
  }
  // A function; empty: there is none.
  [[nodiscard]] const std::string& found() const noexcept { return found_; }

 private:
  void search(Dwarf_Die* scope) {
    visit_children(scope, [this](Dwarf_Die* child) {
      const int tag = dwarf_tag(child);
      if (tag == DW_TAG_call_site) look_at_call(child);
      if (tag == DW_TAG_subprogram) look_at_function(child);
      search(child);
      return found_.empty();
    });
  }

  void look_at_function(Dwarf_Die* function) {
    Dwarf_Addr begin = 0;
    if (dwarf_lowpc(function, &begin) != 0 || !gets_or_returns_by_value(function)) return;
    std::string& found =
        is_of_library(or_nothing(dwarf_decl_file(function))) ? of_library_ : found_;
    if (found.empty()) found = name_of(function);
  }

  void look_at_call(Dwarf_Die* call) {
    knows_calls_ = true;
    Dwarf_Attribute attribute;
    Dwarf_Die function;
    Dwarf_Addr place = 0;
    if (dwarf_formref_die(dwarf_attr(call, DW_AT_call_origin, &attribute), &function) == nullptr ||
        dwarf_formaddr(dwarf_attr(call, DW_AT_call_return_pc, &attribute), &place) != 0) {
      return;
    }
    Dwarf_Line* const line = dwarf_getsrc_die(unit_, place - 1);
    const bool is_librarys =
        line != nullptr && is_of_library(or_nothing(dwarf_linesrc(line, nullptr, nullptr)));
    if (!is_librarys && gets_or_returns_by_value(&function)) found_ = name_of(&function);
  }

  static std::string name_of(Dwarf_Die* function) {
    const std::string_view symbol = text_of(function, DW_AT_linkage_name);
    return demangled((symbol.empty() ? text_of(function, DW_AT_name) : symbol).data());
  }

  Dwarf_Die* unit_;
  bool knows_calls_ = false;
  std::string found_;
  std::string of_library_;
};

// ---- code that is not compiled for it -----------------------------------------------------------

// What the linker and myrcc add to each program, and the compilers to what they compile for it.
bool is_added(std::string_view name) {
  constexpr std::string_view kNames[] = {"_start",
                                         "_init",
                                         "_fini",
                                         "_dl_relocate_static_pie",
                                         "register_tm_",
                                         "deregister_tm_",
                                         "__do_global",
                                         "frame_dummy",
                                         "tsan.module_",
                                         "_sub_I",
                                         "atexit",
                                         "__libc_csu_",
                                         "__clang_call_terminate",
                                         "__cpu_",
                                         "has_cpu_feature",
                                         "_ZTW",
                                         "_ZTH",
                                         "_ZN3myr3omp8outlined",
                                         "myr_hand_over",
                                         "GOMP_task",
                                         "__kmpc_"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view one) { return name.starts_with(one); });
}

// By gcc's options: the last one counts.
bool is_compiled_for_it(std::string_view options) {
  const std::size_t on = options.rfind("-fsanitize=thread");
  const std::size_t off = options.rfind("-fno-sanitize=");
  return on != options.npos && (off == options.npos || off < on);
}

class ModuleCode {
 public:
  ModuleCode(Dwfl_Module* module, UntoldCode& untold) : module_(module), untold_(untold) {
    Dwarf_Die* unit = nullptr;
    Dwarf_Addr bias = 0;
    while ((unit = dwfl_module_nextcu(module_, unit, &bias)) != nullptr) look_at_unit(unit, bias);
    sort(code_);
    look_at_symbols();
  }

 private:
  void look_at_unit(Dwarf_Die* unit, Dwarf_Addr bias) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    std::ptrdiff_t next = 0;
    bool has_code = false;
    while ((next = dwarf_ranges(unit, next, &base, &begin, &end)) > 0) {
      code_.push_back({begin + bias, end + bias});
      has_code = has_code || begin != end;
    }
    if (!has_code) return;
    const std::string_view producer = text_of(unit, DW_AT_producer);
    const bool is_clangs = producer.find("clang") != std::string_view::npos;
    if (is_clangs) {
      clang_units_ += 1;
    } else if (!is_compiled_for_it(producer)) {
      note_unchecked(text_of(unit, DW_AT_name));
    } else if (untold_.structures.empty()) {
      untold_.structures = ValueSearch(unit).found();
    }
  }

  void look_at_symbols() {
    std::size_t clang_units_checked = 0;
    visit_symbols(module_, [&](const char* name, const GElf_Sym& symbol, std::uint64_t begin) {
      if (GELF_ST_TYPE(symbol.st_info) != STT_FUNC) return true;
      if (std::string_view(name) == "tsan.module_ctor") clang_units_checked += 1;
      const bool has_code = symbol.st_shndx != SHN_UNDEF && symbol.st_size != 0;
      if (has_code && !is_added(name) && !contain(code_, begin)) {
        note_unchecked(demangled(name));
      }
      return true;
    });
    if (clang_units_checked < clang_units_) note_unchecked("an object file of clang");
  }

  void note_unchecked(std::string_view what) {
    if (untold_.unchecked.empty()) untold_.unchecked = what;
  }

  Dwfl_Module* module_;
  UntoldCode& untold_;
  std::vector<Bytes> code_;  // of which it is known how it is compiled
  std::size_t clang_units_ = 0;
};

}  // namespace

UntoldCode find_untold_code(Dwfl* files, const Modules& modules) {
  struct Search {
    const Modules& modules;
    UntoldCode untold;
  } search{modules, {}};
  const auto look = [](Dwfl_Module* module, void**, const char*, Dwarf_Addr begin, void* data) {
    auto& all = *static_cast<Search*>(data);
    if (all.modules.is_of_program(reinterpret_cast<const void*>(begin))) {
      ModuleCode(module, all.untold);
    }
    return static_cast<int>(DWARF_CB_OK);
  };
  dwfl_getmodules(files, look, &search, 0);
  return search.untold;
}

}  // namespace myr::check
