// SPDX-License-Identifier: Apache-2.0
//
// predefined_macros(): see predefined.hpp.

#include "translate/driver/predefined.hpp"

#include <array>
#include <set>
#include <sstream>
#include <string_view>

#include "translate/driver/process.hpp"

namespace myr::translate {
namespace {

// Macros that Clang predefines and other compilers may not, as far as programs ask for them. The
// rest is for Clang's own headers.
constexpr std::array<std::string_view, 22> kOfClang = {"__clang__",
                                                       "__clang_major__",
                                                       "__clang_minor__",
                                                       "__clang_patchlevel__",
                                                       "__clang_version__",
                                                       "__llvm__",
                                                       "__BITINT_MAXWIDTH__",
                                                       "__FLOAT128__",
                                                       "__GNUC_GNU_INLINE__",
                                                       "__LITTLE_ENDIAN__",
                                                       "__NO_MATH_INLINES",
                                                       "__POINTER_WIDTH__",
                                                       "__cpp_auto_cast",
                                                       "__cpp_constexpr_in_decltype",
                                                       "__cpp_deleted_function",
                                                       "__cpp_explicit_this_parameter",
                                                       "__cpp_impl_destroying_delete",
                                                       "__cpp_named_character_escapes",
                                                       "__cpp_pack_indexing",
                                                       "__cpp_placeholder_variables",
                                                       "__cpp_static_call_operator",
                                                       "__private_extern__"};

// GCC's types that Clang does not know, by others of the same values. In C++ the C library declares
// the first ones.
constexpr std::array<const char*, 5> kTypesOfC = {"-D_Float32=float", "-D_Float64=double",
                                                  "-D_Float32x=double", "-D_Float64x=long double",
                                                  "-D_Float128=__float128"};
constexpr const char* kFloat80 = "-D__float80=long double";

// NAME or NAME(PARAMETERS) at the begin of a definition.
std::string_view name_in(std::string_view definition) {
  const std::size_t end = definition.find_first_of(" (");
  if (end == std::string_view::npos || definition[end] == ' ') return definition.substr(0, end);
  return definition.substr(0, definition.find(')') + 1);
}

}  // namespace

std::vector<std::string> options_from(const std::string& listed, Language language) {
  constexpr std::string_view kDefine = "#define ";
  std::vector<std::string> options;
  std::set<std::string, std::less<>> names;
  std::istringstream lines(listed);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kDefine)) continue;
    const std::string_view definition = std::string_view(line).substr(kDefine.size());
    const std::string_view name = name_in(definition);
    const std::string_view body = definition.substr(name.size());
    names.emplace(name);
    options.push_back("-D" + std::string(name) + "=" + std::string(body.substr(!body.empty())));
  }
  if (names.empty() || names.contains("__clang__")) return options;
  for (const std::string_view name : kOfClang) {
    if (!names.contains(name)) options.push_back("-U" + std::string(name));
  }
  options.emplace_back(kFloat80);
  if (language == Language::C) options.insert(options.end(), kTypesOfC.begin(), kTypesOfC.end());
  // This macro makes headers use built-in functions of the compiler; the meaning of a program does
  // not depend on it.
  options.emplace_back("-U_FORTIFY_SOURCE");
  return options;
}

std::vector<std::string> predefined_macros(const Command& command, Language language) {
  std::vector<std::string> ask = command.compiler;
  for (const std::string& option : macro_options(command)) {
    if (!is_standard_of_other(option, language)) ask.push_back(option);
  }
  for (const char* word : {"-w", "-x", language == Language::C ? "c" : "c++", "-dM", "-E"}) {
    ask.emplace_back(word);
  }
  ask.emplace_back("/dev/null");
  const auto listed = output_of(ask);
  return listed ? options_from(*listed, language) : std::vector<std::string>{};
}

}  // namespace myr::translate
