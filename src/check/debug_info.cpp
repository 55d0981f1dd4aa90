// SPDX-License-Identifier: Apache-2.0
#include "check/debug_info.hpp"

#include <unwind.h>

#include <map>

namespace myr::check {

namespace {

struct Function {
  Dwarf_Addr begin;
  Dwarf_Addr end;
  Dwarf_Die die;
};

void add_functions(Dwarf_Die* scope, std::vector<Function>& found) {
  visit_children(scope, [&](Dwarf_Die* child) {
    Dwarf_Addr base = 0;
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    std::ptrdiff_t next = 0;
    const bool is_function = dwarf_tag(child) == DW_TAG_subprogram;
    while (is_function && (next = dwarf_ranges(child, next, &base, &begin, &end)) > 0) {
      found.push_back({begin, end, *child});
    }
    add_functions(child, found);
    return true;
  });
}

// dwarf_getscopes() does not find functions of classes that are in other functions, as those of
// lambdas are.
const Function* function_at(Dwarf_Die* unit, Dwarf_Addr place) {
  static auto& of_units = *new std::map<const void*, std::vector<Function>>;
  const auto [functions, is_new] = of_units.try_emplace(unit->addr);
  if (is_new) add_functions(unit, functions->second);
  for (const Function& one : functions->second) {
    if (one.begin <= place && place < one.end) return &one;
  }
  return nullptr;
}

}  // namespace

Scopes::Scopes(Dwarf_Die* unit, Dwarf_Addr place) {
  const Function* const function = function_at(unit, place);
  if (function == nullptr) return;
  Dwarf_Die innermost = function->die;
  const auto has_place = [&](Dwarf_Die* child) {
    const int tag = dwarf_tag(child);
    const bool is_scope = tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
    return is_scope && dwarf_haspc(child, place) == 1;
  };
  bool goes_deeper = true;
  while (goes_deeper) {
    goes_deeper = !visit_children(&innermost, [&](Dwarf_Die* child) {
      if (!has_place(child)) return true;
      innermost = *child;
      return false;
    });
  }
  count_ = dwarf_getscopes_die(&innermost, &scopes_);
}

Dwarf_Die* unit_at(Dwfl* dwfl, Dwarf_Addr place, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_addrdie(dwfl, place, &bias)) return unit;
  Dwfl_Module* const module = dwfl_addrmodule(dwfl, place);
  Dwarf_Die* unit = nullptr;
  while (module != nullptr && (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (dwarf_haspc(unit, place - bias) == 1) return unit;
  }
  return nullptr;
}

// The address that the unwinder calls a frame's CFA is where the next inner frame ends, and is the
// frame's own stack pointer.
std::vector<Frame> frames_of_thread() {
  struct Search {
    Frame inner = {.place = 0, .stack_end = 0};
    std::vector<Frame> found = {};
  } search;
  const auto look = [](_Unwind_Context* context, void* data) {
    constexpr int kFramePointer = 6;  // by DWARF, on x86-64
    Search& now = *static_cast<Search*>(data);
    const auto stack_pointer = static_cast<std::uint64_t>(_Unwind_GetCFA(context));
    now.inner.stack_end = stack_pointer;
    now.found.push_back(now.inner);
    now.inner.place = static_cast<std::uint64_t>(_Unwind_GetIP(context)) - 1;
    now.inner.stack_pointer = stack_pointer;
#ifdef __x86_64__
    now.inner.frame_pointer = static_cast<std::uint64_t>(_Unwind_GetGR(context, kFramePointer));
#endif
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(look, &search);
  return search.found;
}

namespace {

// A location that is one operation.
std::optional<Dwarf_Op> operation_of(Dwarf_Die* entry, unsigned kind, std::uint64_t place) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(entry, kind, &attribute) == nullptr) return std::nullopt;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, place, &operations, &count, 1) != 1) return std::nullopt;
  if (count != 1) return std::nullopt;
  return operations[0];
}

}  // namespace

// gcc counts from the canonical frame address, clang from a register.
std::optional<std::uint64_t> frame_base(Dwarf_Die* function, std::uint64_t place,
                                        const Frame& frame) {
  const auto operation = operation_of(function, DW_AT_frame_base, place);
  if (!operation) return std::nullopt;
  if (operation->atom == DW_OP_call_frame_cfa) return frame.stack_end;
#ifdef __x86_64__
  if (operation->atom == DW_OP_reg6) return frame.frame_pointer;
  if (operation->atom == DW_OP_reg7) return frame.stack_pointer;
#endif
  return std::nullopt;
}

std::optional<std::uint64_t> address_in_frame(Dwarf_Die* variable, std::uint64_t place,
                                              const Frame& frame,
                                              std::optional<std::uint64_t> base) {
  const auto operation = operation_of(variable, DW_AT_location, place);
  if (!operation) return std::nullopt;
  if (operation->atom == DW_OP_fbreg && base) return *base + operation->number;
#ifdef __x86_64__
  if (operation->atom == DW_OP_breg6) return frame.frame_pointer + operation->number;
  if (operation->atom == DW_OP_breg7) return frame.stack_pointer + operation->number;
#endif
  return std::nullopt;
}

std::string name_of_variable(Dwarf_Die* variable) {
  std::string name = dwarf_diename(variable);
  return name.erase(std::min(name.find("[abi:"), name.size()));
}

bool type_of(Dwarf_Die* entry, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(entry, DW_AT_type, &attribute), type) != nullptr &&
         dwarf_peel_type(type, type) == 0;
}

}  // namespace myr::check
