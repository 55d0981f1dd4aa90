// SPDX-License-Identifier: Apache-2.0
//
// FunctionText: see function_text.hpp.

#include "translate/emit/function_text.hpp"

#include <fmt/format.h>

#include <vector>

#include "translate/emit/page.hpp"

namespace myr::translate {
namespace {

// `name(parameters) tail`, with what the linker calls it.
std::string declaration(const std::string& head, const std::string& name,
                        const std::string& parameters, const std::string& tail,
                        const std::string& symbol) {
  return fmt::format("{} {}({}) {}{}", head, name, parameters, tail,
                     symbol.empty() ? "" : fmt::format(" __asm__(\"{}\")", symbol));
}

}  // namespace

std::string FunctionText::parameters(Defaults defaults, unsigned temporaries) const {
  std::vector<std::string> all;
  unsigned bit = 1;
  for (const TaskFunction::Parameter& parameter : function_.parameters) {
    const bool temporary = !parameter.temporary.empty() && (temporaries & bit) != 0;
    if (!parameter.temporary.empty()) bit <<= 1U;
    const bool with = defaults == Defaults::With && !parameter.otherwise.empty();
    all.push_back((temporary ? parameter.temporary : parameter.declared) +
                  (with ? " " + parameter.otherwise : ""));
  }
  return joined(all, language_ == Language::C ? "void" : "");
}

unsigned FunctionText::mixes() const {
  unsigned all = 1;
  for (const TaskFunction::Parameter& parameter : function_.parameters) {
    if (!parameter.temporary.empty()) all <<= 1U;
  }
  return all;
}

std::string FunctionText::symbol(unsigned temporaries) const {
  return function_.symbol.empty()
             ? ""
             : fmt::format("myrcc_{}_{}{}", function_.symbol, unit_,
                           temporaries == 0 ? "" : fmt::format("_{}", temporaries));
}

std::string FunctionText::declared(Defaults defaults, unsigned temporaries) const {
  return declaration(function_.head, function_.name, parameters(defaults, temporaries),
                     function_.tail, symbol(temporaries)) +
         "; ";
}

std::string FunctionText::body_declared() const {
  return declaration(function_.head, body_name(function_.name), parameters(Defaults::Without, 0),
                     function_.tail, function_.symbol) +
         " " + function_.attributes + "; ";
}

std::string FunctionText::before() const {
  if (!function_.is_definition || function_.is_method) return "";
  std::string text;
  for (unsigned i = 0; i < mixes(); ++i) text += declared(Defaults::With, i);
  // Behind another declaration, a template may not have the defaults that the user wrote.
  const bool generic = !function_.template_arguments.empty();
  return generic ? text : text + body_declared();
}

std::string FunctionText::behind(const std::string& task) const {
  std::string text;
  if (function_.is_method) {
    if (!function_.is_definition) text = fmt::format(" {} {{ {} }} ", function_.tail, task);
    text += function_.is_definition ? "" : body_declared();
    for (unsigned i = function_.is_definition ? 0 : 1; i < mixes(); ++i) text += defined(task, i);
    return text;
  }
  if (!function_.is_definition) {
    for (unsigned i = 0; i < mixes(); ++i) {
      const bool again = i == 0;  // the user's own has the defaults
      text += declared(again ? Defaults::Without : Defaults::With, i);
    }
    text += body_declared();
  }
  for (unsigned i = 0; i < mixes(); ++i) text += defined(task, i);
  return text;
}

std::string FunctionText::defined(const std::string& task, unsigned temporaries) const {
  const bool visible = !function_.symbol.empty();
  const bool generic = !function_.template_arguments.empty();
  std::string head = function_.head;
  if (language_ == Language::C) {
    head = (visible ? "__attribute__((weak, visibility(\"hidden\"))) "
                    : "__attribute__((unused)) static ") +
           std::string("void");
  } else if (!function_.is_method && !generic) {
    head = fmt::format("__attribute__(({})) inline void",
                       visible ? "visibility(\"hidden\")" : "unused");
  }
  return declaration(
             head, function_.name,
             parameters(function_.is_method ? Defaults::With : Defaults::Without, temporaries),
             function_.tail, "") +
         fmt::format(" {{ {} }} ", task);
}

}  // namespace myr::translate
