// SPDX-License-Identifier: Apache-2.0
#include "check/debug_info.hpp"

#include <unwind.h>

namespace myr::check {

Dwarf_Die* unit_at(Dwfl* dwfl, Dwarf_Addr place, Dwarf_Addr& bias) {
  if (Dwarf_Die* const unit = dwfl_addrdie(dwfl, place, &bias)) return unit;
  Dwfl_Module* const module = dwfl_addrmodule(dwfl, place);
  Dwarf_Die* unit = nullptr;
  while (module != nullptr && (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr) {
    if (dwarf_haspc(unit, place - bias) == 1) return unit;
  }
  return nullptr;
}

// What the unwinder calls a frame's CFA is where the next inner one ends.
std::vector<Frame> frames_of_thread() {
  struct Search {
    std::uint64_t inner_place = 0;
    std::vector<Frame> found = {};
  } search;
  const auto look = [](_Unwind_Context* context, void* data) {
    Search& now = *static_cast<Search*>(data);
    now.found.push_back({now.inner_place, static_cast<std::uint64_t>(_Unwind_GetCFA(context))});
    now.inner_place = static_cast<std::uint64_t>(_Unwind_GetIP(context)) - 1;
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(look, &search);
  return search.found;
}

std::optional<std::int64_t> offset_in_frame(Dwarf_Die* variable, std::uint64_t place) {
  Dwarf_Attribute attribute;
  if (dwarf_attr_integrate(variable, DW_AT_location, &attribute) == nullptr) return std::nullopt;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_getlocation_addr(&attribute, place, &operations, &count, 1) != 1) return std::nullopt;
  if (count != 1 || operations[0].atom != DW_OP_fbreg) return std::nullopt;
  return static_cast<std::int64_t>(operations[0].number);
}

bool type_of(Dwarf_Die* entry, Dwarf_Die* type) {
  Dwarf_Attribute attribute;
  return dwarf_formref_die(dwarf_attr_integrate(entry, DW_AT_type, &attribute), type) != nullptr &&
         dwarf_peel_type(type, type) == 0;
}

}  // namespace myr::check
