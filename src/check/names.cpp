// SPDX-License-Identifier: Apache-2.0
#include "check/names.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace myr::check {

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

}  // namespace myr::check
