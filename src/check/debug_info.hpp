// SPDX-License-Identifier: Apache-2.0
//
// The program's debug information, as libdw gives it: scopes around a place in the code, and the
// variables of the functions that the calling thread runs.
//
// Threads: one.
#pragma once

#include <dwarf.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace myr::check {

// The scopes around a place in the code, innermost first, as the compiler has nested them.
class Scopes {
 public:
  Scopes(Dwarf_Die* unit, Dwarf_Addr place);
  ~Scopes() { std::free(scopes_); }
  Scopes(const Scopes&) = delete;
  Scopes& operator=(const Scopes&) = delete;
  [[nodiscard]] Dwarf_Die* begin() const noexcept { return scopes_; }
  [[nodiscard]] Dwarf_Die* end() const noexcept { return scopes_ + std::max(count_, 0); }

 private:
  Dwarf_Die* scopes_ = nullptr;
  int count_ = 0;
};

// Calls visit(child) until it returns false. Returns whether it has gone through all.
template <class Visit>
bool visit_children(Dwarf_Die* die, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(die, &child) != 0) return true;
  do {
    if (!visit(&child)) return false;
  } while (dwarf_siblingof(&child, &child) == 0);
  return true;
}

// Calls visit(name, symbol, address) for those of the module that have a name, until it returns
// false.
template <class Visit>
void visit_symbols(Dwfl_Module* module, Visit visit) {
  const int count = dwfl_module_getsymtab(module);
  for (int i = 0; i < count; ++i) {
    GElf_Sym symbol;
    GElf_Addr begin = 0;
    const char* const name =
        dwfl_module_getsym_info(module, i, &symbol, &begin, nullptr, nullptr, nullptr);
    if (name != nullptr && !visit(name, symbol, begin)) return;
  }
}

// What has been compiled at once around a place. gcc lists where that is, clang does not.
[[nodiscard]] Dwarf_Die* unit_at(Dwfl* dwfl, Dwarf_Addr place, Dwarf_Addr& bias);

struct Frame {
  std::uint64_t place;              // in the function
  std::uint64_t stack_end;          // of its frame: the canonical frame address
  std::uint64_t frame_pointer = 0;  // what these registers hold there
  std::uint64_t stack_pointer = 0;
};
// The frames of this thread, the innermost first.
[[nodiscard]] std::vector<Frame> frames_of_thread();

// As it is written: without the ABI that gcc adds. REQUIRES: it has a name.
[[nodiscard]] std::string name_of_variable(Dwarf_Die* variable);
// From where the function counts to its variables; nothing: that is not known. `place`: as the
// debug information counts.
[[nodiscard]] std::optional<std::uint64_t> frame_base(Dwarf_Die* function, std::uint64_t place,
                                                      const Frame& frame);
// Where the variable is, if it is in the frame of its function.
[[nodiscard]] std::optional<std::uint64_t> address_in_frame(Dwarf_Die* variable,
                                                            std::uint64_t place, const Frame& frame,
                                                            std::optional<std::uint64_t> base);
// Without typedefs and qualifiers; false: it has none.
[[nodiscard]] bool type_of(Dwarf_Die* entry, Dwarf_Die* type);

}  // namespace myr::check
