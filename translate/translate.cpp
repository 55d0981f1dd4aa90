// SPDX-License-Identifier: Apache-2.0
//
// translate(): see translate.hpp.

#include "translate/translate.hpp"

#include "translate/emit/emitter.hpp"
#include "translate/parse/reader.hpp"

namespace myr::translate {
namespace {

// What C compilers accept with a warning, and Clang does not by itself.
const std::vector<std::string> kLenient = {"-Wno-error=implicit-int",
                                           "-Wno-error=implicit-function-declaration",
                                           "-Wno-error=int-conversion",
                                           "-Wno-error=incompatible-function-pointer-types",
                                           "-Wno-error=return-type",
                                           "-ferror-limit=0"};

}  // namespace

Translation translate(const Source& source, Language language,
                      const std::vector<std::string>& arguments) {
  Diagnostics diagnostics(source);
  std::vector<std::string> all = arguments;
  all.insert(all.end(), kLenient.begin(), kLenient.end());
  const auto reading = read(source, all, diagnostics);
  if (reading && language == Language::Cxx) {
    diagnostics.error({0, 0}, "C++ is not translated yet");
  }
  Translation translation;
  if (reading && !diagnostics.has_errors()) translation.text = emit_c(source, *reading);
  translation.messages = diagnostics.text();
  return translation;
}

}  // namespace myr::translate
